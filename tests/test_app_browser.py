"""The dashboard as a viewer's browser draws it: nothing complains, nothing leaves this machine, charts are drawn, no labels collide."""
import re
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect
from served_app import STANDS_STILL
from viewer import CHART, collisions

from app.charts.look import PALETTES
from app.settings import LENGTHS

AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")
SMALL_TEXTS = """() => [...document.querySelectorAll('[data-testid=stApp] *')].filter(element => {
    const written = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    return written && element.getClientRects().length && parseFloat(getComputedStyle(element).fontSize) < 14;
}).map(element => element.textContent.slice(0, 40))"""
TRACES = dict(
    Traffic=11,  # fill, 4 lines (naive's 2 go on faintly), DRAM and where it leaves, 2 rows of counted markers
    Time=11,  # floor, naive, tiled, fused, tensor cores, four libraries, two rows of what does not fit
    Roofline=19,  # 3 roofs, L2 and fused on it, 2 paths, 4 timed paths of a line and markers, 4 kernels
    Tiles=27,  # 25, the ring and the line of the tie
    Proof=16,  # four measures of four rungs
    Warp=6,  # lanes, wires, banks, their columns, words, what can be pointed at
    Slides=11)  # Traffic's


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["Race", "Softmax", "Traffic", "Time", "Roofline", "Slides", "Tiles", "Warp", "Ring", "Run-here", "Proof",
                                  "Tutorial"])
def test_a_page_is_drawn_without_complaint(viewer, app_url, name, theme):
    view = viewer(theme).open(app_url if name == "Race" else f"{app_url}/{name.lower()}")
    assert view.page.get_by_test_id("stException").count() == 0
    if name in TRACES:
        chart = view.page.locator(CHART).first
        assert chart.evaluate("plot => plot.data.length") == TRACES[name]
        assert min(chart.bounding_box()[side] for side in ("width", "height")) > 300
        assert len(view.boxes()) > 15 and collisions(view.boxes()) == []
        inks = chart.evaluate("plot => plot.layout.annotations.flatMap(note => note.font?.color ?? [])")
        assert PALETTES["light" if name == "Slides" else theme]["muted"] in inks  # a slide's ground is chosen, not followed
    assert view.complaints == [] and view.foreign == []
    view.page.evaluate(AXE)
    found = view.page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    assert [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]] == []


@pytest.mark.parametrize("link", ["?n=abc&d=9999", "?bc=256&d=128"])
def test_a_hostile_link_never_gives_a_traceback(viewer, app_url, link):
    view = viewer().open(f"{app_url}/traffic{link}")
    assert view.page.get_by_test_id("stException").count() == 0
    assert view.page.get_by_test_id("stSlider").count() >= 3
    assert view.complaints == [] and view.page.get_by_test_id("stMain").inner_text()


def test_a_moved_slider_is_in_the_address_and_survives_a_change_of_page(viewer, app_url):
    view = viewer().open(app_url)
    view.turn_to("Traffic")
    view.page.locator("[data-testid=stSidebar] input[type=range]").first.press("ArrowRight")
    view.page.wait_for_url("**/traffic?n=6144")
    view.turn_to("Time")
    assert view.page.url.endswith("/time?n=6144")
    expect(view.page.locator("[data-testid=stSidebar] [data-testid=stSliderThumbValue]").first).to_have_text("6144")


@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_a_chart_is_sent_at_the_width_it_has(viewer, app_url, width):
    page = viewer(width=width).open(f"{app_url}/traffic").page
    frame = "document.querySelector('[data-testid=stMain] .st-key-chart [data-testid=stElementContainer]').clientWidth"
    page.wait_for_function(f"""path => {{ const chart = document.querySelector(path);
        return chart?.layout && chart.layout.width === {frame} && chart.querySelector('.xaxislayer-above'); }}""", arg=CHART)
    if width == 390:
        page.get_by_test_id("stExpandSidebarButton").click()
    slider = page.locator("[data-testid=stSidebar] input[type=range]").first
    slider.press("ArrowRight")  # the server was told the width before it is told of a second step
    page.wait_for_function("path => document.querySelector(path)?.textContent.includes('N = 6,144')", arg=CHART)
    page.evaluate("""path => { window.widths = []; new MutationObserver(() => {
        const chart = document.querySelector(path); if (chart?.layout) window.widths.push(chart.layout.width); })
        .observe(document.querySelector('[data-testid=stMain]'), {childList: true, subtree: true}); }""", CHART)
    slider.press("ArrowRight")
    page.wait_for_function("path => document.querySelector(path)?.textContent.includes('N = 8,192')", arg=CHART)
    assert set(page.evaluate("window.widths")) == {page.evaluate(frame)}  # from its first drawing on: another width were a second one


def test_a_chart_stands_still_over_ten_steps(viewer, app_url):
    page = viewer().open(f"{app_url}/traffic?n=256").page
    slider, chart, boxes = page.locator("[data-testid=stSidebar] input[type=range]").first, page.locator(CHART).first, []
    for n in LENGTHS[LENGTHS.index(256):][:11]:
        expect(chart).to_contain_text(f"by array at N = {n:,},")
        boxes.append(chart.bounding_box())
        slider.press("ArrowRight")
    for side in ("x", "y", "width", "height"):
        assert max(box[side] for box in boxes) - min(box[side] for box in boxes) <= 1


def test_a_step_sends_little_and_fades_nothing(viewer, app_url):
    """On a busy server what a step must draw, and pictures that only fade, are what all viewers wait for."""
    view, messages = viewer(), []
    view.page.on("websocket", lambda socket: socket.on("framereceived", lambda message: messages.append(message)))
    page = view.open(f"{app_url}/traffic?n=256").page
    page.evaluate("""() => { window.fades = []; new MutationObserver((changes) => {
        const stale = changes.map(({ target }) => target).filter(target => target.dataset.stale === "true");
        window.fades.push(...stale.map(target => getComputedStyle(target).transitionDuration));
    }).observe(document.body, {subtree: true, attributeFilter: ["data-stale"]}); }""")
    slider, chart = page.locator("[data-testid=stSidebar] input[type=range]").first, page.locator(CHART).first
    for n in LENGTHS[LENGTHS.index(384):][:8]:
        before = len(messages)
        slider.press("ArrowRight")
        expect(chart).to_contain_text(f"by array at N = {n:,},")
        page.wait_for_selector(STANDS_STILL)
        if n > 384 and page.evaluate("window.fades.length"):  # the first tells how wide a chart is, and not every step is late
            break
    assert len(messages) - before <= 36 and sum(map(len, messages[before:])) < 40_000
    assert set(page.evaluate("window.fades")) == {"0s"}


def test_a_gpu_of_ones_own_is_asked_for_its_numbers_and_then_used(viewer, app_url):
    view = viewer().open(f"{app_url}/traffic")
    view.page.get_by_text("More settings").click()
    view.page.get_by_role("button", name="Own GPU…").click()
    form = view.page.get_by_role("dialog")
    form.get_by_label("Name").fill("Mine")
    form.get_by_label("L2, MiB").fill("-3")
    form.get_by_label("L2, MiB").press("Enter")
    form.get_by_text("The form gives “L2, MiB” -3.0; it is a number above 0.").wait_for()
    expect(form.get_by_role("button", name="Use it")).to_be_disabled()
    form.get_by_label("L2, MiB").fill("3")
    form.get_by_label("L2, MiB").press("Enter")
    form.get_by_text("The form gives").wait_for(state="detached")
    form.get_by_role("button", name="Use it").click()
    view.page.wait_for_url("**/traffic?gpu=Mine")
    view.page.get_by_text("64×64 tiles · Mine").first.wait_for()
    assert view.complaints == []


def test_a_place_and_a_broken_row_stand_in_the_link_and_come_back(viewer, app_url):
    view = viewer().open(f"{app_url}/softmax?break=no+rescale&at=3")
    picture = view.page.locator(".player canvas")
    expect(picture).to_have_attribute("aria-label", re.compile("^Tile 2 is added to what was kept: now 30 % off"))
    view.page.keyboard.press("ArrowRight")
    view.page.wait_for_url("**/softmax?break=no+rescale&at=4")
    view.turn_to("Traffic")
    view.turn_to("Softmax")
    view.page.wait_for_url("**/softmax?break=no+rescale*")
    expect(picture).to_have_attribute("aria-label", re.compile("^No rescale: the output still sums to 10"))


def test_the_tutorial_goes_on_and_its_link_opens_beside_it(viewer, app_url):
    view = viewer().open(f"{app_url}/tutorial-2")
    view.page.get_by_role("link", name="Next: Online softmax").click()  # below the fold
    view.page.wait_for_url("**/tutorial-3")
    expect(view.page.locator("h3")).to_have_text("Online softmax")
    view.page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")
    with view.page.context.expect_page() as opened:
        view.page.get_by_role("link", name="Set the dashboard").click()
    expect(opened.value.locator(".player canvas")).to_have_attribute("aria-label", re.compile("m: 2 to 5"), timeout=30_000)
    opened.value.close()
    assert view.foreign == []


def test_switching_the_theme_redraws_the_chart(viewer, app_url):
    page = viewer("light").open(f"{app_url}/traffic").page
    page.get_by_test_id("stMainMenu").click()
    page.get_by_test_id("stMainMenuPopover").get_by_text("Dark").first.click()
    page.wait_for_function("""([chart, ink]) => document.querySelector(chart)?.layout.annotations
        .some(note => note.font?.color === ink)""", arg=[CHART, PALETTES["dark"]["muted"]], timeout=15_000)
    page.evaluate("localStorage.clear()")  # the choice is not for the tests that follow


@pytest.mark.parametrize("name", ["", "softmax", "time", "slides", "tiles", "run-here", "traffic?step=3", "tutorial-4"])
def test_a_phone_has_no_small_text_and_does_not_scroll_sideways(viewer, app_url, name):
    view = viewer(width=390, height=844).open(f"{app_url}/{name}")
    assert view.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert view.page.evaluate(SMALL_TEXTS) == []


def test_the_race_saves_its_steps_without_the_server(viewer, app_url):
    page = viewer().open(app_url).page
    page.locator("[data-action=save]").click()
    with page.expect_download() as download:
        page.locator(".menu [data-file=csv]").click()
    assert download.value.suggested_filename == "tilescope_race_N4096_d64_float16.csv"
    assert download.value.path().read_text().count("\n") == 1 + 36_928 + 8_320  # the moves of naive and of fused
    expect(page.locator(".menu")).to_be_hidden()


def test_a_phone_scrolls_the_chart_and_not_the_page(viewer, app_url):
    view = viewer(width=390, height=844).open(f"{app_url}/traffic")
    assert view.page.locator(CHART).first.bounding_box()["width"] > 700
    assert collisions(view.boxes()) == []
