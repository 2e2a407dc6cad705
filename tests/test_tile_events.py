"""The closed forms are sums over tiles: enumerating every move gives the same ledger, on shapes drawn anew in every run."""
import random
import time

import pytest
import shapes
import tile_events

from traffic_model import DEFAULT_GPU, AttentionProblem, Measure, Tiling, find_gpu, predict

GPU = find_gpu(DEFAULT_GPU)
SHAPES = 15  # per algorithm


def drawn(draw: random.Random) -> tuple[AttentionProblem, Tiling]:
    """A small problem of any kind, ragged tiles, fewer keys than queries and rows that see nothing included."""
    kv_heads = draw.choice([1, 2])
    problem = AttentionProblem(
        draw.randint(1, 70), kv_len=draw.randint(1, 70), head_dim=draw.choice([16, 17, 40, 64, 100, 129]), kv_heads=kv_heads,
        heads=kv_heads * draw.choice([1, 3]), batch=draw.choice([1, 2]), dtype=draw.choice(["float32", "bfloat16"]),
        mask=draw.choice(["full", "causal", "causal"]))
    return problem, Tiling(draw.choice([16, 32, 64]), draw.choice([16, 32, 64]))


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
def test_every_move_enumerated_sums_to_the_closed_form(algorithm, fresh_seed):
    draw = random.Random(fresh_seed)
    for _ in range(SHAPES):
        problem, tiling = drawn(draw)
        ledger = predict(algorithm, problem, tiling, GPU).ledger
        closed = {key[:3]: count for key, count in ledger.items() if key[3] == Measure.REQUESTED and count}
        assert tile_events.requested(algorithm, problem, tiling, GPU) == closed, (problem, tiling)


def test_a_prediction_at_a_million_tokens_takes_milliseconds():
    fastest = {}
    for attempt in range(3):
        problem = AttentionProblem(2**20, mask="causal", scale=0.1 + attempt)  # another one, so that none is remembered
        for algorithm in ("tiled", "fused", "fused_kv_outer"):
            start = time.perf_counter()
            predict(algorithm, problem, Tiling(), GPU)
            fastest[algorithm] = min(fastest.get(algorithm, 1), time.perf_counter() - start)
    assert max(fastest.values()) <= 0.02, fastest
