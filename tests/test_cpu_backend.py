"""The cpu backend: a kernel's text split at its barriers runs as Numba's simulator runs it and counts what is predicted."""
import re
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from small_kernels import CASES, CELLS, block_sum, case, load

from numba_kernels import cpu, fused, naive, simulator, tiled
from numba_kernels.cpu import compile as cpu_compile
from numba_kernels.cpu.generate import generate
from traffic_model import AttentionProblem, Ledger, Measure, Refusal, Tiling, find_gpu, predict

GPU = find_gpu("H200 SXM")
KERNELS = {"naive": naive.kernels, "fused": fused.kernels}
SHAPES = [  # the problems of a mask, a head size and a tiling share their compiled kernels; tests/test_counts.py has many more
    (AttentionProblem(65, kv_len=95, head_dim=64, heads=3, kv_heads=1), Tiling(64, 64)),
    (AttentionProblem(1, kv_len=31, head_dim=64), Tiling(64, 64)),
    (AttentionProblem(192, head_dim=64, batch=2), Tiling(64, 64)),
    (AttentionProblem(65, kv_len=64, head_dim=128, mask="causal", heads=4, kv_heads=2, scale=0.3), Tiling(32, 16)),
    (AttentionProblem(17, kv_len=47, head_dim=128, mask="causal"), Tiling(32, 16)),
]


@pytest.fixture(autouse=True, scope="module")
def fresh_cache(tmp_path_factory):
    """The user's own cache is left alone, and so is what other tests have compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILESCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(cpu_compile, "READY", {})
        yield


@pytest.mark.parametrize("name", CASES)
def test_small_kernels_run_as_on_the_simulator(name):
    mine, theirs = CASES[name].arrays(), CASES[name].arrays()
    counted = cpu.launch(CASES[name].spec, mine, "requests")
    assert counted.tolist() == simulator.launch(CASES[name].spec, theirs, "requests").tolist()
    assert min(counted) > 0
    np.testing.assert_allclose(mine["Y"], theirs["Y"], rtol=0, atol=1e-6)  # NaN where the kernel writes nothing, in both


@pytest.mark.parametrize(("problem", "tiling"), SHAPES, ids=str)
@pytest.mark.parametrize("algorithm", KERNELS)
def test_attention_counts_what_is_predicted(algorithm, problem, tiling):
    prediction = predict(algorithm, problem, tiling, GPU)
    arrays = attention_arrays(problem)
    for spec, kernel in zip(KERNELS[algorithm](problem, prediction.layout), prediction.kernels):
        counted = Ledger.of(Measure.REQUESTED, dict(zip(spec.cells, map(int, cpu.launch(spec, arrays, "requests")))))
        assert kernel.ledger.only(Measure.REQUESTED).disagreements(counted) == []
    np.testing.assert_allclose(arrays["O"], exact_attention(problem, arrays), rtol=0, atol=1e-5)


def attention_arrays(problem):
    """Seeded inputs, outputs that are NaN until written."""
    random = np.random.default_rng(7)
    draw = lambda size: random.standard_normal(size // problem.element_bytes).astype(np.float32)
    poison = lambda size: np.full(size // problem.element_bytes, np.nan, np.float32)
    return dict(Q=draw(problem.query_bytes), K=draw(problem.key_bytes), V=draw(problem.key_bytes), O=poison(problem.query_bytes),
                S=poison(problem.score_matrix_bytes), P=poison(problem.score_matrix_bytes))


def exact_attention(problem, arrays):
    """O in float64, flat; rows that see no key are zero."""
    q, k, v = (arrays[name].astype(np.float64).reshape(-1, length, problem.head_dim)
               for name, length in (("Q", problem.seq_len), ("K", problem.kv_len), ("V", problem.kv_len)))
    sees = np.array([problem.keys_seen(row) for row in range(problem.seq_len)])
    visible = np.arange(problem.kv_len) < sees[:, None]
    rows = []
    for head in range(problem.query_heads):
        kv_head = head // (problem.heads // problem.kv_heads)
        p = np.where(visible, np.exp(problem.scale * q[head] @ k[kv_head].T), 0)
        rows.append(p / np.maximum(p.sum(1, keepdims=True), 1e-300) @ v[kv_head])
    return np.concatenate(rows).ravel()


def test_counting_off_leaves_no_tally_and_the_same_output():
    counting, off = CASES["block_sum"].arrays(), CASES["block_sum"].arrays()
    cpu.launch(CASES["block_sum"].spec, counting, "requests")
    assert cpu.launch(CASES["block_sum"].spec, off, "off").tolist() == [0] * len(CELLS)
    assert "+= 4" not in cpu.source(CASES["block_sum"].spec, "off") and "+= 4" in cpu.source(CASES["block_sum"].spec, "requests")
    assert off["Y"].tolist() == counting["Y"].tolist()


def test_an_off_by_one_is_noticed(tmp_path):
    planted = load(tmp_path, "off_by_one", Path(naive.__file__).read_text().replace("for c in range(d):", "for c in range(d - 1):"))
    problem = AttentionProblem(10, head_dim=16)
    prediction = predict("naive", problem, Tiling(), GPU)
    spec = planted.kernels(problem, prediction.layout)[0]
    counted = cpu.launch(spec, attention_arrays(problem), "requests")
    predicted = prediction.kernels[0].ledger.only(Measure.REQUESTED)
    assert predicted.disagreements(Ledger.of(Measure.REQUESTED, dict(zip(spec.cells, map(int, counted))))) == [
        "K hbm read requested: 6400 predicted, 6000 counted", "Q hbm read requested: 6400 predicted, 6000 counted"]


@pytest.mark.parametrize(("spec", "kept"), [
    (CASES["carousel"].spec, dict(negatives=numba.int64, largest=numba.float32, touched=numba.boolean)),
    (tiled.kernels(SHAPES[-1][0], predict("tiled", *SHAPES[-1], GPU).layout)[1],
     dict.fromkeys(("m", "l", "m_other", "l_other"), numba.float32)),
], ids=["carousel", "softmax"])
def test_values_keep_their_type_across_barriers(spec, kept):
    types = compiled_types(spec)
    assert {name: types[name] for name in kept} == {name: {found} for name, found in kept.items()}
    arrays = {name: found for name, [found, *_] in types.items() if name.endswith("_of") and found.ndim == 1}
    assert arrays == {f"{name}_of": numba.types.Array(found, 1, "C") for name, found in kept.items()}


def compiled(spec, arrays):
    """A kernel as Numba knows it."""
    cpu.launch(spec, arrays, "requests")
    [function] = [ready for (kernel, _), ready in cpu_compile.READY.items() if kernel == generate(spec, "requests")]
    return function


def test_registers_are_summed_side_by_side():
    problem, tiling = SHAPES[0]
    [spec] = fused.kernels(problem, predict("fused", problem, tiling, GPU).layout)
    [code] = compiled(spec, attention_arrays(problem)).inspect_llvm().values()
    alone = len(re.findall("= fmul [a-z ]*float ", code))
    together = sum(map(int, re.findall(r"= fmul [a-z ]*<(\d+) x float> ", code)))
    assert together > 3 * alone > 0  # products in the code: five times as many, and none at all where registers are not seen as such


def compiled_types(spec):
    """The types that Numba gave each variable of a compiled kernel; it splits some variables in several, x into x and x.1."""
    arrays = CASES[spec.launch.name].arrays() if spec.launch.name in CASES else attention_arrays(SHAPES[-1][0])
    [overload] = compiled(spec, arrays).overloads.values()
    types = {}
    for name, found in overload.type_annotation.typemap.items():
        types.setdefault(name.split(".")[0], set()).add(numba.types.unliteral(found))
    return types


def many_blocks(blocks):
    """block_sum on a long grid."""
    return case(block_sum, 32, (blocks, 1, 1), (32, 1, 1), 32 * blocks, blocks, (("n", 32 * blocks),))


def test_progress_is_told_in_the_calling_thread():
    told = []
    many = many_blocks(5000)
    cpu.launch(many.spec, many.arrays(), "requests", lambda done, total: told.append((done, total, threading.get_ident())))
    assert told == sorted(told) and told[-1][:2] == (5000, 5000)
    assert {(total, thread) for _, total, thread in told} == {(5000, threading.get_ident())}


def test_what_progress_raises_stops_the_run():
    def cancel(done, total):
        raise InterruptedError(f"cancelled at {done} of {total}")

    many = many_blocks(5000)
    arrays = many.arrays()
    with pytest.raises(InterruptedError, match="of 5000"):
        cpu.launch(many.spec, arrays, "requests", cancel)
    assert 1 <= np.isfinite(arrays["Y"]).sum() <= 2 * numba.config.NUMBA_NUM_THREADS  # the chunks of one block that were out
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("tilescope-cpu")]


@pytest.mark.parametrize(("counting", "change", "reason"), [
    ("bytes", lambda x: x, "counting bytes is not known on the cpu; choose off, requests, warps"),
    ("off", lambda x: x.astype(np.float64), "array X is float64"),
    ("off", lambda x: x[::2], "flat, contiguous, writable float32"),
])
def test_wrong_arguments_are_refused(counting, change, reason):
    arrays = CASES["scan"].arrays()
    with pytest.raises(Refusal, match=reason):
        cpu.launch(CASES["scan"].spec, arrays | {"X": change(arrays["X"])}, counting)
