"""A GPU of one's own may be called anything: no figure, page or archive executes the name, and every file stays well formed."""
import csv
import io
import json
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import asdict, replace

import pytest
from example_runs import DEFAULT

from app import cached, slides
from app.charts.look import Template
from app.figures import FIGURES, Sources
from app.race.film import html as race_html
from app.race.payload import payload
from app.slides import KINDS
from traffic_model.gpu_file import gpu_described

RAISES = "window.executed=true"
NAMES = {
    "markup": f"</script></title><script>{RAISES}</script><img src=x onerror='{RAISES}'><svg onload=\"{RAISES}\">",
    "link": f"<a href=\"javascript:{RAISES}\">H200</a> <b onclick={RAISES}>\"'&amp;<!--]]>",
    "long": "W" * 300,
}
DRAWN = ("traffic", "tiles-time")
EXECUTED = """() => window.executed === true
    || [...document.querySelectorAll('a')].some(link => [...link.attributes].some(each => each.value.includes('javascript:')))
    || document.querySelector('img[src=x], [onclick], [onload], [onerror]') !== null"""


@pytest.fixture(scope="module", params=NAMES.values(), ids=NAMES)
def settings(request):
    gpu = gpu_described(asdict(DEFAULT.gpu) | dict(name=request.param), "a test")
    return replace(DEFAULT, gpu=gpu, problem=replace(DEFAULT.problem, dtype="float16"))


@pytest.fixture(scope="module")
def figures(settings):
    return [FIGURES[name](settings, Sources(cached.recorded_runs())) for name in DRAWN]


def executed(browser, content: bytes) -> bool:
    """Whether a page that a browser opens does what the name says, while it is drawn."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_content(content.decode(), wait_until="load")
    page.wait_for_timeout(500)
    found = page.evaluate(EXECUTED)
    context.close()
    return found


def test_a_page_that_is_careless_is_noticed(browser):
    assert executed(browser, f"<title>{NAMES['markup']}</title>".encode()) and executed(browser, NAMES["link"].encode())


def test_a_figures_page_does_not_execute_it(browser, figures, settings):
    assert all(settings.gpu.name in figure.conditions for figure in figures)
    assert not executed(browser, slides.page(figures[0], Template()))


def test_the_races_page_does_not_execute_it(browser, settings):
    page = race_html(payload(settings.problem, settings.tiling, settings.gpu))
    assert settings.gpu.name[:9] not in page.partition("<script")[0] and not executed(browser, page.encode())


def test_an_svg_is_well_formed_and_has_no_script(figures):
    root = ElementTree.fromstring(KINDS["svg"].make(figures[0], Template()))
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "img")
        assert not [name for name, value in element.attrib.items() if name.startswith("on") or "javascript:" in value]


def test_an_archive_holds_well_formed_files_of_plain_names(figures, settings, monkeypatch):
    monkeypatch.setattr(slides.export, "why_no_images", lambda: "not here")  # images have a test of their own
    with zipfile.ZipFile(io.BytesIO(slides.bundle(figures, Template(), "state"))) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."), name
            text = archive.read(name).decode()
            if name.endswith(".json"):
                assert json.loads(text)["settings"]["gpu"]["name"] == settings.gpu.name
            elif name.endswith(".csv"):
                assert {row["gpu"] for row in csv.DictReader(io.StringIO(text))} == {settings.gpu.name}
