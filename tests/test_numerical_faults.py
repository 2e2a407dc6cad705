"""Inputs that nobody hopes for: every rung gives what the definition gives in float64, NaN and infinities in the same places.

The definition is written out here row by row, over the keys that the row sees. Head size 63 is no multiple of 4, 100 keys are two tiles.
"""
import numpy as np
import pytest
import shapes

from numba_kernels import cpu, reference
from numba_kernels.run import ALGORITHMS, layout_of, make_inputs, written_arrays
from traffic_model import AttentionProblem, Tiling, find_gpu

H200 = find_gpu("H200 SXM")
PROBLEM, TILING = AttentionProblem(40, 63, kv_len=100, mask="causal"), Tiling(16, 64)  # row i sees keys up to i + 60
SQUARE = AttentionProblem(100, 63, mask="causal")
FEW_KEYS = AttentionProblem(100, 63, kv_len=40, mask="causal")  # the first 60 rows see none
INF, NAN, TINY = np.inf, np.nan, 1e-40  # the last below the smallest normal fp32


def attend(algorithm, problem, inputs) -> np.ndarray:
    """O [N, d] of one head on the cpu backend."""
    specs = ALGORITHMS[algorithm](problem, layout_of(algorithm, problem, TILING, H200))
    arrays = {name: np.float32(array).ravel() for name, array in inputs.items()}
    arrays |= {name: cpu.allocate(*how) for name, how in written_arrays(algorithm, problem).items()}
    for spec in specs:
        cpu.launch(spec, arrays, "requests")  # compiled for the counts already
    return arrays["O"].reshape(problem.seq_len, problem.head_dim)


def definition(problem, inputs) -> np.ndarray:
    """softmax(scale · q Kᵀ) V of each row over the keys it sees, in float64; zeros where it sees none."""
    q, k, v = (np.float32(inputs[name]).astype(float) for name in "QKV")
    out = np.zeros_like(q)
    with np.errstate(invalid="ignore"):
        for i, row in enumerate(q):
            seen = problem.keys_seen(i)
            if seen:
                s = problem.scale * np.array([row @ key for key in k[:seen]])
                p = np.exp(s - s.max())
                out[i] = np.array([p / p.sum() @ column for column in v[:seen].T])
    return out


def with_one(row, column, value):
    """A function that puts `value` at a place, or at several rows of a column."""
    def change(array):
        array = array.copy()
        array[row, column] = value
        return array

    return change


def changed(problem, **changes) -> dict[str, np.ndarray]:
    """Normal inputs, each array that is named put through its function."""
    inputs = {name: array[0, 0] for name, array in make_inputs(problem, seed=5).items()}
    return inputs | {name: np.float32(change(inputs[name])) for name, change in changes.items()}


def require_alike(out, expected, relative=1e-5, absolute=1e-5):
    np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))
    np.testing.assert_allclose(out, expected, relative, absolute)  # infinities in the same places, of the same sign


every_rung = pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
CASES = {
    "scores of ten thousand": (dict(Q=lambda q: 100 * q, K=lambda k: 12 * k), {}),
    "scores near ten thousand": (dict(Q=lambda q: 0 * q + 3, K=lambda k: 420 + k / 50), dict(relative=5e-3, absolute=5e-3)),
    "scores near minus ten thousand": (dict(Q=lambda q: 0 * q - 3, K=lambda k: 420 + k / 50), dict(relative=5e-3, absolute=5e-3)),
    "all rows equal": (dict(Q=lambda q: 0 * q + 1, K=lambda k: 0 * k + 1), {}),
    "denormal scores": (dict(Q=lambda q: TINY * q, K=lambda k: TINY * k), {}),
    "denormal values": (dict(V=lambda v: TINY * v), dict(relative=1e-3, absolute=2e-44)),
    "minus zeros": (dict(Q=lambda q: -0.0 * abs(q), V=lambda v: -0.0 * abs(v)), dict(absolute=0)),
    "NaN in Q": (dict(Q=with_one(5, 3, NAN)), {}),
    "infinity in Q": (dict(Q=with_one(5, 3, INF)), {}),
    "NaN in K": (dict(K=with_one(70, 3, NAN)), {}),
    "NaN in the first key": (dict(K=with_one(0, 62, NAN)), {}),
    "infinity in K": (dict(K=with_one(70, 3, INF)), {}),
    "minus infinity in the first keys": (dict(Q=abs, K=with_one(slice(65), 3, -INF)), {}),
    "no key but minus infinity": (dict(Q=abs, K=lambda k: 0 * k - INF), {}),
    "NaN in a value that all see": (dict(V=with_one(20, 3, NAN)), {}),
    "infinity in a value that all see": (dict(V=with_one(20, 3, -INF)), {}),
}


@every_rung
@pytest.mark.parametrize(("changes", "how"), CASES.values(), ids=CASES)
def test_a_rung_does_what_the_definition_says(algorithm, changes, how):
    inputs = changed(PROBLEM, **changes)
    require_alike(attend(algorithm, PROBLEM, inputs), definition(PROBLEM, inputs), **how)


def test_the_cases_are_what_they_are_called():
    """Each fault reaches some rows, those of one row or key not all; scores are as large as they are called."""
    nan_rows = {name: np.isnan(definition(PROBLEM, changed(PROBLEM, **changes))).any(axis=1).sum() for name, (changes, _) in CASES.items()}
    assert nan_rows["NaN in Q"] == nan_rows["infinity in Q"] == 1 and nan_rows["NaN in K"] == 30 and 0 < nan_rows["infinity in K"] < 30
    assert nan_rows["minus infinity in the first keys"] == 5 and nan_rows["no key but minus infinity"] == 40
    for name, sign in (("scores near ten thousand", 1), ("scores near minus ten thousand", -1)):
        inputs = changed(PROBLEM, **CASES[name][0])
        scores = sign * PROBLEM.scale * inputs["Q"] @ inputs["K"].T
        assert 9e3 < scores.min() and scores.max() < 1.1e4 and .1 < np.ptp(scores) < 10


@every_rung
@pytest.mark.parametrize("value", [NAN, INF])
def test_a_hidden_value_that_is_not_finite_reaches_at_most_its_column_of_the_tile(algorithm, value):
    """Key 70 is seen from row 70 on, whose query tile begins with row 64: multiplied whole, and 0 · NaN is NaN. naive has no tiles."""
    inputs = changed(SQUARE, V=with_one(70, 3, value))
    out, expected = attend(algorithm, SQUARE, inputs), definition(SQUARE, inputs)
    require_alike(out[70:], expected[70:])
    require_alike(np.delete(out, 3, axis=1), np.delete(expected, 3, axis=1))
    untouched = 70 if algorithm == "naive" else 64
    require_alike(out[:untouched], expected[:untouched])
    assert np.isnan(out[untouched:70, 3]).all()


@every_rung
def test_rows_that_see_no_key_are_zeros_whatever_the_keys_hold(algorithm):
    inputs = changed(FEW_KEYS, K=with_one([0, 1], 3, [NAN, INF]), Q=with_one([2, 3], 5, [NAN, INF]))
    out, expected = attend(algorithm, FEW_KEYS, inputs), definition(FEW_KEYS, inputs)
    assert not out[:60].any() and not expected[:60].any() and np.isnan(out[60:]).all() and np.isnan(expected[60:]).all()


def test_the_reference_tells_a_row_without_keys_from_one_without_a_softmax():
    inputs = {name: array[None, None] for name, array in changed(FEW_KEYS, Q=abs, K=lambda k: 0 * k - INF).items()}
    with np.errstate(invalid="ignore"):
        out = reference.attention(*(inputs[name] for name in "QKV"), FEW_KEYS.mask, FEW_KEYS.scale)[0, 0]
    assert not out[:60].any() and np.isnan(out[60:]).all()
