"""Figures by name: whatever the settings, each says what it shows, and says it of the settings."""
import re

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, ODD, recording

from app.charts.held import held_claim
from app.charts.look import Template, page_look
from app.charts.time_kernels import kernels_claim
from app.figures import FIGURES, Sources
from app.records import ALGORITHMS, held, timed_kernels
from traffic_model.capacity import fits, longest
from traffic_model.units import percent

SOURCES = Sources([recording(DEFAULT, [1024, 4096])])


@pytest.mark.parametrize("settings", [DEFAULT, ODD, DEFAULT.at(131072)], ids=lambda s: s.caption)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_it_shows(name, settings):
    figure = FIGURES[name](settings, SOURCES)
    assert figure.records and figure.provenance and figure.title == figure.title.strip()
    assert name == "proof" or f"N = {settings.n:,}" in figure.alt  # a proof is of what was validated
    assert len(re.findall(r"\.(?= |$)", figure.note)) == 2 and figure.note.startswith(figure.title)
    drawn = figure.draw(Template("dark", "4:3").look)
    said = " ".join(note.text for note in drawn.layout.annotations).replace("<br>", " ")
    assert figure.title in said and figure.conditions in said
    go.Figure(drawn.to_dict())  # raises for what Plotly does not take


def test_names_are_those_of_the_figures():
    assert [make(DEFAULT, SOURCES).name for make in FIGURES.values()] == [
        "roofline-cuda-cores" if name == "roofline-tensor-cores" else name for name in FIGURES]  # float32 has but one roof


def test_a_page_and_its_slide_draw_the_same_data():
    figure = FIGURES["traffic"](DEFAULT, SOURCES)
    page, slide = (figure.draw(look) for look in (page_look("light"), Template().look))
    assert [(trace.x, trace.y) for trace in page.data] == [(trace.x, trace.y) for trace in slide.data]


def test_held_bytes_are_what_the_gpu_must_have():
    edge = longest("naive", DEFAULT.problem, DEFAULT.gpu)
    memory = DEFAULT.gpu.dram_gb * 1e9
    assert fits("naive", DEFAULT.at(edge).problem, DEFAULT.gpu) and not fits("naive", DEFAULT.at(edge + 1).problem, DEFAULT.gpu)
    within, beyond = (held(DEFAULT, [n])[0]["bytes"] for n in (edge, edge + 1))
    assert within <= memory < beyond
    figure = FIGURES["traffic-held"](DEFAULT, SOURCES)
    assert f"<b>naive</b> fits to {edge:,}" in [note.text for note in figure.draw(page_look("light")).layout.annotations]


@pytest.mark.parametrize(("naive", "fused", "claim"), [
    (4, 2, "At N = 8 naive holds 2.00× the bytes of fused, and grows as N²"),
    (2.04, 2, "At N = 8 S and P are not what fills the memory"),
    (20, 2, "At N = 8 naive needs 2.00× the GPU's memory, fused 20 % of it"),
    (40, 20, "At N = 8 neither order fits into 10 B")])
def test_held_title_wins_ties_and_loses(naive, fused, claim):
    here = [dict(algorithm=algorithm, bytes=value) for algorithm, value in zip(ALGORITHMS, (naive, fused))]
    assert held_claim(here, 10, 8) == claim


def test_kernels_add_up_to_the_run_and_the_slowest_is_named():
    _, runs = recording(DEFAULT, [4096])
    for run in runs:
        for factor, kernel in enumerate(run["kernels"], 1):
            kernel["times_ms"] = [factor * ms for ms in kernel["times_ms"]]
    kernels = timed_kernels(runs)
    assert [(r["algorithm"], r["kernel"], r["median_ms"]) for r in kernels] == [
        ("naive", "scores", 2), ("naive", "softmax", 4), ("naive", "output", 6), ("fused", "fused", 2)]
    assert kernels_claim(kernels, 4096) == f"At N = 4,096 naive spends {percent(.5)} of its time in output"
    assert kernels_claim(kernels[-1:], 4096) == "At N = 4,096 only fused was timed"
