"""predicted == counted in every cell, and outputs right, on every backend this machine has."""
import numpy as np
import pytest
import shapes

from numba_kernels import reference
from numba_kernels.run import gpu_available, run
from traffic_model import AttentionProblem, Measure, Tiling, find_gpu, predict

H200 = find_gpu("H200 SXM")
ROWS = shapes.covering_rows()
CASES = [(backend, row) for backend in ("cpu", "simulator", "gpu") for row in ROWS
         if (backend != "simulator" or shapes.is_small(*shapes.case(row))) and (backend != "gpu" or gpu_available())]


def require_exact(result, target=H200):
    predicted = predict(result.algorithm, result.problem, result.tiling, target).ledger.only(Measure.REQUESTED)
    assert predicted.disagreements(result.ledger) == []
    assert predicted == result.ledger


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
@pytest.mark.parametrize(("backend", "row"), CASES, ids=str)
def test_counted_equals_predicted_and_the_output_is_right(algorithm, backend, row, fresh_seed):
    problem, tiling = shapes.case(row)
    result = run(algorithm, problem, tiling, H200, backend, seed=fresh_seed)
    require_exact(result)
    assert result.relative_error < shapes.TOLERANCES[problem.dtype]  # NaN, the poison, is not


@pytest.mark.parametrize(("algorithm", "heads"), [("naive", 1), ("tiled", 2), ("fused", 2), ("fused_kv_outer", 1)])
def test_counters_are_right_above_two_to_the_32(algorithm, heads):
    problem = AttentionProblem(8192, heads=heads)
    result = run(algorithm, problem, Tiling(), H200, "auto")
    require_exact(result)
    assert result.ledger.total(Measure.REQUESTED) // 4 > 2**32  # accesses of 4 bytes


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
def test_rows_that_see_no_key_are_zeros(algorithm, fresh_seed):
    result = run(algorithm, AttentionProblem(100, kv_len=30, mask="causal"), Tiling(), H200, "auto", seed=fresh_seed)
    blind, seeing = np.split(result.output, [70], axis=2)
    assert not blind.any() and np.all(np.any(seeing, axis=-1))


@pytest.mark.parametrize("scale", [0.0, -0.3, 3.0])
@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
def test_softmax_scale(algorithm, scale, fresh_seed):
    result = run(algorithm, AttentionProblem(65, mask="causal", scale=scale), Tiling(), H200, "auto", seed=fresh_seed)
    assert result.relative_error < 1e-5


def test_counting_off_counts_nothing_and_computes_the_same():
    problem = AttentionProblem(65, head_dim=16, dtype="bfloat16")
    off, on = (run("fused", problem, Tiling(16, 64), H200, "auto", counting) for counting in ("off", "requests"))
    assert off.ledger is None and np.array_equal(off.output, on.output)


def test_the_reference_is_the_definition():
    q, k, v = (np.random.default_rng(1).standard_normal((1, heads, 5, 3)) for heads in (2, 1, 1))
    out = reference.attention(q, k, v, "causal", 0.5)
    for head in range(2):
        for i in range(5):
            weights = np.exp([0.5 * q[0, head, i] @ k[0, 0, j] for j in range(i + 1)])
            assert np.allclose(out[0, head, i], weights @ v[0, 0, :i + 1] / weights.sum())


if gpu_available():  # two matrices of 8.6 GB
    @pytest.mark.parametrize("algorithm", ["naive", "tiled"])
    def test_a_score_matrix_of_more_than_two_to_the_31_elements(algorithm, fresh_seed):
        problem = AttentionProblem(8192 + 16, heads=32)
        result = run(algorithm, problem, Tiling(), H200, "gpu", seed=fresh_seed)
        require_exact(result)
        assert problem.query_heads * problem.visible_pairs > 2**31 and result.relative_error < 1e-5
