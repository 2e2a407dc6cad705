"""From a page to a slide in a few clicks, the guided path, present mode and links, in a real browser."""
import re
import time

import pytest
from PIL import Image
from playwright.sync_api import expect
from served_app import served, settle
from viewer import CHART, Viewer

SLIDERS = "[data-testid=stSidebar] [data-testid=stSlider]"
HEADING = "[data-testid=stHeading] h3"


@pytest.fixture
def viewer(context):
    view = Viewer(context)
    yield view
    view.page.close()


@pytest.fixture(scope="module")
def url_without_chrome(browser):
    with served("tests/app_without_chrome.py") as address:
        yield address


class Clicks:
    """A hand that counts."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def at(self, locator, share=.5):
        """share: from the left edge to the right one; near the lower edge, where a slider's track is."""
        box = locator.bounding_box()
        self.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] - 12)
        self.count += 1


def test_a_new_user_makes_a_slide_in_five_clicks(viewer, app_url):
    page = viewer.open(app_url).page
    began, hand = time.monotonic(), Clicks(page)
    hand.at(page.locator(SLIDERS).nth(0), .75)
    page.wait_for_url("**/?n=*")
    hand.at(page.locator(SLIDERS).nth(1), .75)
    page.wait_for_url("**br=128*")
    hand.at(page.get_by_test_id("stTopNavLink").filter(has_text="Traffic"))
    page.wait_for_url("**/traffic*")
    settle(page)
    hand.at(page.get_by_role("button", name="Make a slide"))
    page.wait_for_url("**/slides*")
    settle(page)
    with page.expect_download(timeout=60_000) as download:
        hand.at(page.get_by_role("button", name="SVG"))
    svg, n = download.value.path().read_text(), int(re.search(r"[?&]n=(\d+)", page.url)[1])
    print(f"{hand.count} clicks, {time.monotonic() - began:.1f} s")
    assert hand.count <= 5 and n != 4096
    texts = " ".join(re.sub("<[^>]*>", " ", text) for text in re.findall(r"<text.*?</text>", svg))
    assert texts.count(f"N = {n:,}") >= 3 and "128×64 tiles" in texts  # title, caption, bars
    assert download.value.suggested_filename == f"tilescope_traffic_N{n}_d64_float16.svg"
    assert viewer.complaints == [] and viewer.foreign == []


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_without_chrome_on_the_server_the_viewers_browser_draws(viewer, url_without_chrome, kind, tmp_path):
    page = viewer.open(f"{url_without_chrome}/slides?figure=time&n=2048&shape=4:3").page
    with page.expect_download(timeout=60_000) as download:
        page.get_by_role("button", name=kind, exact=True).click()
    assert download.value.suggested_filename == f"tilescope_time_N2048_d64_float16.{kind.lower()}"
    made = download.value.path()
    if kind == "SVG":
        assert "At N = 2,048 tiling" in made.read_text() and 'width="1200" height="900"' in made.read_text()
    else:
        picture = Image.open(made)
        assert picture.size == (3600, 2700) and len(picture.convert("RGB").getcolors(2**24)) > 50
    assert page.get_by_role("button", name="PDF").is_disabled()
    for other in ("HTML", "CSV", "JSON"):
        assert page.get_by_role("button", name=other).is_enabled()
    assert viewer.complaints == []


def test_a_title_is_hidden_and_presented_by_key(viewer, app_url):
    page = viewer.open(f"{app_url}/traffic").page
    heading, claim = page.locator(HEADING).first, page.locator(HEADING).first.inner_text()
    page.keyboard.press("h")
    page.wait_for_url("**/traffic?hide=true")
    expect(heading).to_have_text("What do you expect?")
    page.keyboard.press("h")
    page.wait_for_url(f"{app_url}/traffic")
    expect(heading).to_have_text(claim)
    for _ in range(3):  # before the server has answered
        page.keyboard.press("h")
    page.wait_for_url("**/traffic?hide=true")
    expect(heading).to_have_text("What do you expect?")
    page.keyboard.press("h")
    expect(heading).to_have_text(claim)
    page.locator(".st-key-hide label").click()
    expect(heading).to_have_text("What do you expect?")
    page.keyboard.press("h")  # the toggle has the focus
    expect(heading).to_have_text(claim)
    page.keyboard.press("f")
    page.wait_for_url("**/traffic?present=1")
    page.wait_for_selector(".st-key-present .main-svg")
    page.wait_for_function("chart => document.querySelector(chart)._fullLayout.width == 1280", arg=f".st-key-present {CHART}")
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    for key, place in (("PageDown", "time?present=1"), ("PageUp", "traffic?present=1")):
        page.keyboard.press(key)
        page.wait_for_url(f"**/{place}")
        settle(page)
    page.keyboard.press(".")
    expect(page.locator("#present-blank")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_url(f"{app_url}/traffic")
    page.wait_for_selector(HEADING)
    expect(page.locator("#present-blank")).to_have_count(0)
    assert viewer.complaints == []


def test_the_guided_path_asks_before_it_answers(viewer, app_url):
    page = viewer.open(f"{app_url}/traffic?step=3").page
    banner = page.locator(".st-key-guide_step")
    expect(banner).to_contain_text("3 of 5")
    assert "requested bytes as N to the" not in banner.inner_text()
    expect(page.locator(HEADING).first).to_have_text("What do you expect?")
    page.get_by_role("button", name="Answer").click()
    expect(banner).to_contain_text("requested bytes as N to the")
    expect(page.locator(HEADING).first).to_have_text(re.compile("^65× fewer"))
    page.get_by_role("link", name="Next").click()
    page.wait_for_url("**/time?step=4")
    settle(page)
    page.go_back()
    page.wait_for_url("**/traffic?step=3")
    expect(banner).to_contain_text("3 of 5")
    assert viewer.complaints == []


@pytest.mark.parametrize(("link", "answer"), [("?step=1", "Same attention: naive must move 136 MB"), ("softmax?step=2", "A larger score")])
def test_a_player_keeps_the_answer_back_until_it_is_asked_for(viewer, app_url, link, answer):
    page = viewer.open(f"{app_url}/{link}").page
    picture = page.locator(".player canvas")
    expect(picture).to_have_attribute("aria-label", re.compile("^What do you expect"))
    assert not re.search("136 MB|α", picture.get_attribute("aria-label"))
    page.get_by_role("button", name="Answer").click()
    expect(picture).to_have_attribute("aria-label", re.compile(f"^{answer}"))
    assert viewer.complaints == []


def test_a_switch_survives_a_change_of_page_and_a_bad_link_gives_a_notice(viewer, app_url):
    page = viewer.open(f"{app_url}/roofline?unit=nonsense&n=4097").page
    for told in ("Sequence length N = '4097'", "Roof of = 'nonsense'"):
        expect(page.get_by_test_id("stToast")).to_contain_text(told)
    page.get_by_test_id("stMain").get_by_text("CUDA cores", exact=True).first.click()
    page.wait_for_url("**/roofline?unit=CUDA+cores")
    viewer.turn_to("Time")
    viewer.turn_to("Roofline")
    page.wait_for_url("**/roofline?unit=CUDA+cores")
    expect(page.locator(HEADING).first).to_have_text(re.compile("^On CUDA cores"))
    assert viewer.complaints == []
