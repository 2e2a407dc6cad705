"""Roofs, ridges and the FLOP convention: the figures the roofline page opens with."""
import numpy as np
import pytest
import shapes

from traffic_model import DEFAULT_GPU, AttentionProblem, Refusal, Tiling, find_gpu, predict
from traffic_model.flops import kernel_flops
from traffic_model.rates import best_known, datasheet, measured, rate
from traffic_model.roofline import AT, LEFT, RIGHT, Point, points, ridge

H200 = find_gpu(DEFAULT_GPU)


def whole(algorithm, dtype):
    """The point of an algorithm as a whole."""
    return points(predict(algorithm, AttentionProblem(4096, heads=16, dtype=dtype), Tiling(), H200))[0]


def test_unfused_is_memory_bound_on_tensor_cores():
    ridges = [ridge(H200, "fp16_bf16", kind=kind) for kind in ("datasheet", "measured")]
    assert [round(each) for each in ridges] == [206, 185]
    for algorithm in ("naive", "tiled"):
        point = whole(algorithm, "bfloat16")
        assert round(point.intensity, 1) == 31.5 and [point.side(each) for each in ridges] == [LEFT, LEFT]
    assert [whole("fused", "bfloat16").side(each) for each in ridges] == [RIGHT, RIGHT]


def test_unfused_fp32_sits_about_at_the_ridge_of_the_cuda_cores():
    naive, scores, softmax, output = points(predict("naive", AttentionProblem(4096), Tiling(), H200))
    assert round(naive.intensity) == 16 and round(ridge(H200)) == 14
    assert [kernel.side(ridge(H200)) for kernel in (scores, softmax, output)] == [RIGHT, LEFT, RIGHT]
    assert softmax.intensity == 0 and scores.intensity == output.intensity == pytest.approx(31.03, abs=0.01)


def test_at_l2_intensity_is_2_br_over_e_whatever_n_and_d():
    for d, n, tiling in ((64, 2**14, Tiling(64, 64)), (128, 2**16, Tiling(64, 16)), (32, 2**16, Tiling(128, 64))):
        problem = AttentionProblem(n, head_dim=d, dtype="float16")
        point, = points(predict("fused", problem, tiling, H200), "l2")
        assert point.intensity == pytest.approx(2 * tiling.block_q / 2, rel=0.01)


def test_the_lower_roof_is_what_can_be_attained():
    compute, memory = rate(H200, "fp16_bf16"), rate(H200, "dram")
    assert whole("naive", "bfloat16").attainable_tflops(compute, memory) == pytest.approx(31.5077 * 4.8, rel=1e-4)
    assert whole("fused", "bfloat16").attainable_tflops(compute, memory) == 989
    assert Point("x", "shared", 5, 0).attainable_tflops(compute, memory) == 989  # moves nothing there


def test_sides():
    sides = [Point("x", "dram", flops, 100).side(10) for flops in (949, 951, 1049, 1051)]
    assert sides == [LEFT, AT, AT, RIGHT]


@pytest.mark.parametrize("mask", ["full", "causal"])
@pytest.mark.parametrize(("n", "m"), [(50, 50), (50, 20), (20, 50), (1, 7)])
def test_flops_are_counted_exactly_over_what_the_mask_leaves(n, m, mask):
    problem = AttentionProblem(n, head_dim=16, heads=6, kv_heads=2, batch=2, kv_len=m, mask=mask)
    pairs = int((np.tril(np.ones((n, m)), m - n) if mask == "causal" else np.ones((n, m))).sum())
    assert problem.flops == 4 * 16 * pairs * 12
    for algorithm in shapes.CUDA_CORES:
        kernels = predict(algorithm, problem, Tiling(), H200).kernels
        assert sum(kernel_flops(kernel.name, problem) for kernel in kernels) == problem.flops


def test_a_rate_that_is_not_known_is_refused_and_never_invented():
    t4 = find_gpu("T4")
    assert "l2" not in datasheet(t4) and measured(t4) == {} and best_known(t4, "l2") is None and best_known(t4, "dram").value == 320
    with pytest.raises(Refusal, match="no measured rate of T4 is known for DRAM; known are none"):
        rate(t4, "dram", "measured")
    with pytest.raises(Refusal, match="no datasheet rate of T4 is known for tensor cores, fp8"):
        ridge(t4, "fp8")
    with pytest.raises(Refusal, match="kernel flash is not known"):
        kernel_flops("flash", AttentionProblem(64))


def test_shared_memory_and_l2_roofs_are_bytes_a_clock_times_the_clock():
    a100 = find_gpu("NVIDIA A100-SXM4-40GB")
    assert datasheet(a100)["l2"].value == pytest.approx(5120 * 1.41, rel=1e-6)
    assert datasheet(a100)["shared"].value == pytest.approx(128 * 108 * 1.41, rel=1e-6)
    assert all(each.value <= datasheet(H200)[name].value for name, each in measured(H200).items() if name in datasheet(H200))
