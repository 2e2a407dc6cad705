"""Slides: what really is in the files. `browser` is asked for so that there is one."""
import re

import pytest
from example_runs import DEFAULT
from test_charts import draw_traffic

from app import export
from app.charts.look import slide_look

LABELS = ("65× fewer compulsory HBM bytes", "naive, requested", "fused, compulsory", "4.36 GB", "67.1 MB", "S and P outgrow 141 GB")


@pytest.fixture(scope="module")
def svg(browser):
    return export.image(draw_traffic(DEFAULT, slide_look("light")), "svg").decode()


def test_svg_holds_every_label_as_text(svg):
    assert [label for label in LABELS if label not in svg] == []


def test_no_text_of_a_slide_is_small(svg):
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)]
    assert len(sizes) > 20 and min(sizes) >= 24


def test_png_is_a_slide_at_three_times_its_size(browser):
    png = export.image(draw_traffic(DEFAULT, slide_look("dark")), "png")
    assert [int.from_bytes(png[at:at + 4], "big") for at in (16, 20)] == [3 * 1280, 3 * 720]


def test_file_names():
    assert export.file_name("traffic", DEFAULT, "svg") == "tilescope_traffic_N4096_d64_float32.svg"


def test_the_reason_without_a_browser(monkeypatch):
    monkeypatch.setattr(export.Chromium, "find_browser", lambda **_: None)
    assert "none was found" in export.why_no_images()
