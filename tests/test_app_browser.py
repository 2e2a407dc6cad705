"""The dashboard as a viewer's browser draws it: nothing complains, nothing leaves this machine, charts are drawn, no labels collide."""
import json
from pathlib import Path

import plotly
import pytest
from example_runs import DEFAULT, ODD
from served_app import settle
from test_charts import draw_traffic

from app import recordings, records
from app.charts.look import PALETTES, page_look, slide_look
from app.charts.time import time as draw_time
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Tiling, find_gpu

CHART = "[data-testid=stPlotlyChart] .js-plotly-plot"
TRACES = dict(Traffic=10, Time=3)  # fill, 4 lines of which naive's 2 go on faintly, 2 rows of counted markers, rings; floor, naive, fused
TEXT_BOXES = """root => [...root.querySelectorAll('.annotation-text, .xtick text, .ytick text')].map(text => {
    const box = text.getBoundingClientRect(), all = text.closest('svg').getBoundingClientRect();
    return {text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            outside: box.left < all.left || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1};
})"""
EXTREMES = [Settings(AttentionProblem(n, **shape), Tiling(*tiles), find_gpu(gpu)) for n, shape, tiles, gpu in (
    (128, dict(head_dim=16), (16, 16), "H200 SXM"), (131072, dict(heads=16), (256, 16), "H200 SXM"),
    (4096, dict(heads=128, batch=64), (64, 64), "T4"),
    (16384, dict(head_dim=128, heads=32, kv_heads=1, mask="causal"), (64, 64), "B200 SXM"),
    (2048, dict(head_dim=16, mask="causal"), (256, 64), "Jetson AGX Orin 64GB"))]
PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


class Viewer:
    """A page that remembers what went wrong on it."""

    def __init__(self, browser, theme="light", width=1280, height=720):
        self.page = browser.new_context(viewport=dict(width=width, height=height), color_scheme=theme).new_page()
        self.complaints, self.foreign = [], []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda r: r.url.startswith(("http://127.0.0.1", "data:", "blob:")) or self.foreign.append(r.url))

    def _note(self, message):
        probing = "/_stcore/" in message.location["url"]  # opened by a link to a page, Streamlit looks for its server below it first
        if message.type == "error" and not probing:
            self.complaints.append(message.text)

    def open(self, url: str, name: str = "Race"):
        self.page.goto(url)
        settle(self.page)
        if name != "Race":
            self.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
            self.page.wait_for_url(f"**/{name.lower()}*")
            settle(self.page)
        return self

    def boxes(self) -> list[dict]:
        return self.page.locator(CHART).first.evaluate(TEXT_BOXES)


@pytest.fixture
def viewer(browser):
    opened = []

    def view(*arguments, **look):
        opened.append(Viewer(browser, *arguments, **look))
        return opened[-1]

    yield view
    for each in opened:
        each.page.context.close()


def drawn(blank, figure, look) -> list[dict]:
    """Draws the figure in the blank page and reads its text boxes."""
    figure.update_layout(width=look.width)
    blank.evaluate("figure => Plotly.newPlot('chart', figure.data, figure.layout)", json.loads(figure.to_json()))
    boxes = blank.locator("#chart").evaluate(TEXT_BOXES)
    assert len(boxes) > 15
    return boxes


def collisions(boxes: list[dict]) -> list[str]:
    """Texts that overlap by more than a pixel, or leave the figure."""
    found = [f"{box['text']} leaves the figure" for box in boxes if box["outside"]]
    for i, one in enumerate(boxes):
        found += [f"{one['text']} on {other['text']}" for other in boxes[:i]
                  if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
                  and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1]
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["Race", "Traffic", "Time"])
def test_a_page_is_drawn_without_complaint(viewer, app_url, name, theme):
    view = viewer(theme).open(app_url, name)
    assert view.page.get_by_test_id("stException").count() == 0
    if name in TRACES:
        chart = view.page.locator(CHART).first
        assert chart.evaluate("plot => plot.data.length") == TRACES[name]
        assert min(chart.bounding_box()[side] for side in ("width", "height")) > 300
        assert len(view.boxes()) > 15 and collisions(view.boxes()) == []
        inks = chart.evaluate("plot => plot.layout.annotations.map(note => note.font.color)")
        assert PALETTES[theme]["muted"] in inks
    assert view.complaints == [] and view.foreign == []


@pytest.fixture(scope="module")
def blank(browser):
    """A page with Plotly and nothing else: figures of many settings are drawn there in a moment."""
    context = browser.new_context(viewport=dict(width=1280, height=720))
    page = context.new_page()
    page.set_content("<div id=chart></div>")
    page.add_script_tag(path=str(PLOTLY_JS))
    yield page
    context.close()


@pytest.mark.parametrize("look", [page_look("light"), slide_look("light")], ids=["page", "slide"])
@pytest.mark.parametrize("settings", [DEFAULT, ODD, *EXTREMES], ids=lambda s: f"{s.n} {s.conditions} {s.gpu.name}")
def test_labels_of_traffic_do_not_collide(blank, settings, look):
    assert collisions(drawn(blank, draw_traffic(settings, look), look)) == []


@pytest.mark.parametrize("look", [page_look("dark"), slide_look("dark")], ids=["page", "slide"])
@pytest.mark.parametrize("n", [128, 4096, 131072])
def test_labels_of_time_do_not_collide(blank, n, look):
    shown = recordings.nearest([(file.header, records.shipped(file.header, file.runs)) for file in saved.recorded()], DEFAULT.at(n))
    floor, bandwidth = recordings.unfused_floor(shown), shown.header["copy_gb_per_s"]
    figure = draw_time(records.timed(shown.runs), floor, bandwidth, n, look, DEFAULT.conditions)
    assert collisions(drawn(blank, figure, look)) == []


@pytest.mark.parametrize("link", ["?n=abc&d=9999", "?bc=256&d=128"])
def test_a_hostile_link_never_gives_a_traceback(viewer, app_url, link):
    view = viewer().open(f"{app_url}/traffic{link}")
    assert view.page.get_by_test_id("stException").count() == 0
    assert view.page.get_by_test_id("stSlider").count() >= 3
    assert view.complaints == [] and view.page.get_by_test_id("stMain").inner_text()


def test_a_moved_slider_is_in_the_address_and_survives_a_change_of_page(viewer, app_url):
    view = viewer().open(app_url, "Traffic")
    view.page.locator("[data-testid=stSidebar] input[type=range]").first.press("ArrowRight")
    view.page.wait_for_url("**/traffic?n=6144")
    view.page.get_by_test_id("stTopNavLink").filter(has_text="Time").click()
    view.page.wait_for_url("**/time?n=6144")
    settle(view.page)
    assert view.page.locator("[data-testid=stSidebar] [data-testid=stSliderThumbValue]").first.inner_text() == "6144"


def test_switching_the_theme_redraws_the_chart(viewer, app_url):
    view = viewer("light").open(app_url, "Traffic")
    view.page.get_by_test_id("stMainMenu").click()
    view.page.get_by_test_id("stMainMenuPopover").get_by_text("Dark").first.click()
    view.page.wait_for_function("""([chart, ink]) => document.querySelector(chart)?.layout.annotations
        .some(note => note.font.color === ink)""", arg=[CHART, PALETTES["dark"]["muted"]], timeout=15_000)


def test_downloads_carry_their_settings_in_the_name(viewer, app_url):
    page = viewer().open(app_url, "Traffic").page
    for button, file in (("CSV", "tilescope_traffic_N4096_d64_float32.csv"), ("Slide as SVG", "tilescope_traffic_N4096_d64_float32.svg")):
        with page.expect_download(timeout=30_000) as download:
            page.get_by_role("button", name=button).click()
        assert download.value.suggested_filename == file
        assert len(download.value.path().read_bytes()) > 5000


def test_a_phone_scrolls_the_chart_and_not_the_page(viewer, app_url):
    view = viewer(width=390, height=844).open(f"{app_url}/traffic")
    assert view.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert view.page.locator(CHART).first.bounding_box()["width"] > 700
    assert collisions(view.boxes()) == []
