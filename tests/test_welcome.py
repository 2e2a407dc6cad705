"""Pages that are sent hold their picture, where the dashboard wants it, and the dashboard takes it over as it is."""
import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect
from served_app import settle
from streamlit.testing.v1 import AppTest
from viewer import Viewer

STREAMLIT = "**/static/js/index.*.js"  # without it the first page is all there is
PICTURES = """() => {
    const roots = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
    const pictures = roots.flatMap((root) => [...root.querySelectorAll(".player canvas, .plot")]);
    const { x, y, width, height } = pictures[0].getBoundingClientRect();
    return { count: pictures.length, welcome: !!document.querySelector("#welcome"), box: [x, y, width, height] };
}"""
IN_ITS_PLACE = f"before => ({PICTURES})().box.every((side, at) => Math.abs(side - before[at]) <= 1)"


def sent(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read().decode()


def test_the_race_sent_is_the_one_that_the_dashboard_opens_with(app_url):
    shown = [json.loads(part.proto.json) for part in AppTest.from_file("../app/frame.py", default_timeout=60).run().get("bidi_component")]
    (opened,) = [data for data in shown if "lanes" in data]
    payload = re.search(r"new Player\(root, (\{.*\}), \{ theme", sent(app_url))[1]
    assert json.loads(payload) == opened


@pytest.mark.parametrize(("path", "there"), [("", True), ("?at=fused:0.5", True), ("?n=512", False), ("?present=1", False),
                                             ("traffic", True), ("time", True), ("roofline", True), ("time?n=512", False),
                                             ("tiles", False)])
def test_a_link_that_asks_for_something_else_gets_the_plain_page(app_url, path, there):
    assert ("window.tilescopeWelcome = {" in sent(f"{app_url}/{path}")) == there


@pytest.fixture
def held(browser):
    """held(…) opens a viewer without Streamlit's script, and gives (the viewer, a function that lets it come)."""
    context = browser.new_context()

    def open_(url: str, held=STREAMLIT, **window):
        view, waiting = Viewer(context, **window), []
        view.page.route(held, lambda route: waiting.append(route))
        view.page.goto(url, wait_until="commit")
        view.page.wait_for_function("window.tilescopeWelcome")

        def release() -> None:
            for route in waiting:
                route.continue_()
            settle(view.page)
            view.page.wait_for_function("!window.tilescopeWelcome")
        return view, release

    yield open_
    context.close()


@pytest.mark.parametrize("window", [dict(width=1280, height=720), dict(width=700, height=700),
                                    dict(width=390, height=844, theme="dark")], ids=str)
def test_the_dashboard_takes_the_race_over_in_its_place(held, app_url, window):
    view, release = held(app_url, **window)
    before = view.page.evaluate(PICTURES)
    release()
    after = view.page.evaluate(PICTURES)
    assert before["welcome"] and not after["welcome"] and before["count"] == after["count"] == 1
    view.page.wait_for_function(IN_ITS_PLACE, arg=before["box"])  # the sidebar beside it may come a moment later
    expect(view.page.get_by_role("button", name="Play or pause (space)")).to_contain_text("Pause")  # then it plays, by itself
    assert view.complaints == view.foreign == []


@pytest.mark.parametrize(("path", "theme"), [("traffic", "light"), ("time", "dark"), ("roofline", "light")])
def test_the_dashboard_takes_a_chart_over_in_its_place(held, app_url, path, theme):
    view, release = held(f"{app_url}/{path}", theme=theme)
    view.page.wait_for_selector(".plot .annotation-text")
    view.page.evaluate("() => { document.querySelector('.plot').early = true; }")
    before, said = view.page.evaluate(PICTURES), view.page.locator("#welcome h3").text_content()
    release()
    after = view.page.evaluate(PICTURES)
    assert before["count"] == after["count"] == 1
    view.page.wait_for_function(IN_ITS_PLACE, arg=before["box"])
    assert view.page.evaluate("document.querySelector('[data-testid=stMain] .plot').early")  # the very same
    assert view.page.locator("h3").text_content() == said and view.complaints == view.foreign == []


def test_whoever_was_looking_closely_goes_on_there(held, app_url):
    view, release = held(app_url)
    for _ in range(3):
        view.page.get_by_role("button", name="Step (right arrow)").click()
    moment = view.page.get_by_role("slider", name="Moment").input_value()
    release()
    assert view.page.get_by_role("slider", name="Moment").input_value() == moment != "0"
    view.turn_to("Softmax")
    view.page.get_by_test_id("stTopNavLink").filter(has_text="Race").click()
    expect(view.page.get_by_role("button", name="The line of kernel code (c)")).to_be_visible()  # the race's alone
    assert view.page.get_by_role("slider", name="Moment").input_value() == moment


def test_it_does_not_cover_a_dashboard_that_never_takes_it(held, app_url):
    view, release = held(app_url)
    view.page.evaluate("delete window.tilescopeWelcome")
    release()
    view.page.wait_for_selector("#welcome", state="detached", timeout=10_000)


def test_a_chart_that_was_left_before_it_was_drawn_is_drawn_when_it_is_seen_again(held, app_url):
    view, release = held(f"{app_url}/traffic", held="**/plotly.min.js*")
    view.page.get_by_test_id("stTopNavLink").filter(has_text="Softmax").click()
    expect(view.page.locator(".player canvas")).to_be_visible(timeout=30_000)
    release()
    view.turn_to("Traffic")
    expect(view.page.locator(".plot")).to_contain_text("by array at N = 4,096,", timeout=30_000)


def test_a_race_that_was_left_before_it_was_taken_over_listens_to_no_key(held, app_url):
    view, release = held(app_url)
    view.page.evaluate("() => { window.left = window.tilescopeWelcome.race.player; history.replaceState(null, '', '/softmax'); }")
    release()
    view.page.wait_for_selector("#welcome", state="detached")
    view.page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }))")
    assert view.page.evaluate("window.left.moment.seconds") == 0


def test_a_browser_that_keeps_nothing_sees_the_page_all_the_same(browser, app_url):
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied'); } })")
    view = Viewer(context).open(app_url)
    view.page.wait_for_selector("#welcome", state="detached")
    expect(view.page.locator(".player canvas")).to_be_visible()
    context.close()


def test_what_fails_at_first_is_not_in_the_way(browser, app_url):
    context = browser.new_context()
    context.add_init_script("window.matchMedia = undefined")  # as in a browser that lacks something
    view = Viewer(context)
    view.page.goto(app_url, wait_until="commit")
    view.page.wait_for_function("document.readyState !== 'loading'")
    assert view.complaints and view.page.locator("#welcome").count() == 0
    context.close()
