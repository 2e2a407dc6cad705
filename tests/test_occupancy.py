"""Blocks per multiprocessor: well-known cases, and what is said about the next block is true."""
import random
from dataclasses import replace

import pytest

from traffic_model import AttentionProblem, Refusal, Tiling, all_gpus, find_gpu
from traffic_model.occupancy import BLOCKS, REGISTERS, SHARED, WARPS, BlockUse, most_registers, occupancy
from traffic_model.occupancy_of_tiles import occupancies, smaller_tile

H200, A100, T4, RTX3090 = map(find_gpu, ("H200 SXM", "A100 SXM4 40GB", "T4", "RTX 3090"))


@pytest.mark.parametrize(("gpu", "use", "blocks", "limiting"), [
    (A100, BlockUse(256, 32), 8, (REGISTERS, WARPS)),  # 32 registers: all 2048 threads fit
    (A100, BlockUse(256, 33), 6, (REGISTERS,)),  # one more is eight more per thread
    (A100, BlockUse(1024, 64), 1, (REGISTERS,)),
    (A100, BlockUse(1024, 65), 0, (REGISTERS,)),  # cannot be launched
    (A100, BlockUse(32, 16), 32, (BLOCKS,)),  # half of the warps, whatever they do
    (RTX3090, BlockUse(32, 16), 16, (BLOCKS,)),
    (RTX3090, BlockUse(1024, 32), 1, (WARPS,)),  # 1536 threads do not hold two
    (T4, BlockUse(1024, 32), 1, (WARPS,)),
    (H200, BlockUse(128, 32, 48 * 1024), 4, (SHARED,)),  # 49 KiB each, of 228
    (H200, BlockUse(128, 32, 227 * 1024), 1, (SHARED,)),
    (H200, BlockUse(128, 32, 227 * 1024 + 1), 0, (SHARED,)),
    (H200, BlockUse(128, 255), 2, (REGISTERS,)),
    (H200, BlockUse(96, 168), 4, (REGISTERS,)),  # 12 warps of 5376 registers: 3 in each of 4 partitions
    (H200, BlockUse(96, 224), 2, (REGISTERS,)),  # 7168 registers a warp: 2 in each partition, though 9 would fit all together
    (H200, BlockUse(96, 256), 0, (REGISTERS,)),  # no thread has more than 255
    (H200, BlockUse(33, 0), 32, (WARPS, BLOCKS)),  # a warp for one thread
])
def test_well_known_cases(gpu, use, blocks, limiting):
    found = occupancy(use, gpu)
    assert (found.blocks, found.limiting) == (blocks, limiting)
    assert found.warps == blocks * -(-use.threads // 32) and found.share == found.warps / gpu.warps_per_multiprocessor


def test_blocks_on_an_h200_of_the_ladder_s_kernels_as_they_were_compiled():
    """127 registers and 54 KiB for fused, as recorded: four blocks, both resources used up."""
    fused = occupancies("fused", AttentionProblem(4096), Tiling(), H200, registers=127)["fused"]
    assert (fused.blocks, fused.share, fused.limiting) == (4, 0.25, (REGISTERS, SHARED))
    assert fused.for_another == {REGISTERS: 96, SHARED: 45568}  # five blocks: 20 warps of 3072 registers; 5 × (44.5 + 1) KiB


def random_use(draw: random.Random, gpu) -> BlockUse:
    shared = draw.choice([0, draw.randint(1, gpu.shared_limit_bytes)])
    return BlockUse(draw.randint(1, 1024), draw.randint(1, 255), shared)


def test_what_would_let_one_more_block_in_is_just_enough(fresh_seed):
    draw = random.Random(fresh_seed)
    for _ in range(300):
        gpu = draw.choice(list(all_gpus().values()))
        use = random_use(draw, gpu)
        found = occupancy(use, gpu)
        for name, field in ((REGISTERS, "registers"), (SHARED, "shared_bytes")):
            most = found.for_another.get(name)
            if most:
                at_most, above = (occupancy(replace(use, **{field: value}), gpu).limits[name] for value in (most, most + 1))
                assert at_most > found.blocks >= above


def test_more_of_anything_never_raises_occupancy(fresh_seed):
    draw = random.Random(fresh_seed)
    for _ in range(300):
        gpu = draw.choice(list(all_gpus().values()))
        use = random_use(draw, gpu)
        more = BlockUse(use.threads, use.registers + 1, use.shared_bytes + 1)
        assert occupancy(more, gpu).blocks <= occupancy(use, gpu).blocks


def test_the_launch_bounds_leave_as_many_registers_as_fit():
    assert [most_registers(128, blocks, H200) for blocks in (1, 2, 4, 8)] == [255, 255, 128, 64]
    assert most_registers(1024, 3, H200) == 16  # 24 warps in a partition of 16,384 registers: 512 each


def test_the_smaller_tile_is_the_largest_that_raises_occupancy():
    problem = AttentionProblem(4096, head_dim=128)
    now = occupancies("fused", problem, Tiling(), H200)["fused"]
    tile, then = smaller_tile("fused", "fused", problem, Tiling(), H200)
    assert then.share > now.share and tile.block_q <= 64 and tile.block_k <= 64
    for q in (16, 32, 64):
        for k in (16, 32, 64):
            larger = (q * k, q) > (tile.block_q * tile.block_k, tile.block_q)
            if larger:
                assert occupancies("fused", problem, Tiling(q, k), H200)["fused"].share <= now.share
    assert smaller_tile("naive", "scores", problem, Tiling(), H200) is None


@pytest.mark.parametrize(("threads", "registers", "shared", "sentence"), [
    (0, 32, 0, "a block has 1 to 1024; the nearest is 1"), (1025, 32, 0, "the nearest is 1024"),
    (32, -1, 0, "registers per thread"), (32, 32, -1, "bytes of shared memory")])
def test_what_no_gpu_launches_is_refused(threads, registers, shared, sentence):
    with pytest.raises(Refusal, match=sentence):
        BlockUse(threads, registers, shared)
