"""The model's times beside the recorded ones on the Time chart: error, what binds, and the assumption that fails."""
import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, recording
from test_charts import texts
from test_charts_labels import drawn
from viewer import collisions

from app import modelled, recordings, records
from app.charts.look import page_look, slide_look
from app.charts.time import time
from app.charts.time_model import signed
from numba_kernels import saved
from traffic_model.times import ASSUMPTIONS, predicted_times

SHIPPED = [(file.header, records.shipped(file.header, file.runs + file.out_of_memory)) for file in saved.recorded()]


def model_of(files, settings=DEFAULT):
    shown = recordings.nearest(files, settings)
    return shown, modelled.modelled(shown, records.timed(shown.runs))


def draw(n, look):
    shown, model = model_of(SHIPPED, DEFAULT.at(n))
    return go.Figure(time(records.timed(shown.runs), records.out_of_memory(shown.too_large), recordings.unfused_floor(shown),
                shown.header["copy_gb_per_s"], n, look, DEFAULT.conditions, model))


def test_the_error_is_that_of_the_sum_over_kernels():
    _, model = model_of([recording(DEFAULT, [1024, 4096])])
    naive = next(r for r in model if (r["algorithm"], r["n"]) == ("naive", 4096))
    kernels = predicted_times("naive", DEFAULT.problem, DEFAULT.tiling, DEFAULT.gpu)
    assert naive["ms"] == sum(kernel.ms for kernel in kernels) and naive["timed_ms"] == 6
    assert naive["error"] == naive["ms"] / 6 - 1 and naive["binds"] == "scores: L1"
    assert naive["fails"] == f"L1: {ASSUMPTIONS['L1']}"  # far more than 6 ms, a made-up time


def test_what_was_recorded_bears_the_model_out_but_for_short_sequences():
    _, model = model_of(SHIPPED)
    assert {r["n"] for r in model if r["fails"]} <= {256, 512} and {r["algorithm"] for r in model} == {"naive", "tiled", "fused"}
    said = modelled.failing(model)
    assert "off by more than 25 % for tiled at N = 256 and 512" in said and "fewer than four warps per scheduler" in said
    assert modelled.failing([r for r in model if r["n"] > 1024]) == ""


def test_the_chart_names_the_errors_at_the_current_length():
    figure = draw(4096, page_look("light"))
    assert "<b>model</b>, dotted, at N = 4,096" in texts(figure)
    assert "<b>model</b>" not in texts(go.Figure(time(*_without_model(), page_look("light"), "")))


def _without_model():
    shown = recordings.nearest(SHIPPED, DEFAULT)
    return records.timed(shown.runs), [], {}, None, 4096


@pytest.mark.parametrize(("share", "words"), [(-.083, "−8 %"), (.312, "+31 %"), (.002, "0 %")])
def test_signs(share, words):
    assert signed(share) == words


@pytest.mark.parametrize("look", [page_look("dark"), slide_look("dark")], ids=["page", "slide"])
@pytest.mark.parametrize("n", [128, 4096, 131072])
def test_labels_do_not_collide(blank, n, look):
    assert collisions(drawn(blank, draw(n, look), look)) == []
