"""Titles and charts, without a browser and without Streamlit."""
import math
import re
from functools import cache

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, recording, run_record

from app import dram, recordings, records
from app.charts.claims import time_claim, traffic_claim
from app.charts.colours import contrast
from app.charts.look import PALETTES, page_look, slide_look
from app.charts.time import time
from app.charts.traffic import fitted_slope, traffic
from app.settings import Settings
from traffic_model import AttentionProblem, Measure, Space, predict


@cache
def crossing(settings):
    return dram.modelled(settings, records.LENGTHS)


def draw_traffic(settings, look=None, counted=()):
    drawn = crossing(settings.at(1))
    return go.Figure(traffic(records.predicted(settings, records.LENGTHS), records.predicted(settings, [settings.n]), list(counted),
                   records.memory_edge(settings), drawn, dram.leaves_l2(drawn), look or page_look("light"), settings.conditions))


def texts(figure) -> str:
    return "\n".join(note.text for note in figure.layout.annotations)


def test_slope_is_the_exponent():
    assert fitted_slope({n: 3 * n**2 for n in records.LENGTHS}) == pytest.approx(2)
    assert fitted_slope({n: 5 * n for n in records.LENGTHS}) == pytest.approx(1)


@pytest.mark.parametrize(("three", "fused", "asked", "claim"), [
    (650, 10, 325, "65× fewer compulsory HBM bytes at N = 8, yet requested bytes grow as N²"),
    (650, 10, 640, "At N = 8 fused requests as many bytes as three ideal kernels must move"),
    (100, 10, 200, "At N = 8 fused requests 2.00× the bytes that three ideal kernels must move"),
    (102, 100, 100, "At N = 8 fusing saves no compulsory HBM bytes"),
    (50, 100, 100, "At N = 8 fused must move 2.00× the HBM bytes of three kernels"),
])
def test_traffic_title_wins_ties_and_loses(three, fused, asked, claim):
    totals = {("naive", "compulsory"): three, ("fused", "compulsory"): fused, ("fused", "requested"): asked}
    assert traffic_claim({(*key, "predicted"): {8: value} for key, value in totals.items()}, 8) == claim


@pytest.mark.parametrize(("naive", "fused", "floor", "claim"), [
    (95, 4.8, {8: 1}, "At N = 8 naive takes 95× and fused takes 4.80× the unfused floor"),
    (95, 1.02, {8: 1}, "At N = 8 naive takes 95× and fused is level with the unfused floor"),
    (95, .5, {8: 1}, "At N = 8 naive takes 95× and fused is 2.00× under the unfused floor"),
    (95, 4.8, {}, "At N = 8 naive takes 95.0 ms and fused takes 4.80 ms"),
])
def test_time_title_wins_ties_and_loses(naive, fused, floor, claim):
    assert time_claim({"naive": {8: naive}, "fused": {8: fused}}, floor, 8) == claim


def test_traffic_axes_stand_still_while_n_moves_and_the_bars_follow():
    small, large = draw_traffic(DEFAULT.at(128)), draw_traffic(DEFAULT.at(131072))
    for axis in ("xaxis", "yaxis"):
        assert small.layout[axis].range == large.layout[axis].range
    assert "by array at N = 128," in texts(small) and "by array at N = 131,072," in texts(large)


def test_traffic_marks_counted_cells_and_names_their_source():
    _, runs = recording(DEFAULT, [1024, 2048])
    figure = draw_traffic(DEFAULT, counted=records.counted(runs))
    [naive, fused] = [t for t in figure.data if t.mode == "markers" and tuple(t.x) == (1024, 2048)]
    assert (naive.marker.symbol, fused.marker.symbol) == ("circle", "square")
    asked = lambda n: predict("fused", DEFAULT.at(n).problem, DEFAULT.tiling, DEFAULT.gpu).ledger.total(Measure.REQUESTED, space=Space.HBM)
    assert tuple(fused.y) == (asked(1024), asked(2048))
    assert "recorded on NVIDIA H200, 29 Nov 2026" in texts(figure)
    assert "nothing counted yet" in texts(draw_traffic(DEFAULT))


@pytest.mark.parametrize("look", [page_look("light"), slide_look("dark")], ids=["page", "slide"])
def test_figures_are_what_plotly_takes(look):
    """Pages skip Plotly's own validation to repaint sooner; go.Figure makes up for it in these tests."""
    shown = recordings.nearest([recording(DEFAULT, [1024, 4096])], DEFAULT)
    assert draw_traffic(DEFAULT, look, records.counted(shown.runs)).data
    described = time(records.timed(shown.runs), [], recordings.unfused_floor(shown), 4000.0, 4096, look, "")
    assert go.Figure(described).data
    with pytest.raises(ValueError):
        go.Figure(described | dict(layout=dict(annotations=[dict(text=1, place=2)])))


def test_naive_is_faint_beyond_the_memory():
    edge, _ = records.memory_edge(DEFAULT)
    faint = [t for t in draw_traffic(DEFAULT).data if t.mode == "lines" and t.opacity < 1]
    assert len(faint) == 2 and all(min(t.x) == edge and t.line.color == PALETTES["light"]["naive"] for t in faint)


def test_time_chart_has_whiskers_labels_and_no_ratio_of_naive_to_fused():
    shown = recordings.nearest([recording(DEFAULT, [1024, 4096])], DEFAULT)
    figure = go.Figure(time(records.timed(shown.runs), [], recordings.unfused_floor(shown), 4000.0, 4096, slide_look("dark"), ""))
    timed = [trace for trace in figure.data if trace.error_y.array is not None]
    assert len(timed) == 2 and all(max(trace.error_y.array) > 0 for trace in timed)
    assert all(name in texts(figure) for name in ("<b>naive</b>", "<b>fused</b>", "<b>unfused floor</b>", "4 TB/s"))
    assert not re.search(r"×(?! the unfused floor| and fused| under)", texts(figure).replace("<br>", " "))


def test_every_length_that_ran_out_of_memory_has_a_cross():
    header, runs = recording(DEFAULT, [1024, 4096])
    failed = [run_record(DEFAULT.at(n), "naive") | dict(out_of_memory=True, needed_bytes=n**2 * 128) for n in (32768, 65536)]
    shown = recordings.nearest([(header, runs + records.shipped(header, failed))], DEFAULT)
    too_large = records.out_of_memory(shown.too_large)
    assert [(r["n"], r["needed_bytes"]) for r in too_large] == [(32768, 2**37), (65536, 2**39)] and len(shown.runs) == 4
    figure = go.Figure(time(records.timed(shown.runs), too_large, {}, 4000.0, 4096, page_look("light"), ""))
    [crosses] = [trace for trace in figure.data if trace.marker.symbol == "x"]
    assert tuple(crosses.x) == (32768, 65536) and "needs 137 GB" in crosses.hovertext[0]
    assert figure.layout.xaxis.range[1] > math.log10(65536) and "<b>naive</b> out of memory" in texts(figure)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(theme):
    palette = PALETTES[theme]
    for ground in (palette["ground"], palette["panel"]):
        for role in ("ink", "muted", "naive", "fused", "model"):
            assert contrast(palette["text"].get(role) or palette[role], ground) >= 4.5, (role, ground)
    for role, letter in palette["on"].items():
        assert contrast(letter, palette[role]) >= 4.5


@pytest.mark.parametrize("batch", [1, 64])
def test_traffic_is_drawn_however_many_the_bytes(batch):
    problem = AttentionProblem(4096, head_dim=256, heads=128, batch=batch)
    assert "EB" in str(draw_traffic(Settings(problem, DEFAULT.tiling, DEFAULT.gpu)).layout.yaxis.ticktext) or batch == 1
