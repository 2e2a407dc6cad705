"""A chart on a page: where Plotly comes from, and that it changes what is there."""
import gzip
import urllib.request

from playwright.sync_api import expect
from plotly.offline import get_plotlyjs
from viewer import CHART

from app import plot

PLOTLY = f"**/{plot.LIBRARY}*"


def sent(address: str, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
        return answer.headers, answer.read()


def test_plotly_is_the_one_that_exports_are_drawn_with(app_url):
    headers, packed = sent(f"{app_url}/{plot.LIBRARY}", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip" and "immutable" in headers["Cache-Control"]
    assert gzip.decompress(packed).decode() == get_plotlyjs() == sent(f"{app_url}/{plot.LIBRARY}")[1].decode()


def test_a_step_changes_the_chart_and_keeps_its_element(viewer, app_url):
    page = viewer().open(f"{app_url}/traffic?n=512").page
    page.wait_for_selector(f"{CHART} .scatterlayer")
    before = page.evaluate("path => { const chart = document.querySelector(path); chart.seen = true; return chart.data.length; }", CHART)
    slider = page.locator("[data-testid=stSidebar] input[type=range]").first
    for n in (768, 1024):  # the first tells how wide a chart is
        slider.press("ArrowRight")
        expect(page.locator(CHART)).to_contain_text(f"by array at N = {n:,},", timeout=30_000)
    rings = """path => { const chart = document.querySelector(path), { x } = chart.data.at(-1);
        return [chart.seen, chart.data.length, [...x], chart.calcdata.at(-1).map((point) => point.x)]; }"""
    seen, traces, wanted, drawn = page.evaluate(rings, CHART)
    assert seen and traces == before and wanted == drawn == [1024] * 4


def test_without_plotly_it_says_so_and_tries_again(viewer, app_url):
    view = viewer()
    view.page.route(PLOTLY, lambda route: route.abort())
    view.page.goto(f"{app_url}/traffic?n=512")
    expect(view.page.locator(".plot")).to_have_text("Plotly could not be loaded from this server.", timeout=30_000)
    view.page.unroute(PLOTLY)
    view.page.locator("[data-testid=stSidebar] input[type=range]").first.press("ArrowRight")
    expect(view.page.locator(CHART)).to_contain_text("by array at N = 768,", timeout=30_000)
