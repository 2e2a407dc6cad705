"""python -m app export: the same files without a tab, and one sentence for what it cannot do."""
import json

import pytest
from test_command_lines import call

from app import __main__ as command
from app import export, slides
from app.charts.look import Template
from app.figures import FIGURES, Sources
from app.records import recording
from app.settings import OPENING
from numba_kernels import saved

SMALL = ["--seq-len", "512", "--heads", "2", "--dtype", "float32"]


def test_it_writes_what_the_slides_page_offers(tmp_path, capsys):
    assert command.main(["export", "--page", "traffic,tiles", "--format", "csv,json", "--out", str(tmp_path)]) == 0
    written = [line for line in capsys.readouterr().out.splitlines()]
    assert len(written) == 9 and sorted(path.name for path in tmp_path.iterdir()) == sorted(line.rpartition("/")[2] for line in written)
    sources = Sources([recording(file) for file in saved.recorded()])
    for name in ("traffic", "tiles-bytes", "tiles-time", "tiles-occupancy"):
        figure = FIGURES[name](OPENING, sources)
        for file, content in slides.files(figure, Template(), ("csv", "json")).items():
            assert (tmp_path / file).read_bytes() == content
        assert figure.title in (tmp_path / "SETTINGS.md").read_text(encoding="utf-8")


def test_it_draws_in_the_chosen_template(tmp_path, browser):
    options = ["--ground", "dark", "--shape", "square", "--text", "28", "--no-title", *SMALL]
    assert command.main(["export", "--page", "roofline", "--format", "svg", "--out", str(tmp_path), *options]) == 0
    [made] = tmp_path.glob("*.svg")  # float32 has no tensor cores: both rooflines are one
    text = made.read_text(encoding="utf-8")
    assert made.name == "tilescope_roofline-cuda-cores_N512_d64_float32.svg" and 'width="1200" height="1200"' in text
    assert "N = 512 · 2 heads" in text and text.count("On CUDA cores") == 3  # as title, metadata and note, not drawn


def test_what_was_not_timed_is_said_before_the_nearest_is_drawn(tmp_path, capsys):
    nearest = "time: Not timed: 16 heads · d = 17 · float16 · full · 64×64 tiles on H200 SXM. Shown is what comes nearest"
    for d, said in ((17, nearest), (64, "")):
        assert command.main(["export", "--page", "time", "--format", "csv", "--head-dim", str(d), "--out", str(tmp_path)]) == 0
        told = capsys.readouterr().err
        assert told.startswith(said) and bool(told) == bool(said)


def test_the_race_is_one_html_file(tmp_path):
    assert command.main(["export", "--page", "race", "--format", "html", "--out", str(tmp_path), *SMALL]) == 0
    [made] = tmp_path.iterdir()
    assert made.name == "tilescope_race_N512_d64_float32.html" and "tilescopePlayer" in made.read_text(encoding="utf-8")


def test_runs_of_ones_own_are_drawn(tmp_path):
    own = tmp_path / "own.jsonl"
    header, run = (json.loads(line) for line in (saved.RECORDED / "h200_float16.jsonl").read_text().splitlines()[:2])
    own.write_text("\n".join(map(json.dumps, (header | dict(date="2031-01-02"), run))) + "\n")
    arguments = ["export", "--format", "json", "--out", str(tmp_path / "out"), "--runs", str(own)]
    assert command.main(arguments) == 0
    [made] = (tmp_path / "out").glob("*.json")
    assert "recorded on NVIDIA H200, 2 Jan 2031" in json.loads(made.read_text())["about"]["provenance"]


@pytest.mark.parametrize(("options", "sentence"), [
    (["--page", "traffik"], "Page traffik is not known; choose traffic,"),
    (["--format", "gif"], "Gif is made by the Race page's own button; choose svg,"),
    (["--format", "bmp"], "Format bmp is not known; choose svg, png, pdf, html, csv, json."),
    (["--page", "race"], "The race is exported as html; add it to --format"),
    (["--head-dim", "512"], "the nearest is 256."),
    (["--head-dim", "256", "--block-q", "256", "--block-k", "256"], "the largest legal"),
    (["--page", "tiles", "--head-dim", "255", "--dtype", "bfloat16", "--gpu", "T4"], "the largest legal"),
    (["--runs", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
    (["--runs", "/dev/zero"], "Zero cannot be read: it is no file."),
])
def test_what_is_refused_writes_nothing(tmp_path, capsys, monkeypatch, options, sentence):
    monkeypatch.setattr(export, "why_no_images", lambda: None)
    assert command.main(["export", "--out", str(tmp_path / "out"), *options]) == 2
    said = capsys.readouterr()
    assert sentence in said.err and said.err.count("\n") == 1 and not said.out and not (tmp_path / "out").exists()


def test_without_chrome_it_says_what_needs_none(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(export.Chromium, "find_browser", lambda **_: None)
    assert command.main(["export", "--format", "csv,png", "--out", str(tmp_path)]) == 2
    assert "none was found here" in (said := capsys.readouterr().err) and said.endswith("html, csv and json need none.\n")
    assert command.main(["export", "--format", "csv", "--out", str(tmp_path)]) == 0


def test_an_option_of_no_choice_gets_one_sentence():
    done = call("app", "export", "--out", "x", "--shape", "round")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "choose from" in done.stderr
