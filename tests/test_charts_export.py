"""Slides: what really is in the files. `browser` is asked for so that there is one."""
import csv
import html
import io
import json
import re
import zipfile

import pypdf
import pytest
from example_runs import DEFAULT
from PIL import Image

from app import export, slides
from app.charts.look import Template
from app.figures import FIGURES, Sources

LABELS = ("65× fewer compulsory HBM bytes", "naive, requested", "fused, compulsory", "4.36 GB", "67.1 MB", "S and P outgrow 141 GB")


@pytest.fixture(scope="module")
def svg(browser):
    return slides.svg(FIGURES["traffic"](DEFAULT, Sources([])), Template()).decode()


def test_svg_holds_every_label_as_text(svg):
    assert [label for label in LABELS if label not in svg] == []


def test_no_text_of_a_slide_is_small(svg):
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)]
    assert len(sizes) > 20 and min(sizes) >= 24


def test_svg_says_what_it_shows(svg):
    said = re.search("<metadata>(.*?)</metadata>", svg)[1]
    assert "<title>65× fewer compulsory HBM bytes at N = 4,096" in svg and "<desc>HBM bytes against sequence length" in svg
    assert json.loads(html.unescape(said))["conditions"] == DEFAULT.caption
    assert svg.count("N = 4,096") > 4  # in the drawing's own title and caption too


@pytest.mark.parametrize("ground", ["dark", "transparent"])
def test_png_is_a_slide_in_the_charts_own_colours(browser, ground):
    look = Template(ground, "square", 28).look
    picture = Image.open(io.BytesIO(slides.png(FIGURES["traffic"](DEFAULT, Sources([])), Template(ground, "square", 28))))
    assert picture.size == (3600, 3600)
    assert picture.text["Conditions"] == DEFAULT.caption and "predicted" in picture.text["Provenance"]
    colours = {colour for _, colour in picture.convert("RGBA").getcolors(2**24)}
    channels = lambda name: tuple(bytes.fromhex(look.palette[name][1:]))
    assert {(*channels(role), 255) for role in ("naive", "fused")} <= colours
    assert picture.convert("RGBA").getpixel((0, 0)) == ((0, 0, 0, 0) if ground == "transparent" else (*channels("ground"), 255))


def test_pdf_holds_its_texts_and_says_what_it_shows(browser):
    figure = FIGURES["tiles-bytes"](DEFAULT, Sources([]))
    reader = pypdf.PdfReader(io.BytesIO(slides.pdf(figure, Template())))
    assert reader.metadata.title == figure.title and DEFAULT.caption in reader.metadata.subject
    [page] = reader.pages
    assert "key tile" in page.extract_text() and page.mediabox.width / page.mediabox.height == pytest.approx(16 / 9, rel=.01)


def test_title_and_caption_can_be_left_out():
    figure = FIGURES["traffic"](DEFAULT, Sources([]))
    texts = lambda **choice: "".join(note.text for note in figure.draw(Template(**choice).look).layout.annotations).replace("<br>", " ")
    assert figure.title in texts() and figure.conditions in texts()
    assert figure.title not in texts(title=False) and figure.conditions in texts(title=False)
    assert figure.title in texts(caption=False) and figure.conditions not in texts(caption=False)


def test_html_json_and_csv_need_no_browser(monkeypatch):
    monkeypatch.setattr(export, "image", None)
    figure = FIGURES["traffic"](DEFAULT, Sources([]))
    made = slides.files(figure, Template(), ("html", "json", "csv"))
    page, data, table = (content.decode() for content in made.values())
    assert f"<title>{figure.title}</title>" in page and "Plotly.newPlot" in page and DEFAULT.caption in page
    data, rows = json.loads(data), list(csv.DictReader(io.StringIO(table)))
    assert data["about"]["provenance"] == figure.provenance and data["records"] == figure.records
    assert [int(row["bytes"]) for row in rows] == [record["bytes"] for record in figure.records]
    assert {(row["heads"], row["gpu"], row["kind"]) for row in rows} == {("16", "H200 SXM", kind) for kind in ("predicted", "modelled")}


def test_the_zip_without_a_browser_says_what_is_left_out(monkeypatch):
    monkeypatch.setattr(export.Chromium, "find_browser", lambda **_: None)
    figures = [FIGURES[name](DEFAULT, Sources([])) for name in ("traffic", "tiles-time")]
    with zipfile.ZipFile(io.BytesIO(slides.bundle(figures, Template(), "a link"))) as archive:
        names, said = archive.namelist(), archive.read("SETTINGS.md").decode()
        assert 'src="plotly.min.js"' in archive.read(export.file_name("traffic", DEFAULT, "html")).decode()
    assert {name.rpartition(".")[2] for name in names} == {"md", "js", "html", "csv", "json"} and len(names) == 8
    assert "none was found here" in said and all(text in said for f in figures for text in (f.title, f.note, f.alt, f.provenance))


def test_file_names():
    assert export.file_name("traffic", DEFAULT, "svg") == "tilescope_traffic_N4096_d64_float32.svg"


def test_the_reason_without_a_browser(monkeypatch):
    monkeypatch.setattr(export.Chromium, "find_browser", lambda **_: None)
    assert "none was found" in export.why_no_images()
