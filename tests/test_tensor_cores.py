"""fused_tensor_core: what it should move, what it refuses, what the compiler makes of it; and on a GPU, its counts and outputs."""
import itertools
import random
import re
import sys
from types import SimpleNamespace

import numpy as np
import offline
import pytest
import tile_events

from numba_kernels import reference, saved
from numba_kernels.__main__ import main
from numba_kernels.compare import Compared, Comparison, _ladder, _library
from numba_kernels.comparison_text import comparison_text
from numba_kernels.libraries import LibraryRun, torch_or_refuse
from numba_kernels.run import ALGORITHMS, gpu_available, run
from traffic_model import AttentionProblem, Measure, Refusal, Tiling, find_gpu, predict
from traffic_model.layout import LAYOUTS
from traffic_model.layout.fused_tensor_core import FusedTensorCoreLayout

NAME = "fused_tensor_core"
H200, A100 = find_gpu("H200 SXM"), find_gpu("A100 SXM4 80GB")
TILES = {H200: [(64, 64), (64, 128), (128, 64), (128, 128), (192, 64), (192, 128)],
         A100: [(64, 16), (64, 32), (64, 64), (128, 32), (128, 64)]}
TOLERANCES = dict(float16=4e-4, bfloat16=3e-3)  # p is rounded too, once


def drawn(draw: random.Random, gpu) -> tuple[AttentionProblem, Tiling]:
    """A problem of any kind that the tensor cores take, ragged and blind rows included, and a tiling."""
    kv_heads = draw.choice([1, 2])
    problem = AttentionProblem(
        draw.randint(1, 700), kv_len=draw.randint(1, 700), head_dim=draw.choice([64, 128]), kv_heads=kv_heads,
        heads=kv_heads * draw.choice([1, 3]), batch=draw.choice([1, 2]), dtype=draw.choice(["float16", "bfloat16"]),
        mask=draw.choice(["full", "causal", "causal"]), scale=draw.choice([None, None, -0.2, 0.0]))
    return problem, Tiling(*draw.choice(TILES[gpu]))


@pytest.mark.parametrize("gpu", TILES, ids=lambda gpu: gpu.name)
def test_every_move_enumerated_sums_to_the_closed_form(gpu, fresh_seed):
    draw = random.Random(fresh_seed)
    for _ in range(40):
        problem, tiling = drawn(draw, gpu)
        ledger = predict(NAME, problem, tiling, gpu).ledger
        closed = {key[:3]: count for key, count in ledger.items() if key[3] == Measure.REQUESTED and count}
        assert tile_events.requested(NAME, problem, tiling, gpu) == closed, (problem, tiling)


@pytest.mark.parametrize(("problem", "tiling", "gpu", "sentence"), [
    (dict(dtype="float32"), (64, 64), H200, "multiplies bfloat16 and float16, not float32; take fused"),
    (dict(head_dim=96), (64, 64), H200, "takes head dims 64 and 128, not 96; take fused"),
    (dict(), (64, 64), find_gpu("T4"), "from compute capability 8.0 on, and T4 has 7.5; take fused"),
    (dict(), (256, 64), H200, "takes query tiles of 64 or 128 or 192 on H200 SXM, not 256; the nearest is 192"),
    (dict(), (64, 16), H200, "takes key tiles of 64 or 128 on H200 SXM, not 16; the nearest is 64"),
    (dict(), (192, 64), A100, "takes query tiles of 64 or 128 on A100 SXM4 80GB, not 192; the nearest is 128"),
])
def test_what_tensor_cores_do_not_take_is_refused_with_what_to_take(problem, tiling, gpu, sentence):
    with pytest.raises(Refusal, match=re.escape(sentence)):
        predict(NAME, AttentionProblem(512, **dict(dtype="bfloat16") | problem), Tiling(*tiling), gpu)


@pytest.mark.parametrize("backend", ["cpu", "simulator", "gpu", "auto"])
def test_without_a_gpu_it_refuses(backend, monkeypatch):
    monkeypatch.setattr("numba_kernels.run.gpu_available", lambda: False)
    with pytest.raises(Refusal, match=r"the (cpu|simulator) backend has none; take fused"):
        run(NAME, AttentionProblem(64, dtype="float16"), Tiling(), H200, backend)


def test_a_tile_for_three_warpgroups_is_for_tensor_cores_alone():
    assert predict(NAME, AttentionProblem(512, dtype="float16"), Tiling(192, 128), H200).layout.threads == 4 * 128
    with pytest.raises(Refusal, match="a query tile of 192 is one that only fused_tensor_core takes; the nearest is 128"):
        predict("fused", AttentionProblem(512), Tiling(192, 128), H200)


def test_lanes_are_not_made_up_where_there_are_none():
    with pytest.raises(Refusal, match="an operand that a tensor core reads by itself have no lanes"):
        predict(NAME, AttentionProblem(512, dtype="float16"), Tiling(), H200).warps  # noqa: B018


def test_the_best_tiling_fills_the_multiprocessors():
    problem = lambda n, mask="full": AttentionProblem(n, heads=16, dtype="bfloat16", mask=mask)
    best = lambda *asked: FusedTensorCoreLayout.best_tiling(problem(*asked), H200).block_q
    assert best(1024) < 192 == best(16384)  # 96 blocks of 192 rows would leave 36 multiprocessors idle
    assert best(4096, "causal") < 192 == best(16384, "causal")  # so much of a large diagonal tile is masked
    for gpu in TILES:
        for n, d, mask in itertools.product((1, 1000, 16384), (64, 128), ("full", "causal")):
            problem = AttentionProblem(n, heads=16, dtype="bfloat16", head_dim=d, mask=mask)
            assert predict(NAME, problem, FusedTensorCoreLayout.best_tiling(problem, gpu), gpu).kernels


def test_a_comparison_is_a_table_with_the_fastest_first_and_a_file_of_runs(tmp_path):
    problem = AttentionProblem(1024, heads=16, dtype="bfloat16")
    rows = reference.checked_rows(1024, 1024)
    output = np.ones((1, 16, 1024, 64))
    slow, quick = (_library(LibraryRun(name, output, times), problem, output, rows, 0)
                   for name, times in (("PyTorch math", (4.0, 2.0, 3.0)), ("PyTorch flash", (0.5,))))
    text = comparison_text(Comparison(problem, 800.0, (slow, quick, Compared("PyTorch cuDNN", None, "no such kernel"))))
    assert text.index("PyTorch flash") < text.index("PyTorch math") < text.index("PyTorch cuDNN: no such kernel")
    assert re.search(r"PyTorch math +3.00 ms +1 +0 %", text) and "800 TFLOP/s" in text
    path = tmp_path / "runs.jsonl"
    for line in (dict(schema=saved.SCHEMA, gpu="NVIDIA H200", date="2026-01-01"), slow.record, quick.record):
        saved.append(path, line)
    assert [run["backend"] for run in saved.read(path).runs] == ["library", "library"]


def test_comparing_needs_a_gpu_and_pytorch_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr("numba_kernels.__main__.gpu_available", lambda: False)
    assert main(["compare"]) == 2 and "measures on a GPU and this machine shows none" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(Refusal, match="PyTorch is not installed here"):
        torch_or_refuse()
    monkeypatch.setattr("numba_kernels.__main__.gpu_available", lambda: True)
    for options, sentence in ((["--repeat", "0"], "--repeat 0 takes none"), (["--seed", "-5"], "Seed -5 is below zero"),
                              (["--mask", "full,causal", "--kv-len", "7"], "PyTorch aligns a causal mask top-left")):
        assert main(["compare", *options]) == 2 and sentence in capsys.readouterr().err


def test_a_refused_tiling_costs_its_own_line_alone(monkeypatch):
    def run(algorithm, problem, tiling, *_):
        if tiling == Tiling(128, 64):
            raise Refusal("too large")
        return SimpleNamespace(record=lambda: dict(tiling=tiling.record()))

    monkeypatch.setattr("numba_kernels.compare.run", run)
    found = list(_ladder("fused", AttentionProblem(64), [Tiling(128, 64), Tiling(64, 64)], H200, 0, 3, 1))
    assert [(each.name, each.refused) for each in found] == [("fused 128×64", "too large"), ("fused 64×64", "")]


def test_on_hopper_a_block_takes_one_query_tile_after_the_other():
    def blocks(n, block_q, mask="full"):
        problem = AttentionProblem(n, heads=16, dtype="bfloat16", mask=mask)
        return predict(NAME, problem, Tiling(block_q, 128), H200).kernels[0].launch.grid

    assert blocks(4096, 128) == (132, 1, 1) and blocks(4096, 64) == (264, 1, 1)  # as many as run at once
    assert blocks(1024, 128) == (128, 1, 1)  # all there are
    assert blocks(4096, 128, "causal") == (512, 1, 1)  # unequal ones go wherever a multiprocessor becomes free


def machine(gpu, head_dim, tiling, counting="off"):
    """(what ptxas says, opcodes in order) of a kernel, compiled without a GPU."""
    problem = AttentionProblem(4096, head_dim=head_dim, dtype="bfloat16", mask="causal")
    spec, = ALGORITHMS[NAME](problem, LAYOUTS[NAME].resolve(problem, Tiling(*tiling), gpu))
    capability, architecture = ((9, 0, "a"), "sm_90a") if gpu is H200 else ((8, 0), "sm_80")
    said, sass = offline.listing(offline.ptx(*offline.counted_text(spec, counting), spec.launch, capability), architecture)
    return said, offline.OPCODE.findall(sass)


@pytest.mark.parametrize(("gpu", "head_dim", "tiling"), [(H200, 64, (192, 128)), (H200, 128, (128, 128)), (A100, 64, (128, 64))],
                         ids=lambda value: getattr(value, "name", str(value)))
def test_the_machine_code_is_what_was_meant(gpu, head_dim, tiling):
    said, opcodes = machine(gpu, head_dim, tiling)
    products = [place for place, name in enumerate(opcodes) if name.startswith(("HGMMA", "HMMA"))]
    assert "serialized" not in said
    assert not [name for name in opcodes if name.startswith(("DADD", "DMUL", "DFMA")) or "F64" in name]
    assert not [name for name in opcodes[products[0]:products[-1]] if name.startswith(("LDL", "STL"))]  # what spills, spills between walks
    assert int(re.search(r"(\d+) bytes stack frame", said)[1]) <= 24
    meant = ("HGMMA", "UTMALDG", "USETMAXREG") if gpu is H200 else ("HMMA", "LDSM", "LDGSTS")
    assert all(any(name.startswith(one) for name in opcodes) for one in meant)
    if gpu is H200:
        assert_softmax_runs_beside_a_product(opcodes, *(("FMNMX", 64) if head_dim == 64 else ("MUFU.EX2", 64)))


def assert_softmax_runs_beside_a_product(opcodes: list[str], name: str, fewest: int) -> None:
    """Between the two waits of the loop, for s and for o, stand so many of these: the product that o waits for goes on meanwhile."""
    waits = [place for place, each in enumerate(opcodes) if each.startswith("WARPGROUP.DEPBAR")]
    between = [sum(each == name for each in opcodes[first:last]) for first, last in zip(waits, waits[1:])]
    products = [any(each.startswith("HGMMA") for each in opcodes[first:last]) for first, last in zip(waits, waits[1:])]
    assert any(exponentials >= fewest and not started for exponentials, started in zip(between, products))


if gpu_available():
    from numba_kernels.device import cuda

    HERE = H200 if cuda.get_current_device().compute_capability == (9, 0) else A100

    @pytest.mark.parametrize("gpu", dict.fromkeys((HERE, A100)), ids=lambda gpu: gpu.name)
    @pytest.mark.parametrize("number", range(12))
    def test_counted_equals_predicted_and_the_output_is_right(number, gpu, fresh_seed):
        draw = random.Random(fresh_seed)
        problem, tiling = drawn(draw, gpu)
        result = run(NAME, problem, tiling, gpu, "gpu", seed=fresh_seed)
        assert predict(NAME, problem, tiling, gpu).ledger.only(Measure.REQUESTED).disagreements(result.ledger) == []
        assert result.relative_error < TOLERANCES[problem.dtype]

    @pytest.mark.parametrize("gpu", dict.fromkeys((HERE, A100)), ids=lambda gpu: gpu.name)
    def test_counters_are_right_above_two_to_the_32(gpu):
        problem = AttentionProblem(16384, heads=16, dtype="bfloat16")
        result = run(NAME, problem, Tiling(64, 64), gpu, "gpu")
        assert predict(NAME, problem, Tiling(64, 64), gpu).ledger.only(Measure.REQUESTED).disagreements(result.ledger) == []
        assert result.ledger.total(Measure.REQUESTED) // 16 > 2**30
