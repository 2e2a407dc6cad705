"""A chart on a page: where Plotly comes from, and that it changes what is there."""
import gzip
import urllib.request

from playwright.sync_api import expect
from plotly.offline import get_plotlyjs
from served_app import settle
from viewer import CHART

from app import plot

PLOTLY = f"**/{plot.LIBRARY}*"
WATCH = """path => { window.redrawn = 0; new MutationObserver((changes) => window.redrawn += changes.length)
    .observe(document.querySelector(path).querySelector('.scatterlayer'), {subtree: true, childList: true, attributes: true}); }"""
RINGS = """path => [...document.querySelectorAll(`${path} .shapelayer path`)].filter(shape => shape.getAttribute('d').includes('A'))
    .map(ring => ring.getBoundingClientRect()).map(box => [box.x + box.width / 2, box.y + box.height / 2].map(Math.round))"""
LINES_AT = """([path, n]) => {
    const chart = document.querySelector(path), frame = chart.getBoundingClientRect(), {xaxis, yaxis} = chart._fullLayout;
    return chart.data.filter(({mode, line, x}) => mode === 'lines' && line.dash !== 'dashdot' && x.includes(n))
        .map(({x, y}) => [frame.x + xaxis._offset + xaxis.d2p(n), frame.y + yaxis._offset + yaxis.d2p(y[x.indexOf(n)])].map(Math.round));
}"""


def sent(address: str, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
        return answer.headers, answer.read()


def test_plotly_is_the_one_that_exports_are_drawn_with(app_url):
    headers, packed = sent(f"{app_url}/{plot.LIBRARY}", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip" and "immutable" in headers["Cache-Control"]
    assert gzip.decompress(packed).decode() == get_plotlyjs() == sent(f"{app_url}/{plot.LIBRARY}")[1].decode()


def test_a_step_moves_the_rings_and_draws_no_line_again(viewer, app_url):
    page = viewer().open(f"{app_url}/traffic?n=512").page
    page.wait_for_selector(f"{CHART} .scatterlayer")
    slider, chart = page.locator("[data-testid=stSidebar] input[type=range]").first, page.locator(CHART)
    slider.press("ArrowRight")  # the first tells how wide a chart is
    expect(chart).to_contain_text("by array at N = 768,", timeout=30_000)
    page.evaluate(WATCH, CHART)
    slider.press("ArrowRight")
    expect(chart).to_contain_text("by array at N = 1,024,", timeout=30_000)
    assert page.evaluate("window.redrawn") == 0 and page.evaluate(RINGS, CHART) == page.evaluate(LINES_AT, [CHART, 1024])


def test_a_ring_says_its_bytes_where_it_is_pointed_at_and_no_more_when_it_has_gone(viewer, app_url):
    page = viewer().open(f"{app_url}/traffic?n=1024").page
    slider, said = page.locator("[data-testid=stSidebar] input[type=range]").first, page.locator(f"{CHART} .hoverlayer")
    slider.focus()
    left, top = page.evaluate(RINGS, CHART)[-1]
    page.mouse.move(left - 40, top)
    page.mouse.move(left, top)
    expect(said).to_have_text("fused, compulsory, predictedN = 1,024: 8.39 MB (8,388,608 B)")
    slider.press("ArrowRight")
    expect(page.locator(CHART)).to_contain_text("by array at N = 1,536,", timeout=30_000)
    expect(said).to_have_text("")


def test_a_slider_held_back_and_forth_keeps_the_connection(viewer, app_url):
    """Where messages are cached, a browser that skips runs is referred to what it has dropped, and disconnects for good."""
    page = viewer().open(f"{app_url}/traffic?n=1024").page
    slider = page.locator("[data-testid=stSidebar] input[type=range]").first
    slider.focus()
    for _ in range(6):
        for key in ["ArrowRight"] * 10 + ["ArrowLeft"] * 10:
            page.keyboard.press(key)
            page.wait_for_timeout(33)
        settle(page)
    expect(page.locator(CHART)).to_contain_text("by array at N = 1,024,", timeout=60_000)
    assert page.locator("[data-testid=stApp]").get_attribute("data-test-connection-state") == "CONNECTED"


def test_without_plotly_it_says_so_and_tries_again(viewer, app_url):
    view = viewer()
    view.page.route(PLOTLY, lambda route: route.abort())
    view.page.goto(f"{app_url}/traffic?n=512")
    expect(view.page.locator(".plot")).to_have_text("Plotly could not be loaded from this server.", timeout=30_000)
    view.page.unroute(PLOTLY)
    view.page.locator("[data-testid=stSidebar] input[type=range]").first.press("ArrowRight")
    expect(view.page.locator(CHART)).to_contain_text("by array at N = 768,", timeout=30_000)
