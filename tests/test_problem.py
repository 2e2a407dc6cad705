"""Shapes: what a mask shows, what must be moved, and what is refused."""
import numpy as np
import pytest
import shapes

from traffic_model import ALGORITHMS, AttentionProblem, Refusal, Tiling, find_gpu, predict
from traffic_model.layout import LAYOUTS

H200 = find_gpu("H200 SXM")


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_visible_pairs_equal_the_mask_drawn_out(mask):
    for n in range(1, 12):
        for m in range(1, 12):
            problem = AttentionProblem(n, kv_len=m, mask=mask)
            seen = np.ones((n, m), bool) if mask == "full" else np.tril(np.ones((n, m), bool), m - n)
            assert problem.visible_pairs == seen.sum()
            assert [problem.keys_seen(i) for i in range(n)] == seen.sum(axis=1).tolist()


@pytest.mark.parametrize("row", shapes.covering_rows(), ids=str)
def test_compulsory_is_geometry(row):
    problem, tiling = shapes.case(row)
    for algorithm, least in dict(naive=problem.compulsory_three_kernel_bytes, tiled=problem.compulsory_three_kernel_bytes,
                                 fused=problem.compulsory_one_kernel_bytes, fused_kv_outer=problem.compulsory_one_kernel_bytes).items():
        assert predict(algorithm, problem, tiling, H200).compulsory_bytes == least


def test_the_board_formula():
    n, d, e = 4096, 64, 4
    u, w = n * d * e, n * n * e
    problem = AttentionProblem(n, head_dim=d)
    assert problem.compulsory_three_kernel_bytes == 4 * u + 4 * w
    assert problem.compulsory_one_kernel_bytes == 4 * u
    fused = predict("fused", problem, Tiling(64, 64), H200).ledger
    assert fused.total("requested", space="hbm") == 2 * u + 2 * (n // 64) * u
    assert problem.flops == 4 * n * n * d


def test_fused_compulsory_grows_as_n_and_requested_as_n_squared_over_br():
    hbm = lambda n, br: predict("fused", AttentionProblem(n), Tiling(br, 64), H200).ledger.total("requested", space="hbm")
    compulsory = lambda n: predict("fused", AttentionProblem(n), Tiling(), H200).compulsory_bytes
    assert compulsory(8192) == 2 * compulsory(4096)
    assert hbm(2**17, 64) / hbm(2**16, 64) == pytest.approx(4, rel=1e-3)
    assert hbm(2**16, 64) / hbm(2**16, 128) == pytest.approx(2, rel=1e-2)


@pytest.mark.parametrize(("changes", "sentence"), [
    (dict(seq_len=0), "seq len 0 is not a whole number from 1 up; the smallest is 1."),
    (dict(seq_len=2.5), "seq len 2.5 is not"),
    (dict(head_dim=15), "the nearest is 16"),
    (dict(head_dim=257), "the nearest is 256"),
    (dict(heads=6, kv_heads=4), "4 key/value heads do not divide 6 query heads; the nearest that does is 3."),
    (dict(dtype="int8"), "dtype int8 is not known: choose float32 or float16 or bfloat16."),
    (dict(mask="sometimes"), "mask sometimes is not known: choose full or causal."),
    (dict(scale=float("nan")), "scale nan is not a number between"),
    (dict(batch=-1), "batch -1 is not"),
])
def test_a_shape_the_kernels_do_not_take_is_refused_in_words(changes, sentence):
    with pytest.raises(Refusal) as refused:
        AttentionProblem(**dict(seq_len=64) | changes)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("size", [0, 48, -16, 512])
def test_tile_sizes(size):
    with pytest.raises(Refusal, match="the nearest is"):
        Tiling(64, size)


def test_too_much_shared_memory_names_the_largest_legal_tile():
    with pytest.raises(Refusal, match="64×256 tiling at d = 128 needs 304 KiB .* allows 227 KiB; the largest legal key tile is 128"):
        predict("fused", AttentionProblem(4096, head_dim=128), Tiling(64, 256), H200)


def test_every_gpu_states_its_limits():
    for gpu in (find_gpu(name) for name in ("NVIDIA H200", "h200 sxm", "T4")):
        assert gpu.shared_limit_bytes >= 64 * 1024 and gpu.dram_gb_per_s > 0
    with pytest.raises(Refusal, match="'H300' is not in the table"):
        find_gpu("H300")


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(Refusal, match="choose naive, tiled, fused, fused_kv_outer"):
        predict("flash", AttentionProblem(64), Tiling(), H200)
    assert set(ALGORITHMS) == {*shapes.CUDA_CORES, "fused_tensor_core"}


def requested_over_ideal(algorithm, problem, tiling):
    """Requested HBM bytes over what three ideal kernels must move."""
    largest = find_gpu("GH200 144GB")
    return predict(algorithm, problem, tiling, largest).ledger.total("requested", space="hbm") / problem.compulsory_three_kernel_bytes


@pytest.mark.parametrize("d", [32, 64, 128, 256])
def test_query_outer_ties_with_three_ideal_kernels_at_half_the_head(d):
    """2N²·d·e / Br = 4N²·e, so Br = d/2 as N grows."""
    problem = AttentionProblem(2**20, head_dim=d)
    assert requested_over_ideal("fused", problem, Tiling(d // 2, 16)) == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(("dtype", "tie"), [("float32", lambda d: 3 * d / 4 + 1), ("bfloat16", lambda d: 5 * d / 4 + 2)])
@pytest.mark.parametrize("d", [16, 64, 96])  # above, a row is shared by threads that each read its STATS
def test_kv_outer_ties_later_for_its_scratch_comes_and_goes(d, dtype, tie):
    """N²·(d·e + 2·4·d + 4·4) / Bc = 4N²·e: Q, running O read and written, STATS read and written. The paper's 3d/4 leaves STATS out."""
    for block_k in (16, 32, 64):
        ratio = requested_over_ideal("fused_kv_outer", AttentionProblem(2**20, head_dim=d, dtype=dtype), Tiling(16, block_k))
        assert ratio == pytest.approx(tie(d) / block_k, rel=1e-3)


@pytest.mark.parametrize(("algorithm", "n"), [("tiled", 2**22), ("naive", 2**20)])
def test_a_grid_larger_than_a_gpu_takes_is_refused(algorithm, n):
    with pytest.raises(Refusal, match="would need a grid of .* blocks; a GPU takes 2,147,483,647 × 65,535 × 65,535"):
        LAYOUTS[algorithm].resolve(AttentionProblem(n), Tiling(), find_gpu("H200 SXM"))
    LAYOUTS[algorithm].resolve(AttentionProblem(n // 2 - 16), Tiling(), find_gpu("H200 SXM"))
