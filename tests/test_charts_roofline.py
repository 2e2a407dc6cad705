"""Roofline: titles, what the points are made of, formulas, and labels at the extremes."""
import math
import re
from dataclasses import replace
from statistics import median

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, ODD, recording
from test_charts import texts
from test_charts_labels import EXTREMES, drawn
from viewer import collisions

from app import records, rooflines
from app.charts.claims import roof_reached, roofline_claim
from app.charts.figure import Chart
from app.charts.look import PALETTES, Template, page_look, slide_look
from app.charts.placing import LINE, Placer
from app.charts.roofline import NEARBY, claim, roofline
from app.formulas_roofline import roofline_formulas
from app.records import TENSOR_CORE
from app.rooflines import CUDA_CORES, TENSOR_CORES
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Tiling, find_gpu, predict
from traffic_model.roofline import AT, LEFT, RIGHT

HALF = Settings(AttentionProblem(4096, 64, 16, dtype="float16"), Tiling(), DEFAULT.gpu)
LARGE = Settings(AttentionProblem(4096, 128, 16, mask="causal", dtype="bfloat16"), Tiling(), DEFAULT.gpu)
RECORDINGS = [(file.header, records.shipped(file.header, file.runs + file.out_of_memory)) for file in saved.recorded()]


def draw(settings, unit=CUDA_CORES, look=None, recordings=()):
    under, cuda_cores = rooflines.roofs(settings, unit), rooflines.roofs(settings, CUDA_CORES)
    ideal, here = (rooflines.intensities(settings, under, lengths) for lengths in (rooflines.LENGTHS, [settings.n]))
    return go.Figure(roofline(ideal, here, rooflines.achieved(settings, recordings, unit), under, cuda_cores,
                              rooflines.requested_intensity(settings), look or page_look("light"), settings.conditions))


@pytest.mark.parametrize(("unfused", "fused", "title"), [
    (LEFT, RIGHT, "On tensor cores unfused attention is memory-bound, fused is not"),
    (LEFT, LEFT, "On tensor cores unfused and fused attention are both memory-bound"),
    (LEFT, AT, "On tensor cores unfused is memory-bound, fused at the ridge"),
    (AT, RIGHT, "On tensor cores unfused is at the ridge, fused compute-bound"),
])
def test_title_on_tensor_cores(unfused, fused, title):
    assert roofline_claim("tensor cores", dict(unfused=unfused, fused=fused)) == title


@pytest.mark.parametrize(("share", "roof", "n", "reached"), [
    (.598, "tensor cores", 8, "at 60 % of their roof"), (.949, "tensor cores", 8, "at 95 % of their roof"),
    (.951, "tensor cores", 8, "at their roof"), (1.049, "tensor cores", 8, "at their roof"), (.098, "DRAM", 8, "at 9.8 % of DRAM's roof"),
    (1.051, "DRAM", 8, "at 1.05× DRAM's roof"), (.6, "tensor cores", 4096, "at 60 % of their roof at N = 4,096")])
def test_how_near_fused_comes_to_its_roof(share, roof, n, reached):
    assert roof_reached(dict(share=share, roof=roof, n=n), 8) == reached


@pytest.mark.parametrize(("unfused", "fused", "title"), [
    (LEFT, RIGHT, "On tensor cores unfused is memory-bound, tensor-core fused at their roof"),
    (LEFT, LEFT, "On tensor cores unfused and fused attention are both memory-bound, tensor-core fused at their roof"),
    (LEFT, AT, "On tensor cores unfused is memory-bound, fused at the ridge, tensor-core fused at their roof"),
    (AT, RIGHT, "On tensor cores unfused is at the ridge, fused compute-bound, tensor-core fused at their roof")])
def test_title_where_fused_was_timed_on_tensor_cores(unfused, fused, title):
    assert roofline_claim("tensor cores", dict(unfused=unfused, fused=fused), "at their roof") == title


@pytest.mark.parametrize(("scores", "fused", "title"), [
    (RIGHT, RIGHT, "On CUDA cores softmax is left of the ridge, products and fused right"),
    (LEFT, RIGHT, "On CUDA cores softmax and products are left of the ridge, fused right"),
    (AT, RIGHT, "On CUDA cores softmax is left of the ridge, products at it, fused right"),
    (LEFT, LEFT, "On CUDA cores every kernel is left of the ridge"),
])
def test_title_on_cuda_cores(scores, fused, title):
    assert roofline_claim("CUDA cores", dict(softmax=LEFT, scores=scores, output=scores, fused=fused)) == title


def test_it_opens_memory_bound_and_reverses_on_short_sequences():
    under = rooflines.roofs(HALF, TENSOR_CORES)
    opening, short = (claim(rooflines.intensities(HALF, under, [n]), [], under) for n in (4096, 128))
    assert opening == "On tensor cores unfused attention is memory-bound, fused is not"
    assert short == "On tensor cores unfused and fused attention are both memory-bound"
    assert all(words in texts(draw(HALF, TENSOR_CORES)) for words in ("<b>unfused</b> 31.5 FLOP/B", "ridge: 185 FLOP/B", "2·Br/e"))


def test_achieved_is_timed_where_it_was_recorded_and_else_predicted():
    timed = rooflines.achieved(DEFAULT, [recording(DEFAULT, [1024, 4096])], CUDA_CORES)
    whole = {(r["algorithm"], r["n"]): r for r in timed if r["kernel"] == r["algorithm"]}
    assert whole["fused", 4096]["kind"] == "timed" and whole["fused", 4096]["ms"] == 2 and whole["naive", 4096]["ms"] == 6
    assert whole["fused", 4096]["tflops"] == pytest.approx(DEFAULT.problem.flops / 2e9)
    assert whole["tiled", 4096]["kind"] == "predicted" and whole["tiled", 4096]["binds"]  # the recording has none
    on_t4 = Settings(DEFAULT.problem, DEFAULT.tiling, find_gpu("T4"))
    elsewhere = rooflines.achieved(on_t4, [recording(DEFAULT, [1024, 4096])], CUDA_CORES)
    assert {r["kind"] for r in elsewhere} == {"predicted"}
    assert max(r["n"] for r in elsewhere if r["algorithm"] == "naive") < max(r["n"] for r in elsewhere)  # S and P outgrow 16 GB
    assert "predicted and timed" in texts(draw(DEFAULT, recordings=[recording(DEFAULT, [1024])]))


def test_no_timed_kernel_is_above_its_roofs():
    for mask in ("full", "causal"):
        for dtype in ("float32", "float16", "bfloat16"):
            settings = Settings(AttentionProblem(4096, 64, 16, mask=mask, dtype=dtype), Tiling(), DEFAULT.gpu)
            unit = TENSOR_CORES if rooflines.has_tensor_cores(settings) else CUDA_CORES
            timed = [r for r in rooflines.achieved(settings, RECORDINGS, unit) if r["kind"] == "timed"]
            assert len(timed) > 50 and any(r["algorithm"] == TENSOR_CORE for r in timed) == (unit == TENSOR_CORES)
            peaks = {r["algorithm"]: rooflines.roofs(settings, unit if r["algorithm"] == TENSOR_CORE else CUDA_CORES).peak for r in timed}
            assert all(r["tflops"] < peaks[r["algorithm"]].value for r in timed)
            assert all(r["share"] is None if r["kernel"] == "softmax" else 0 < r["share"] < 1 for r in timed)


@pytest.mark.parametrize("settings", [HALF, LARGE], ids=["d 64", "d 128"])
def test_the_kernel_on_tensor_cores_stands_where_it_was_timed(settings):
    """Every recorded length, whatever the sidebar's tiling; bytes and FLOP are those of the tiling that it chose, by its own prediction."""
    settings = replace(settings, tiling=Tiling(32, 16))
    found = [r for r in rooflines.achieved(settings, RECORDINGS, TENSOR_CORES) if r["algorithm"] == TENSOR_CORE]
    runs = {run["problem"]["seq_len"]: run for _, every in RECORDINGS for run in every
            if run["algorithm"] == TENSOR_CORE and run["problem"] == settings.at(run["problem"]["seq_len"]).problem.record()}
    assert [r["n"] for r in found] == sorted(runs) and len(found) > 5
    roofs = rooflines.roofs(settings, TENSOR_CORES)
    for r in found:
        run = runs[r["n"]]
        own = predict(TENSOR_CORE, AttentionProblem(**run["problem"]), Tiling(r["block_q"], r["block_k"]), settings.gpu)
        assert own.tiling.record() == run["tiling"]
        assert (r["kernel"], r["bytes"], r["flops"], r["ms"]) == (TENSOR_CORE, own.compulsory_bytes, run["flops"],
                                                                 median(run["kernels"][0]["times_ms"]))
        lower = min(roofs.compute.value, r["intensity"] * roofs.dram.value / 1000)
        assert r["share"] == pytest.approx(r["flops"] / r["ms"] / 1e9 / lower)
        assert r["roof"] == ("DRAM" if lower < roofs.compute.value else "tensor cores")


def test_the_kernel_on_tensor_cores_is_drawn_under_their_roof_alone():
    tensor = PALETTES["light"]["tensor"]
    marked = lambda figure: [len(trace.x) for trace in figure.data if trace.mode == "markers" and trace.marker.color == tensor]
    shown = draw(HALF, TENSOR_CORES, recordings=RECORDINGS)
    assert marked(shown) == [9] and "<b>tensor-core fused</b> 473" in texts(shown) and "timed on both units at N = 4K" in texts(shown)
    others = replace(HALF, problem=replace(HALF.problem, head_dim=80)), replace(HALF, gpu=find_gpu("B200 SXM"))
    for figure in (draw(HALF, recordings=RECORDINGS), *(draw(settings, TENSOR_CORES, recordings=RECORDINGS) for settings in others)):
        assert marked(figure) == [] and "both units" not in texts(figure)
    assert "at N = 16K to 64K" in texts(draw(HALF.at(131072), TENSOR_CORES, recordings=RECORDINGS))  # naive's last, fused's last


def test_which_unit_takes_which_storage():
    take = lambda dtype, gpu: rooflines.has_tensor_cores(Settings(AttentionProblem(64, dtype=dtype), Tiling(), find_gpu(gpu)))
    assert take("float16", "T4") and not take("bfloat16", "T4") and take("bfloat16", "H200 SXM") and not take("float32", "H200 SXM")


@pytest.mark.parametrize(("settings", "unit"), [(HALF, TENSOR_CORES), (HALF.at(256), TENSOR_CORES), (HALF, CUDA_CORES), (ODD, CUDA_CORES),
                                                (DEFAULT.at(1000), CUDA_CORES)], ids=["half", "short", "CUDA cores", "odd", "ragged"])
def test_formulas_evaluate_to_the_number_beside_them(settings, unit):
    under = rooflines.roofs(settings, unit)
    achieved = rooflines.achieved(settings, RECORDINGS, unit)
    fused, tensor = [r for r in achieved if r["algorithm"] == "fused"][-1], rooflines.on_tensor_cores(achieved, settings.n)
    formulas = roofline_formulas(settings, under, rooflines.intensities(settings, under, [settings.n]), fused, tensor)
    assert len(formulas) == 5 + bool(under.l2) + 2 * (unit == TENSOR_CORES)
    for formula in formulas:  # times and rates are written to six digits
        assert eval(formula.numbers.replace("·", "*").replace("²", "**2").replace("÷", "/")) == pytest.approx(formula.value, rel=1e-5)


def test_axes_stand_still_while_n_moves():
    small, large = draw(HALF.at(128), TENSOR_CORES), draw(HALF.at(131072), TENSOR_CORES)
    assert all(small.layout[axis].range == large.layout[axis].range for axis in ("xaxis", "yaxis"))


@pytest.mark.parametrize("look", [page_look("light"), slide_look("dark")], ids=["page", "slide"])
@pytest.mark.parametrize("settings", [*map(HALF.at, (128, 256, 1024, 4096, 131072)), *map(LARGE.at, (256, 1536, 16384)), DEFAULT, ODD,
                                      *EXTREMES], ids=lambda s: f"{s.n} {s.conditions} {s.gpu.name}")
def test_labels_do_not_collide(blank, settings, look):
    for unit in (CUDA_CORES, TENSOR_CORES)[:1 + rooflines.has_tensor_cores(settings)]:
        boxes = drawn(blank, draw(settings, unit, look, RECORDINGS), look)
        assert collisions(boxes) == [] and "← softmax: 0 FLOP/B" in {box["text"] for box in boxes}


@pytest.mark.parametrize(("settings", "look", "named"), [
    (HALF, page_look("light"), 4), (LARGE.at(256), page_look("light"), 2), (HALF.at(512), Template(text=28).look, 0)],
    ids=["page", "short", "slide"])
def test_a_kernels_name_stands_at_its_point_or_not_at_all(settings, look, named):
    notes = [note for note in draw(settings, TENSOR_CORES, look, RECORDINGS).layout.annotations if re.search("output|scores", note.text)]
    assert len(re.findall("output|scores", str([note.text for note in notes]))) == named
    assert all(max(abs(note.xshift), abs(note.yshift)) < (NEARBY + LINE) * look.text for note in notes)


def test_a_label_avoids_what_is_drawn():
    chart = Chart(page_look("light"), "", "", "", "", "")
    for name in "xy":
        chart.log_axis(name, 1, 1e4, {})
    free, crowded = Placer(chart), Placer(chart)
    crowded.line({100: 100, 1e4: 100})  # to the right of the point
    for placer in (free, crowded):
        placer.label([(100, 100)], "label", "muted")
    right, elsewhere = chart.notes[-2:]
    assert right["xshift"] > 0 == right["yshift"] and elsewhere["yshift"] != 0 and math.isfinite(elsewhere["xshift"])
