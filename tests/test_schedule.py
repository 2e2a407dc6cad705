"""The race's events are the model's bytes: summed they equal `predict` for one head, and each is where its tile is."""
from collections import Counter

import numpy as np
import pytest

from traffic_model import DEFAULT_GPU, AttentionProblem, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model.schedule import SWEEPS, one_head, schedule
from traffic_model.schedule_grid import MOST_BLOCKS, Grid
from traffic_model.schedule_sweep import decode, encode

GPU = find_gpu(DEFAULT_GPU)
HELD = (Measure.REQUESTED, Measure.COMPULSORY)  # what an event says of itself
SHAPES = [(8, 8), (64, 64), (200, 200), (65, 300), (300, 65), (1, 129), (129, 1), (1000, 37)]  # N, M
TILES = [Tiling(16, 16), Tiling(16, 128), Tiling(64, 32), Tiling(256, 16)]
CASES = [(AttentionProblem(n, d, kv_len=m, mask=mask), tiling)
         for (n, m), d in zip(SHAPES, (16, 64, 104, 17) * 2) for mask in ("full", "causal") for tiling in TILES]
CASES += [(AttentionProblem(n, 112, kv_len=m, mask="causal", dtype="float16"), tiling) for n, m in SHAPES for tiling in TILES[:2]]


def sums(events, measure: str) -> dict:
    total = Counter()
    for event in events:
        total[event.array, event.direction] += getattr(event, measure)
    return {cell: value for cell, value in total.items() if value}


@pytest.mark.parametrize("algorithm", SWEEPS)
@pytest.mark.parametrize("problem, tiling", CASES, ids=lambda value: getattr(value, "mask", str(value)))
def test_events_sum_to_the_prediction(algorithm, problem, tiling):
    events = list(schedule(algorithm, problem, tiling, GPU).events())
    ledger = predict(algorithm, one_head(problem), tiling, GPU).ledger
    for measure in HELD:
        cells = {(a, way): value for (a, space, way, m), value in ledger.items() if space == Space.HBM and m == measure and value}
        assert sums(events, measure) == cells


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_blocks_of_several_tiles_sum_to_the_prediction_too(mask):
    problem, tiling = AttentionProblem(16 * MOST_BLOCKS + 40, 16, kv_len=16 * MOST_BLOCKS * 2 + 7, mask=mask), Tiling(16, 16)
    for algorithm in SWEEPS:
        plan = schedule(algorithm, problem, tiling, GPU)
        assert plan.grid.tiles_per_block == (2, 3)
        ledger = predict(algorithm, problem, tiling, GPU).ledger
        for measure in HELD:
            moved = sum(sum(decode(getattr(move, measure))) for sweep in plan.sweeps for move in sweep.moves)
            assert moved == ledger.total(measure, space=Space.HBM)


@pytest.mark.parametrize("algorithm", ["naive", "tiled"])
def test_each_kernel_moves_what_its_prediction_says(algorithm):
    problem, tiling = AttentionProblem(100, 32, kv_len=70, mask="causal"), Tiling(32, 16)
    events = list(schedule(algorithm, problem, tiling, GPU).events())
    assert [event.kernel for event in events] == sorted(event.kernel for event in events)
    for number, kernel in enumerate(predict(algorithm, problem, tiling, GPU).kernels, start=1):
        for measure in HELD:
            assert sum(getattr(e, measure) for e in events if e.kernel == number) == kernel.ledger.total(measure, space=Space.HBM)


def test_one_head_whatever_the_heads_and_the_batch():
    many = AttentionProblem(96, heads=8, kv_heads=2, batch=3)
    assert schedule("fused", many, Tiling(), GPU) == schedule("fused", AttentionProblem(96), Tiling(), GPU)


def test_softmax_reads_a_row_of_scores_three_times_and_pays_once():
    events = [e for e in schedule("naive", AttentionProblem(48, 16), Tiling(16, 16), GPU).events() if e.kernel == 2 and e.row == 1]
    assert [(str(e.array), str(e.direction), e.column) for e in events] == (
        [("s", "read", j) for j in range(3)] * 2 + [move for j in range(3) for move in (("s", "read", j), ("p", "write", j))])
    assert [e.reread for e in events] == [False] * 3 + [True] * 3 + [True, False] * 3
    assert {e.requested for e in events} == {16 * 16 * 4}


def test_fused_reads_keys_and_values_again_for_every_later_query_tile():
    events = list(schedule("fused", AttentionProblem(48, 16), Tiling(16, 32), GPU).events())
    assert [(str(e.array), e.row, e.column, e.reread) for e in events if e.row is None or e.row == 0][:6] == [
        ("q", 0, None, False), ("k", None, 0, False), ("v", None, 0, False), ("k", None, 1, False), ("v", None, 1, False),
        ("o", 0, None, False)]
    assert sum(e.reread for e in events) == 2 * 2 * 2  # 2 later query tiles, 2 key tiles, K and V


def test_tiled_loads_a_tile_of_q_and_of_k_for_each_tile_of_s():
    events = [e for e in schedule("tiled", AttentionProblem(48, 16), Tiling(16, 32), GPU).events() if e.kernel == 1 and e.row in (0, None)]
    assert [(str(e.array), e.column, e.requested) for e in events][:6] == [
        ("q", None, 16 * 64), ("k", 0, 32 * 64), ("s", 0, 16 * 32 * 4), ("q", None, 16 * 64), ("k", 1, 16 * 64), ("s", 1, 16 * 16 * 4)]


def test_tiled_reads_a_row_of_scores_twice_and_pays_once():
    events = [e for e in schedule("tiled", AttentionProblem(48, 16), Tiling(16, 16), GPU).events() if e.kernel == 2 and e.row == 1]
    assert [(str(e.array), e.reread) for e in events] == [("s", False)] * 3 + [("s", True), ("p", False)] * 3


def test_key_tiles_outside_walk_down_the_columns_and_o_comes_and_goes():
    events = list(schedule("fused_kv_outer", AttentionProblem(32, 16, dtype="float16"), Tiling(16, 16), GPU).events())
    assert [(str(e.array), str(e.direction), e.row, e.column) for e in events[:7]] == [
        ("k", "read", None, 0), ("v", "read", None, 0), ("q", "read", 0, None), ("o", "read", 0, None), ("stats", "read", 0, None),
        ("o", "write", 0, None), ("stats", "write", 0, None)]
    outputs = [(e.row, e.compulsory, e.requested) for e in events if (e.array, e.direction) == ("o", "write")]
    assert outputs == [(0, 0, 16 * 64), (1, 0, 16 * 64), (0, 16 * 32, 16 * 32), (1, 16 * 32, 16 * 32)]  # fp32 scratch, then fp16
    assert sum(e.requested for e in events if (e.array, e.direction) == ("o", "read")) == 2 * 16 * 64


def test_causal_skips_tiles_and_counts_rows_that_see_no_key():
    problem = AttentionProblem(40, 16, kv_len=20, mask="causal")  # queries 0 to 19 see nothing
    fused = list(schedule("fused", problem, Tiling(16, 16), GPU).events())
    assert [sum(e.array == "k" for e in fused)] == [1 + 2]  # the middle tile sees keys 0 to 11, the last all 20
    blind = [e for e in schedule("naive", problem, Tiling(16, 16), GPU).events() if e.array == "q" and not e.requested]
    assert [(e.row, e.compulsory) for e in blind] == [(0, 16 * 64), (1, 4 * 64)]


def test_ragged_tiles_end_where_the_matrix_ends():
    assert Grid.of(200, 70, Tiling(64, 32)) == Grid((0, 64, 128, 192, 200), (0, 32, 64, 70), (1, 1))


def test_runs_decode_to_what_was_encoded():
    values = [5, 5, 5, 0, 0, 7]
    assert decode(encode(np.array(values))) == values


def test_an_algorithm_without_a_schedule_is_refused():
    with pytest.raises(Refusal, match="choose naive, tiled, fused, fused_kv_outer"):
        schedule("flash", AttentionProblem(64), Tiling(), GPU)
