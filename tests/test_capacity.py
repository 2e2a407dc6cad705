"""What fits: the lesson's table, agreement with what the kernels allocate, and a layer that grows as N."""
from dataclasses import replace

import pytest

from numba_kernels.run import memory_bytes
from traffic_model import ALGORITHMS, AttentionProblem, Refusal, find_gpu, recurrent
from traffic_model.capacity import fits, forward_bytes, longest
from traffic_model.problem import LARGEST
from traffic_model.units import binary_bytes, decimal_bytes

H200, T4 = find_gpu("H200 SXM"), find_gpu("T4")
TWELVE_HEADS = AttentionProblem(512, heads=12, dtype="float16")


@pytest.mark.parametrize(("n", "decimal", "binary"), [
    (512, "6.29 MB", "6 MiB"), (4096, "403 MB", "384 MiB"), (32768, "25.8 GB", "24 GiB")])
def test_one_matrix_of_twelve_heads_in_two_bytes(n, decimal, binary):
    matrix = replace(TWELVE_HEADS, seq_len=n, kv_len=n).score_matrix_bytes
    assert (decimal_bytes(matrix), binary_bytes(matrix)) == (decimal, binary)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_model_holds_what_the_kernels_allocate(algorithm):
    for problem in (AttentionProblem(300), AttentionProblem(70, heads=6, kv_heads=2, batch=3, kv_len=200, head_dim=100, dtype="bfloat16")):
        held = forward_bytes(algorithm, problem)
        assert sum(held.values()) == memory_bytes(algorithm, problem)
        assert ("S" in held) == (algorithm in ("naive", "tiled"))


@pytest.mark.parametrize("gpu", [H200, T4], ids=lambda gpu: gpu.name)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_longest_that_fits_fits_and_one_more_does_not(algorithm, gpu):
    problem = AttentionProblem(512, heads=32, batch=4, dtype="float32")
    n = longest(algorithm, problem, gpu)
    at = lambda length: replace(problem, seq_len=length, kv_len=length)
    assert fits(algorithm, at(n), gpu) and not fits(algorithm, at(n + 1), gpu)


def test_where_naive_and_fused_stop():
    assert 54_000 < longest("naive", TWELVE_HEADS, H200) < 54_200  # √(141 GB / (2 matrices × 2 B × 12 heads)), less Q, K, V and O
    assert longest("fused", TWELVE_HEADS, H200) == LARGEST["seq_len"]  # more than the kernels take
    assert longest("naive", AttentionProblem(512, head_dim=256, heads=65535, batch=65535), T4) == 0
    with pytest.raises(Refusal, match="choose naive, tiled, fused, fused_kv_outer"):
        forward_bytes("flash", TWELVE_HEADS)


def test_the_recurrent_layer_grows_as_n_and_wins_from_n_equal_d():
    at = lambda n, mask="full": AttentionProblem(n, heads=12, dtype="float16", mask=mask)
    assert recurrent.flops(at(2**20)) == 2 * recurrent.flops(at(2**19)) == 4 * 64 * 64 * 2**20 * 12
    assert recurrent.flops(at(64)) == at(64).flops and recurrent.flops(at(65)) < at(65).flops
    assert recurrent.flops(at(127, "causal")) == at(127, "causal").flops and recurrent.flops(at(128, "causal")) < at(128, "causal").flops
    assert recurrent.state_bytes(at(2**20)) == recurrent.state_bytes(at(1)) == 12 * 64 * 64 * 4
    assert recurrent.forward_bytes(at(2**20)) - sum(forward_bytes("fused", at(2**20)).values()) == 12 * 64 * 64 * 4
