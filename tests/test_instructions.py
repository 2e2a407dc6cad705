"""The instruction counts that predicted time rests on, read again in the machine code that the pinned compiler makes for 9.0."""
import pytest
from machine_loops import loops

from numba_kernels import fused, fused_kv_outer, naive, tiled
from traffic_model import DEFAULT_GPU, AttentionProblem, Refusal, Tiling, find_gpu, predict
from traffic_model.instructions import KERNELS, instructions

GPU = find_gpu(DEFAULT_GPU)
PROBLEM = AttentionProblem(4096)  # d = 64, whole tiles of 64×64: 64 query tiles and as many key tiles
MODULES = {"naive": naive, "tiled": tiled, "fused": fused, "fused_kv_outer": fused_kv_outer}
TILES, STEPS = 64, 32  # tiles along N and M; rounds of a product of 64 elements, two at a time
# How often a thread goes round each loop of its kernel, in the order of machine_loops: the loops that the compiler adds for what does not
# divide are gone round 0 times. A tile of 64×64 takes a thread of 128 four rounds of eight elements to load.
ROUNDS = {
    ("naive", "scores"): [16, 0],
    ("naive", "softmax"): [256, 0, 0, 1024, 0, 1024, 0],
    ("naive", "output"): [1024, 0],
    ("tiled", "scores"): [4, 4, STEPS, 8, 1],  # Q, K, product, S, the tile itself
    ("tiled", "softmax"): [4, 0, 4, 0],  # a row of 4,096 on 256 threads, four elements a round; and what does not fill a round
    ("tiled", "output"): [4 * TILES, 4 * TILES, STEPS * TILES, TILES],  # P, V, product, key tiles
    ("fused", "fused"): [4, 4 * TILES, STEPS * TILES, STEPS * TILES, TILES],  # Q, K and V, two products, key tiles
    ("fused_kv_outer", "fused_kv_outer"): [16 * TILES, 64 * TILES**2, TILES**2, TILES],  # K and V, keys, query tiles, key tiles
}
LEFTOVERS = {("tiled", "softmax")}  # kernels in which a jump over loads skips the elements that fill no round, of which there are none here


@pytest.mark.parametrize(("algorithm", "kernel"), ROUNDS)
def test_a_kernel_issues_what_is_predicted(algorithm, kernel):
    """Over a thread's life: each loop's own instructions times its rounds, and once those in no loop; within 10 %."""
    prediction = predict(algorithm, PROBLEM, Tiling(), GPU)
    spec = next(s for s in MODULES[algorithm].kernels(PROBLEM, prediction.layout) if s.launch.name == kernel)
    found, rounds = loops(spec), ROUNDS[algorithm, kernel]
    assert len(found.own) == len(rounds), f"the compiler made other loops than these counts were read in: {found}"
    once = found.outside - (found.jumped_over if (algorithm, kernel) in LEFTOVERS else 0)
    life = once + sum(own * times for own, times in zip(found.own, rounds))
    predicted = next(each for each in prediction.kernels if each.name == kernel)
    issued = instructions(predicted, algorithm, PROBLEM, prediction.layout).issued
    assert issued * 32 / (spec.blocks * spec.threads) == pytest.approx(life, rel=0.1)


def test_every_kernel_is_read_and_an_unknown_one_is_refused():
    assert set(ROUNDS) == set(KERNELS)
    prediction = predict("fused", PROBLEM, Tiling(), GPU)
    with pytest.raises(Refusal, match="naive's fused kernel are not known"):
        instructions(prediction.kernels[0], "naive", PROBLEM, prediction.layout)


def test_two_byte_storage_adds_conversions():
    issued = []
    for dtype in ("float32", "float16", "bfloat16"):
        prediction = predict("tiled", AttentionProblem(256, dtype=dtype), Tiling(), GPU)
        issued.append([instructions(kernel, "tiled", prediction.problem, prediction.layout).issued for kernel in prediction.kernels])
    assert all(a < b <= c for a, b, c in zip(*issued))
