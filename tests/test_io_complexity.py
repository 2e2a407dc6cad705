"""The orders of the paper beside exact counts, its tiles, and the tile at which fusion ties."""
import pytest

from traffic_model import AttentionProblem, Refusal, Tiling, find_gpu, predict
from traffic_model.io_complexity import block_rule, flash, largest_key_tile, on_chip_elements, rule_overflow, standard, tie_tile

LARGEST_GPU = find_gpu("GH200 144GB")
ON_CHIP = 48 * 1024  # elements: 192 KiB of fp32


def test_the_constants_that_the_orders_hide():
    assert standard(4096, 64).constant == 4
    assert [round(flash(n, 64, ON_CHIP).constant, 2) for n in (1024, 16384, 2**20)] == [14.25, 12.14, 12.0]


def test_flash_moves_less_as_long_as_d_squared_is_small_against_on_chip_memory():
    assert flash(2**16, 64, ON_CHIP).exact / standard(2**16, 64).exact == pytest.approx(3 * 64**2 / ON_CHIP, rel=0.01)
    assert flash(2**16, 64, 64 * 64).exact > standard(2**16, 64).exact


def test_doubling_on_chip_memory_halves_the_accesses_and_doubling_n_quadruples_them():
    small, large, longer = flash(2**18, 64, ON_CHIP), flash(2**18, 64, 2 * ON_CHIP), flash(2**19, 64, ON_CHIP)
    assert small.order == 2 * large.order == longer.order / 4
    assert small.exact / large.exact == pytest.approx(2, rel=0.01) and longer.exact / small.exact == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize("on_chip", [63, 64 * 1024 + 1])
def test_the_orders_hold_between_d_and_n_d(on_chip):
    flash(1024, 64, 64), flash(1024, 64, 64 * 1024)
    with pytest.raises(Refusal, match="the orders hold from d = 64 to"):
        flash(1024, 64, on_chip)


def test_the_block_rule_leaves_no_room_for_the_score_tile():
    assert block_rule(64, ON_CHIP) == (64, 192) and block_rule(64, 64 * 64) == (16, 16)
    assert rule_overflow(64, 64 * 64) == 16 * 16  # Q, K, V and O take all of it
    for d in (32, 64, 128):
        assert all(rule_overflow(d, m) > 0 for m in range(4 * d, 8 * d * d, 4 * d))
        assert all(rule_overflow(d, m) <= 0 for m in range(8 * d * d, 20 * d * d, 4 * d))
    with pytest.raises(Refusal):
        block_rule(0, 64)


def test_the_largest_key_tile_that_leaves_it():
    for block_q, d, on_chip in ((64, 64, ON_CHIP), (16, 128, 10_000), (128, 64, 30_000)):
        k = largest_key_tile(block_q, d, on_chip)
        needed = lambda keys, block_q=block_q, d=d: sum(on_chip_elements(block_q, keys, d).values())
        assert k > 0 and needed(k) <= on_chip < needed(k + 1)
    assert largest_key_tile(256, 256, 1000) == 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("d", [32, 64, 96, 128, 256])
def test_at_the_tie_tile_fusion_requests_what_three_ideal_kernels_must_move(d, dtype):
    problem = AttentionProblem(2**20, head_dim=d, dtype=dtype)
    ratio = lambda algorithm, tiling: predict(algorithm, problem, tiling, LARGEST_GPU).ledger.total(
        "requested", space="hbm") / problem.compulsory_three_kernel_bytes
    for tile in (16, 32):
        assert ratio("fused", Tiling(tile, 16)) == pytest.approx(tie_tile("fused", problem) / tile, rel=2e-3)
        assert ratio("fused_kv_outer", Tiling(16, tile)) == pytest.approx(tie_tile("fused_kv_outer", problem) / tile, rel=2e-3)
    assert tie_tile("fused", problem) == d / 2
    assert tie_tile("fused_kv_outer", AttentionProblem(64)) == 3 * 64 / 4 + 1
    with pytest.raises(Refusal, match="naive is not fused"):
        tie_tile("naive", problem)
