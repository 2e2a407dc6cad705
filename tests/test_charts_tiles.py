"""Tiles: titles that reverse, what is legal, colours that can be read on, and labels that fit."""
from itertools import product

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, ODD
from test_charts import texts
from test_charts_labels import drawn
from viewer import collisions

from app import tiles
from app.charts import tiles as chart
from app.charts.claims import tiles_bytes_claim, tiles_occupancy_claim, tiles_time_claim
from app.charts.colours import contrast, ink_on, mix
from app.charts.look import PALETTES, page_look, slide_look
from app.formulas import traffic_formulas
from app.settings import Settings
from traffic_model import AttentionProblem, Measure, Refusal, Space, Tiling, find_gpu, predict

WIDE = Settings(AttentionProblem(4096, 128, 16), Tiling(64, 64), DEFAULT.gpu)
EXTREMES = [DEFAULT, ODD, WIDE, Settings(AttentionProblem(128, 16, mask="causal"), Tiling(16, 16), find_gpu("T4")),
            Settings(AttentionProblem(131072, 256, 128, 64), Tiling(16, 16), find_gpu("B200 SXM"))]


def draw(settings, view, look=None):
    return go.Figure(chart.tiles(tiles.tiles(settings), view, settings, tiles.hiding_warps(settings), look or page_look("light"),
                                 settings.conditions))


@pytest.mark.parametrize(("ratios", "title"), [
    ({16: 2, 32: 1.0, 64: .5}, "Up to Br = 16 fused requests more than three ideal kernels move"),
    ({16: 1.02, 32: .5}, "From Br = 32 fused requests less than three ideal kernels move"),
    ({16: .9, 32: .5}, "Every legal tiling requests less than three ideal kernels move"),
    ({16: 1.02, 32: 1.0}, "Every legal tiling requests what three ideal kernels move"),
    ({16: 8, 32: 4}, "Every legal tiling requests more than three ideal kernels move"),
])
def test_title_of_bytes(ratios, title):
    assert tiles_bytes_claim([*ratios.items()]) == title


def test_a_query_tile_that_depends_on_the_key_tile_is_a_tie():
    assert tiles_bytes_claim([(16, .9), (16, 1.1), (32, .5)]) == "From Br = 32 fused requests less than three ideal kernels move"


def tile(side, ms, hidden=True, **more):
    return dict(block_q=side, block_k=side, ms=ms, hidden=hidden) | more


@pytest.mark.parametrize(("current", "others", "title"), [
    (tile(64, 2), [tile(16, 3), tile(128, 1, hidden=False)], "64×64 is the fastest tiling that hides latency"),
    (tile(64, 2), [tile(16, 1.95)], "64×64 is as fast as the best that hides latency, 16×16"),
    (tile(64, 2), [tile(16, 1)], "16×16 is predicted to be 2.00× as fast as 64×64"),
    (tile(64, 2, hidden=False), [tile(16, 9)], "64×64 has too few warps to hide latency: its real time is longer"),
    (tile(64, 2, hidden=False), [], "No tiling has the warps to hide latency: real times are longer"),
])
def test_title_of_time(current, others, title):
    assert tiles_time_claim(current, [current, *others]) == title


def test_title_of_occupancy():
    low, high = tile(64, 1, occupancy=.25, limits="registers and shared memory"), tile(16, 1, occupancy=.375, limits="shared memory")
    assert tiles_occupancy_claim(low, [low, high]) == "At 64×64 registers and shared memory hold occupancy to 25 %"
    assert tiles_occupancy_claim(high, [low, high]) == "No tiling has more warps resident than 16×16: 38 %"


@pytest.mark.parametrize("settings", EXTREMES, ids=lambda s: f"{s.conditions} {s.gpu.name}")
def test_legal_is_what_predict_takes_and_the_numbers_are_its(settings):
    records = tiles.tiles(settings)
    assert len(records) == 25
    for r in records:
        tiling = Tiling(r["block_q"], r["block_k"])
        if not r["legal"]:
            with pytest.raises(Refusal):
                predict("fused", settings.problem, tiling, settings.gpu)
            assert r["shared_bytes"] > settings.gpu.shared_limit_bytes
            continue
        asked = predict("fused", settings.problem, tiling, settings.gpu).ledger.total(Measure.REQUESTED, space=Space.HBM)
        assert r["requested_bytes"] == asked and r["ratio"] * settings.problem.compulsory_three_kernel_bytes == pytest.approx(asked)


def test_the_formula_comes_to_the_ratio():
    for settings in EXTREMES:
        of = {f.name: f.numbers.replace("·", "*").replace("²", "**2") for f in traffic_formulas(settings)}
        current = next(r for r in tiles.tiles(settings) if r.items() >= settings.tiling.record().items())
        assert eval(f"({of['fused, requested']}) / ({of['naive, compulsory']})") == current["ratio"]


def test_the_corner_is_below_half_the_head_and_the_key_tile_does_not_matter():
    ratios = {}
    for r in tiles.tiles(WIDE):
        if r["legal"]:
            ratios.setdefault(r["block_q"], set()).add(r["ratio"])
    assert all(len(same) == 1 for same in ratios.values())
    assert {block for block, [ratio] in ratios.items() if ratio > 1.05} == {16, 32}  # d/2 = 64
    assert "<b>Br = d/2 = 64</b>" in texts(draw(WIDE, chart.BYTES))


def test_illegal_tilings_are_hatched_and_the_current_one_is_framed():
    figure, limit = draw(WIDE, chart.BYTES), WIDE.gpu.shared_limit_bytes
    assert sum(trace.fillpattern.shape == "/" for trace in figure.data) == sum(r["shared_bytes"] > limit for r in tiles.tiles(WIDE)) == 7
    [frame] = [trace for trace in figure.data if not trace.fill and len(trace.x) == 6]
    assert min(frame.x) < 64 < max(frame.x) < 128 and min(frame.y) < 64 < max(frame.y) < 128


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tile_can_be_read(theme):
    palette = PALETTES[theme]
    for to, share in product(("naive", "fused"), range(21)):
        fill = mix(palette["panel"], palette[to], share / 20)
        assert contrast(ink_on(fill), fill) >= 4.5


@pytest.mark.parametrize("look", [page_look("light"), slide_look("dark")], ids=["page", "slide"])
@pytest.mark.parametrize("settings", EXTREMES, ids=lambda s: f"{s.conditions} {s.gpu.name}")
def test_labels_do_not_collide(blank, settings, look):
    for view in chart.VIEWS:
        assert collisions(drawn(blank, draw(settings, view, look), look)) == []
