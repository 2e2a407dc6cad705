"""The papers' figures come out of the model, and the model's accounts are what their loops do."""
import random

import numpy as np
import pytest

from traffic_model import DEFAULT_GPU, AttentionProblem, Refusal, Tiling, find_gpu, predict
from traffic_model.paper import GPT2_MEDIUM, Shape, comparisons, total_bytes, unpublished
from traffic_model.paper.comparison import EQUAL
from traffic_model.paper.decode import decode
from traffic_model.paper.figures import Figure, figures
from traffic_model.paper.flash import kv_outer_backward, kv_outer_forward, query_outer_backward, query_outer_forward
from traffic_model.paper.softmax import ON_CHIP, ONLINE, SAFE, per_element
from traffic_model.paper.standard import backward, forward

GPU = find_gpu(DEFAULT_GPU)


@pytest.mark.parametrize("each", comparisons(), ids=lambda c: f"{c.figure.table} {c.figure.subject} {c.figure.setting} {c.figure.quantity}")
def test_every_published_figure_holds(each):
    assert each.holds, (each.figure, each.model)
    if each.relation == EQUAL and each.figure.kind == "digitised":
        assert abs(each.difference) <= 0.003


def test_every_hbm_figure_is_compared_exactly_and_every_figure_has_a_source():
    assert sum(each.figure.quantity == "hbm" for each in comparisons()) == 6
    assert all((each.relation == EQUAL) == (each.figure.unit in ("GB", "per element")) for each in comparisons())
    assert len(figures()) == len(comparisons()) and all("arXiv" in figure.source for figure in figures())


@pytest.mark.parametrize(("text", "kind", "model", "met"), [
    ("40.3", "printed", 40.2653184, True), ("40.3", "printed", 40.2499, False), ("40.3", "printed", 40.35, False),
    ("4.4", "printed", 4.449, True), ("3", "printed", 4, False),
    ("0.939", "digitised", 0.939 * 1.0029, True), ("0.939", "digitised", 0.939 * 1.0031, False)])
def test_a_figure_is_met_to_its_printed_digits_or_to_what_reading_a_plot_allows(text, kind, model, met):
    assert Figure("", "", None, "hbm", text, "GB", kind, "").is_met_by(model) == met


def test_the_derivations_that_the_totals_come_from():
    u, w = GPT2_MEDIUM.queries, GPT2_MEDIUM.scores
    assert total_bytes(forward(GPT2_MEDIUM)) == 4 * u + 4 * w
    assert total_bytes(backward(GPT2_MEDIUM)) == 8 * u + 7 * w
    assert total_bytes(forward(GPT2_MEDIUM, mask=True, dropout=True)) == 4 * u + 17 * w // 2
    assert total_bytes(backward(GPT2_MEDIUM, dropout=True)) == 8 * u + 19 * w // 2
    assert [total_bytes(f(GPT2_MEDIUM, 256)) // u for f in (kv_outer_forward, kv_outer_backward)] == [13, 20]
    assert [total_bytes(f(GPT2_MEDIUM, 256)) // u for f in (query_outer_forward, query_outer_backward)] == [10, 26]


def test_standard_without_mask_and_dropout_is_what_three_kernels_must_move():
    problem = AttentionProblem(100, head_dim=40, heads=3, kv_len=70, dtype="float16")
    assert total_bytes(forward(Shape(100, 40, 3, 70))) == problem.compulsory_three_kernel_bytes


def test_queries_outside_is_what_the_fused_kernel_requests():
    problem = AttentionProblem(100, head_dim=40, heads=3, kv_len=70, dtype="float16")
    ledger = predict("fused", problem, Tiling(32, 16), GPU).ledger
    assert total_bytes(query_outer_forward(Shape(100, 40, 3, 70), 32)) == ledger.total("requested", space="hbm")


def test_the_ladder_s_softmaxes_are_the_safe_and_the_online_one():
    problem = AttentionProblem(64, mask="causal")
    for algorithm, passes in (("naive", SAFE), ("tiled", ONLINE)):
        ledger = predict(algorithm, problem, Tiling(), GPU).ledger
        moved = [ledger.total("requested", array, "hbm", way) for array, way in (("s", "read"), ("p", "write"))]
        assert [per_element(passes, way) * problem.score_bytes for way in ("read", "write")] == moved
    assert (per_element(ON_CHIP, "read"), per_element(ON_CHIP, "write")) == (1, 1)


def kv_outer_moves(n, m, d, block_k) -> np.ndarray:
    """Elements moved forward and backward, by walking the paper's two loops over key tiles and query rows."""
    moved = np.zeros(2, int)
    for first in range(0, m, block_k):
        keys = min(block_k, m - first)
        moved += [2 * keys * d, 4 * keys * d]  # K, V; and dK, dV out
        for _ in range(n):
            read_back = 0 if first == 0 else d
            moved += [d + read_back + d, 2 * d + read_back + d]  # Q, O in and out; Q, dO, dQ in and out
    return moved + [0, n * d]  # O, once


def query_outer_moves(n, m, d, block_q) -> np.ndarray:
    moved = np.zeros(2, int)
    for first in range(0, n, block_q):
        rows = min(block_q, n - first)
        moved += [2 * rows * d, 4 * rows * d]  # Q in, O out; Q, dO, O in, dQ out
        for _ in range(m):
            read_back = 0 if first == 0 else 2 * d
            moved += [2 * d, 2 * d + read_back + 2 * d]  # K, V; and dK, dV in and out
    return moved


def test_the_loops_of_the_papers_walked_one_by_one(fresh_seed):
    draw = random.Random(fresh_seed)
    for _ in range(50):
        n, m, d, block = draw.randint(1, 90), draw.randint(1, 90), draw.randint(1, 70), draw.randint(1, 100)
        shape = Shape(n, d, m=m, e=1)
        assert [total_bytes(f(shape, block)) for f in (kv_outer_forward, kv_outer_backward)] == kv_outer_moves(n, m, d, block).tolist()
        assert [total_bytes(f(shape, block)) for f in (query_outer_forward, query_outer_backward)] == query_outer_moves(
            n, m, d, block).tolist()


def test_decode_reads_the_cache_once_and_pays_for_splitting():
    cache = Shape(n=1, m=1000, d=64, heads=8)
    whole = decode(cache, 1, queries_per_kv=4)
    assert total_bytes(whole) == 2 * 8 * 64 * 2 + 2 * 1000 * 64 * 2 * 2 and not any(step == "combine" for step, _, _ in whole)
    split = decode(cache, 10, queries_per_kv=4)
    assert total_bytes(split) - total_bytes(whole) == 9 * 8 * 64 * 2 + 2 * 10 * 8 * (64 + 1) * 4
    for refused in (lambda: decode(Shape(2, 64), 1), lambda: decode(cache, 0), lambda: decode(cache, 1001), lambda: decode(cache, 1, 3)):
        with pytest.raises(Refusal):
            refused()


def test_backward_and_decode_are_model_only():
    names = [name for name, _, _ in unpublished()]
    assert sum("backward" in name for name in names) == 5 and sum("decode" in name for name in names) == 2


@pytest.mark.parametrize("refused", [lambda: Shape(0, 64), lambda: Shape(4, 64, m=0), lambda: kv_outer_forward(Shape(4, 4), 0)])
def test_sizes_that_are_none_are_refused(refused):
    with pytest.raises(Refusal, match="the smallest is 1"):
        refused()
