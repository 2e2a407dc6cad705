"""The softmax of one row in fp32: right to rounding, wrong where it is broken, and the kernel's own to rounding."""
import math

import numpy as np
import pytest

from app.softmax.online import SENTINEL, Broken, exact, steps
from app.softmax.play import ROUNDING, Play
from app.softmax.rows import LATE_SCORE, REAL_TILES, Row, Scores, hand, late_key, real
from numba_kernels import reference
from numba_kernels.run import run
from traffic_model import DEFAULT_GPU, AttentionProblem, Tiling, find_gpu

E = math.e
PROBLEM = AttentionProblem(4096)


def play(scores, broken=Broken.NOTHING, tile=64, seed=0, problem=PROBLEM) -> Play:
    return Play(real(scores, problem, tile, seed), broken)


def test_by_hand_the_maximum_steps_from_2_to_3_and_alpha_is_one_over_e():
    one, two = steps(hand(Scores.USUAL).tiles, hand(Scores.USUAL).values)
    assert (one.m_before, one.m, two.m_before, two.m) == (-math.inf, 2, 2, 3)
    assert two.alpha == pytest.approx(1 / E)
    assert two.l == pytest.approx((1 + 1 / E) / E + 1 + E**-3)
    assert two.o == pytest.approx([10 / E + 10 * E**-3, 10 * E**-2 + 10])
    assert two.out == pytest.approx(two.o / two.l)


@pytest.mark.parametrize("tile", [16, 64, 256])
@pytest.mark.parametrize("scores", Scores)
def test_every_tile_is_right_to_rounding(scores, tile, fresh_seed):
    for problem in (PROBLEM, AttentionProblem(200, 80, dtype="bfloat16"), AttentionProblem(999, 32, dtype="float16")):
        shown = play(scores, tile=tile, seed=fresh_seed, problem=problem)
        assert len(shown.made) == min(REAL_TILES, -(-problem.kv_len // tile))
        assert max(shown.errors) < ROUNDING
        for step in shown.made:
            assert step.kept_l == pytest.approx(step.l_before * step.alpha, rel=1e-6)
            assert step.l == pytest.approx(step.kept_l + float(step.weights.sum()), rel=1e-5)


@pytest.mark.parametrize("scores", [Scores.USUAL, Scores.LATE])
def test_exact_is_the_reference_of_the_project(scores):
    row = play(scores).row
    whole = reference.attention(row.query[None, None, None], row.keys[None, None], row.values[None, None], "full", row.scale)[0, 0, 0]
    assert exact(row.exact_scores, row.values.astype(np.float64), row.ends)[-1] == pytest.approx(whole, rel=1e-12)


def test_the_fused_kernel_gives_this_row_to_rounding():
    problem, tiling = AttentionProblem(300, 32), Tiling(64, 64)
    ran = run("fused", problem, tiling, find_gpu(DEFAULT_GPU), backend="cpu", seed=5)
    shown = Play(real(Scores.USUAL, problem, 64, 5), Broken.NOTHING)
    assert reference.errors(shown.made[-1].out, ran.output[0, 0, 0].astype(np.float64))[0] < 1e-6


def test_a_row_that_sees_no_key_gives_zeros_and_nothing_is_not_a_number():
    for row in (hand(Scores.MASKED), play(Scores.MASKED).row):
        for step in steps(row.tiles, row.values):
            assert (step.m, step.l) == (-math.inf, 0) and not step.weights.any() and not step.out.any()


def test_without_alpha_later_maxima_spoil_the_sum():
    right, wrong = play(Scores.LATE), play(Scores.LATE, Broken.NO_RESCALE)
    raised = [tile for tile, step in enumerate(right.made) if tile and step.alpha < 1]
    assert max(wrong.errors[:raised[0]]) < ROUNDING < min(wrong.errors[raised[0]:])
    assert wrong.made[-1].l > right.made[-1].l
    assert play(Scores.EQUAL, Broken.NO_RESCALE).harmless


def test_a_finite_sentinel_averages_v_where_nothing_is_seen():
    wrong = play(Scores.MASKED, Broken.SENTINEL)
    assert {step.m for step in wrong.made} == {float(SENTINEL)}
    assert wrong.made[-1].out == pytest.approx(wrong.row.values.mean(axis=0), abs=1e-6)
    assert play(Scores.USUAL, Broken.SENTINEL).harmless


def test_sums_in_fp16_stand_still_at_2048():
    wrong = play(Scores.EQUAL, Broken.HALF, tile=256)
    assert [step.l for step in wrong.made] == [min(256 * tile, 2048) for tile in range(1, 17)]
    assert wrong.errors[-1] > 0.5 and wrong.errors == sorted(wrong.errors, key=lambda error: error > 0.1)
    assert all(step.o.dtype == np.float16 for step in wrong.made)


def test_the_late_maximum_is_where_it_says():
    for count, tile in ((1024, 64), (100, 64), (10, 16), (4096, 256)):
        row = real(Scores.LATE, AttentionProblem(count), tile, 3)
        assert int(row.scores.argmax()) == late_key(len(row.keys), tile)
        assert row.scores.max() == pytest.approx(LATE_SCORE, rel=1e-5)
    assert late_key(1024, 64) // 64 == 12


def test_a_wrong_step_would_be_noticed():
    row = play(Scores.USUAL).row
    off_by_one = Row(row.query, np.roll(row.keys, 1, axis=0), row.values, row.scale, row.tile)
    right = exact(row.exact_scores, row.values.astype(np.float64), row.ends)[-1]
    assert reference.errors(steps(off_by_one.tiles, row.values)[-1].out, right)[0] > 0.1
