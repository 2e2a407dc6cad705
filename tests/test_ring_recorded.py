"""Rings recorded on two H200s: counts as predicted, the README's figures, whole lines, and what the Ring page tells of them."""
import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
import shapes
from streamlit.testing.v1 import AppTest
from test_ring_run import require_exact

from app.ring import recorded as page
from app.ring.recorded import recorded
from app.settings import Settings
from numba_kernels import ring_saved, saved
from numba_kernels.__main__ import main
from traffic_model import AttentionProblem, Ledger, Refusal, Tiling, find_gpu
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.layout.ring import SKIPPED
from traffic_model.units import milliseconds

H200 = find_gpu("H200 SXM")
[RECORDED] = ring_saved.recorded()
README = " ".join((Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8").split())
LONGEST = AttentionProblem(65536, heads=4)


@pytest.mark.parametrize("run", RECORDED.runs, ids=lambda run: f"{run.gpus}-{run.problem}")
def test_every_launch_and_copy_counted_what_is_predicted_and_outputs_are_right(run):
    require_exact(run, run.tiling)
    assert run.layout == FusedRingLayout.resolve(run.problem, run.tiling, H200) and run.backend == "gpu"
    assert 0 < run.relative_error < shapes.TOLERANCES[run.problem.dtype] and run.max_abs_error > 0
    assert len(run.ring_times_ms) == 20 and run.peer_access is (True if run.gpus > 1 else None)


@pytest.mark.parametrize("change", ["a byte of a cell", "a byte of a copy"])
def test_a_byte_too_many_is_noticed(change):
    run = next(run for run in RECORDED.runs if run.gpus > 1)
    first, *others = run.steps
    (cell, size), *cells = first.ledger.items()
    wrong = replace(first, ledger=Ledger(dict([(cell, size + 1), *cells]), first.ledger.measures)) if change.endswith("cell") else \
        replace(first, sent_bytes=first.sent_bytes + 1)
    with pytest.raises(AssertionError):
        require_exact(replace(run, steps=(wrong, *others)), run.tiling)


def test_the_readme_says_what_was_recorded():
    runs, error = RECORDED.runs, lambda dtype: max(run.relative_error for run in RECORDED.runs if run.problem.dtype == dtype)
    of = {gpus: [run for run in runs if run.gpus == gpus] for gpus in (1, 2)}
    lengths = [run.problem.seq_len for run in runs]
    took = {gpus: milliseconds(median(run.ring_times_ms)) for gpus in of for run in of[gpus] if run.problem == LONGEST}
    assert len(runs) == len(of[1]) + len(of[2])
    for said in (f"On two H200s: {len(runs)} rings, {len(of[2])} of two GPUs and {len(of[1])} of one, full and causal",
                 f"from N = {min(lengths):,} to {max(lengths):,}",
                 f"at most {rounded_up(error('float32'))} in float32 and {rounded_up(error('bfloat16'))} in bfloat16",
                 f"N = 65,536, 4 heads, d = 64, float32, full, two took {took[2]} where one took {took[1]}"):
        assert said in README
    assert {run.problem.mask for run in runs} == {"full", "causal"}
    assert any(run.problem.seq_len % run.tiling.block_q for run in runs) and any(run.problem.kv_heads < run.problem.heads for run in runs)


def rounded_up(error: float) -> str:
    """3.4e-6 of 3.31e-6."""
    power = math.floor(math.log10(error))
    return f"{math.ceil(error / 10**power * 10) / 10:.1f}e{power}"


def test_the_file_is_small_names_the_gpu_and_is_no_file_of_runs():
    [path] = ring_saved.RINGS.glob("*.jsonl")
    assert path.stat().st_size < 150_000 and path not in [file.path for file in saved.recorded()]
    assert set(RECORDED.header) == set(saved.recorded()[0].header) and RECORDED.header["gpu"] == H200.driver_name
    assert [run.line for run in RECORDED.runs] == saved.objects(path)[1:]  # nothing of a line is lost


def set_in(*place, to):
    def change(line):
        *path, last = place
        for name in path:
            line = line[name]
        line[last] = to

    return change


@pytest.mark.parametrize(("change", "said"), [
    (lambda line: line.pop("steps"), "it lacks or does not know 'steps'"),
    (lambda line: line["steps"].pop(), "it has 3 steps, where each of 2 GPUs takes 2"),
    (set_in("gpus", to=9**9), "387420489 GPUs cannot share"),
    (set_in("gpus", to="2"), "gpus is '2'"),
    (set_in("peer_access", to="yes"), "peer_access is 'yes'"),
    (set_in("seed", to=-1), "seed is -1"),
    (set_in("algorithm", to="fused"), "algorithm of the ring is 'fused', where the rest makes it 'ring'"),
    (set_in("layout", "shared_bytes", to=1), "layout of the ring is"),
    (set_in("relative_error", to=None), "relative_error is None"),
    (set_in("ring_times_ms", 3, to=0), "ring_times_ms are not all between"),
    (set_in("sent_bytes", to=1), "sent_bytes of the ring is 1, where the rest makes it"),
    (set_in("steps", 0, "gpu", to=1), "gpu of GPU 0 in step 0 is 1"),
    (set_in("steps", 0, "sent_bytes", to=-1), "sent_bytes of GPU 0 in step 0 is -1"),
    (set_in("steps", 0, "ledger", 0, "bytes", to=1), "requested_bytes of"),
    (set_in("steps", 0, "ledger", 0, "array", to="w"), "'w'"),
    (set_in("steps", 1, "times_ms", to=[1.0]), "times_ms of GPU 0 in step 1 are 1, not 20"),
    (set_in("steps", 1, "copy_times_ms", to=[1.0] * 20), "copy_times_ms of GPU 0 in step 1 are 20, not 0"),
    (set_in("steps", 2, "copy_gb_per_s", to=5.0), "copy_gb_per_s of GPU 1 in step 0 is 5.0, where the rest makes it"),
    (set_in("counting", to="everything"), "'everything'")])
def test_a_broken_line_is_refused_in_a_sentence(tmp_path, change, said):
    line = json.loads(json.dumps(RECORDED.runs[0].line))
    change(line)
    path = tmp_path / "rings.jsonl"
    path.write_text("\n".join(map(json.dumps, [RECORDED.header, RECORDED.runs[0].line, line])))
    with pytest.raises(Refusal) as refusal:
        ring_saved.read(path)
    assert str(refusal.value).startswith("rings.jsonl line 3 is not usable: ") and said in str(refusal.value)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 300


@pytest.mark.parametrize("run", [run for run in RECORDED.runs if run.gpus == 2], ids=lambda run: str(run.problem))
def test_the_page_tells_a_recorded_ring_with_its_own_times(run):
    said, launches = recorded(Settings(run.problem, run.tiling, H200), 2), sum(step.part.kind != SKIPPED for step in run.steps)
    alone = [one for one in RECORDED.runs if (one.gpus, one.problem) == (1, run.problem)]
    took = [milliseconds(median(each.ring_times_ms)) for each in (run, *alone)]
    assert said == (f"Recorded on 2 × NVIDIA H200, 30 Nov 2026: {launches} launches and 2 copies, every byte as predicted; once round "
                    f"{', on one GPU '.join(took)}; error against float64 {run.relative_error:.1e}.")


def test_of_a_ring_that_was_not_recorded_it_tells_nothing():
    assert recorded(Settings(LONGEST, Tiling(), H200), 2)
    for change in (dict(seq_len=32768, kv_len=32768), dict(kv_len=32768), dict(heads=8, kv_heads=8), dict(kv_heads=2), dict(batch=2),
                   dict(head_dim=128), dict(dtype="float16"), dict(scale=1.0)):
        assert recorded(Settings(replace(LONGEST, **change), Tiling(), H200), 2) is None
    assert recorded(Settings(LONGEST, Tiling(64, 32), H200), 2) is None
    assert recorded(Settings(LONGEST, Tiling(), H200), 3) is None
    assert recorded(Settings(LONGEST, Tiling(), find_gpu("H100 SXM5")), 2) is None


def test_a_recording_that_counted_otherwise_is_not_called_right(monkeypatch):
    run = next(run for run in RECORDED.runs if run.gpus == 2)
    first, *others = run.steps
    for wrong in (replace(first, sent_bytes=first.sent_bytes + 1), replace(first, ledger=Ledger({}, first.ledger.measures))):
        other = [(RECORDED.header, [replace(run, steps=(wrong, *others))])]
        monkeypatch.setattr(page, "shipped", lambda other=other: other)
        assert "4 launches and 2 copies, 5 as predicted;" in recorded(Settings(run.problem, run.tiling, H200), 2)


def ring_page():
    import streamlit as st

    from app.settings import Settings
    from app.views import ring
    from traffic_model import AttentionProblem, Tiling, find_gpu

    ring.show(Settings(AttentionProblem(65536, heads=4), Tiling(), find_gpu("H200 SXM")), st.sidebar.container())


@pytest.mark.parametrize(("members", "told"), [(2, [recorded(Settings(LONGEST, Tiling(), H200), 2)]), (4, [])])
def test_the_page_shows_what_was_recorded_on_as_many_gpus(members, told):
    opened = AppTest.from_function(ring_page, default_timeout=30)
    opened.query_params.update(members=str(members))
    opened.run()
    assert not opened.exception and [text.value for text in opened.caption if text.value.startswith("Recorded on")] == told


@pytest.mark.parametrize("counting", ["requests", "off"])
def test_the_command_adds_rings_to_a_file(tmp_path, capsys, counting):
    path = tmp_path / "new" / "rings.jsonl"
    words = ["ring", *"--seq-len 5 --head-dim 16 --block-q 16 --block-k 16 --backend simulator".split(), "--counting", counting, "--out"]
    for gpus in (1, 2):
        assert main([*words, str(path), "--gpus", str(gpus), "--json"]) == 0
    *_, whole = map(json.loads, capsys.readouterr().out.splitlines())
    header, runs = ring_saved.read(path)
    assert [run.gpus for run in runs] == [1, 2] and runs[1].record() == whole and header["gpu"] == "none (simulator backend)"
    before = path.read_text()
    assert main([*words, str(path), "--gpus", "9"]) == 2 and path.read_text() == before
    runs_file = tmp_path / "runs.jsonl"
    for record in saved.objects(saved.RECORDED / "h200_float32.jsonl")[:2]:
        saved.append(runs_file, record)
    assert main([*words, str(runs_file)]) == 2 and "runs.jsonl line 2 is not usable: it lacks" in capsys.readouterr().err
