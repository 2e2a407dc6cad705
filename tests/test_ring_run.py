"""The ring that runs: every launch and copy counts what is predicted, outputs are right, and what waits for what is enough."""
import json
import random
from types import SimpleNamespace

import numpy as np
import pytest
import shapes

from numba_kernels import ring_gpu, ring_host, ring_members
from numba_kernels.__main__ import main
from numba_kernels.device import cuda
from numba_kernels.ring import ring
from numba_kernels.run import OutOfMemory, gpu_available
from traffic_model import AttentionProblem, Ledger, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model import ring as model
from traffic_model.layout.ring import SKIPPED, ring_parts
from traffic_model.vocabulary import Array, Direction

H200 = find_gpu("H200 SXM")
SMALL = Tiling(16, 16)  # with d = 16; on the cpu backend a ring of two under the full mask, for which two kernels compile
GPUS = len(cuda.gpus) if gpu_available() else 0
CASES = [(2, AttentionProblem(103, 16, heads=4, batch=2, kv_heads=2)), (2, AttentionProblem(101, 16, kv_len=30))]
TINY = [(3, AttentionProblem(19, 16, dtype="bfloat16", heads=2, kv_heads=1, mask="causal")), (1, AttentionProblem(9, 16, mask="causal")),
        (3, AttentionProblem(4, 16, dtype="float16", kv_len=23))]
LONG = (5, AttentionProblem(101, 16, kv_len=30))  # a ring in which both buffers are used again
RUNS = [("cpu", *case) for case in CASES] + [("simulator", *case) for case in TINY]
ON_GPUS = [("gpu", gpus, AttentionProblem(n, d, 4, 1, 2, dtype=dtype, mask=mask)) for gpus in range(1, GPUS + 1)
           for mask in ("full", "causal") for n, d, dtype in ((4096, 64, "float32"), (1000, 128, "bfloat16"), (1001, 80, "float16"))]


def require_exact(found, tiling):
    """Every cell in HBM and every copy, GPU by GPU and step by step; in shared memory fused's cells, and m and ℓ being told."""
    predicted = model.ring(found.problem, tiling, H200, found.gpus)
    for counted, step, part in zip(found.steps, predicted.steps, ring_parts(found.problem, found.gpus), strict=True):
        assert (counted.part, counted.sent_bytes, counted.received_bytes) == (part, step.sent_bytes, step.received_bytes)
        assert step.ledger.only(Measure.REQUESTED).disagreements(within(counted.ledger, Space.HBM)) == []
        if part.kind != SKIPPED:
            fused, told = predict("fused", part.problem, tiling, H200), 0 if part.first else 2 * 4 * found.layout.block_q
            tiles = part.problem.query_heads * -(-part.problem.seq_len // found.layout.block_q)
            wanted = dict(within(fused.ledger.only(Measure.REQUESTED), Space.SHARED))
            wanted[Array.STATS, Space.SHARED, Direction.WRITE, Measure.REQUESTED] += tiles * told
            wanted[Array.STATS, Space.SHARED, Direction.READ, Measure.REQUESTED] += tiles * told * found.layout.thread_columns
            assert dict(within(counted.ledger, Space.SHARED)) == wanted
    assert found.sent_bytes == predicted.sent_bytes


def within(ledger, space):
    return Ledger({key: size for key, size in ledger.items() if key[1] == space}, ledger.measures)


@pytest.mark.parametrize(("backend", "gpus", "problem"), RUNS + ON_GPUS, ids=str)
def test_counted_equals_predicted_and_the_output_is_right(backend, gpus, problem, fresh_seed):
    tiling = SMALL if problem.head_dim == 16 else Tiling()
    found = ring(problem, tiling, H200, gpus, backend, seed=fresh_seed, repeat=2 if backend == "gpu" else 0)
    require_exact(found, tiling)
    assert found.relative_error < shapes.TOLERANCES[problem.dtype]
    if backend == "gpu":  # the output is that of the last round, when copies and launches went on at once
        assert len(found.ring_times_ms) == 2 and all(len(step.times_ms) == 2 for step in found.steps if step.part.kind != SKIPPED)


def test_a_needless_copy_is_noticed(monkeypatch):
    once = ring_host.Seat.hand_on
    monkeypatch.setattr(ring_host.Seat, "hand_on", lambda self, blocks, to, after: once(self, [*blocks, blocks[0]], to, after))
    found = ring(CASES[0][1], SMALL, H200, 2, "cpu")
    with pytest.raises(AssertionError):
        require_exact(found, SMALL)


class Late:
    """A launch or copy that has been queued: it happens once what it waits for has, and what its stream began before it."""

    def __init__(self, queue, waits, stream, begin):
        before = [each for each in queue if each.stream == stream][-1:]
        self.waits, self.stream, self.begin, self.done = [*waits, *before], stream, begin, None
        queue.append(self)

    def __getattr__(self, name):
        return getattr(self.done, name)


class LateSeat(ring_host.Seat):
    """Everything happens in `finish`, in an order that the draw chooses among those that are allowed, the most hurried stream first.
    Launches are numpy's, which need not be compiled."""

    queue, draw, heeds = [], random.Random(), True

    def launch(self, spec, arrays, counting, after):
        return Late(self.queue, after * self.heeds, (self, "launches"), lambda: ring_host.Launched(spec, in_numpy(spec, arrays)))

    def hand_on(self, blocks, to, after):
        begin = super().hand_on
        return Late(self.queue, after * self.heeds, (self, "copies"), lambda: begin(blocks, to, []))

    def finish(self):
        hurry = {stream: self.draw.random() ** 4 for stream in sorted({each.stream for each in self.queue}, key=str)}
        while self.queue:
            ready = [each for each in self.queue if all(other.done for other in each.waits)]
            chosen = self.draw.choices(ready, [hurry[each.stream] + 1e-3 for each in ready])[0]
            chosen.done = chosen.begin()
            self.queue.remove(chosen)


def in_numpy(spec, arrays):
    """What fused_ring makes of one head; no counts."""
    q, k, v = (arrays[name].reshape(-1, spec.layout.head_dim) for name in "QKV")
    s = dict(spec.sizes)["scale"] * q @ k.T
    m = s.max(1)
    p = np.exp(s - m[:, None])
    o, l, running, stats = p @ v, p.sum(1), arrays["o"].reshape(q.shape), arrays["STATS"].reshape(-1, 2)
    if not spec.layout.first:
        top = np.maximum(m, stats[:, 0])
        alpha, beta = np.exp(stats[:, 0] - top), np.exp(m - top)
        o, l, m = beta[:, None] * o + alpha[:, None] * running, beta * l + alpha * stats[:, 1], top
    if spec.layout.last:
        arrays["O"].reshape(q.shape)[:] = o / l[:, None]
    else:
        running[:], stats[:, 0], stats[:, 1] = o, m, l
    return np.zeros(len(spec.cells), np.int64)


@pytest.mark.parametrize(("gpus", "problem"), [LONG, (3, AttentionProblem(20, 16))], ids=str)
def test_any_order_that_the_waiting_allows_gives_the_same(gpus, problem, monkeypatch, fresh_seed):
    monkeypatch.setattr(ring_host, "seats", lambda gpus, backend: [LateSeat(backend) for _ in range(gpus)])
    monkeypatch.setattr(LateSeat, "draw", random.Random(fresh_seed))
    runs = [ring(problem, SMALL, H200, gpus, "cpu", seed=fresh_seed) for _ in range(10)]
    assert all(np.array_equal(run.output, runs[0].output) and run.relative_error < 1e-5 for run in runs)
    monkeypatch.setattr(LateSeat, "heeds", False)
    assert any(_wrong(problem, gpus, runs[0].output, fresh_seed) for _ in range(20))


def test_a_buffer_that_is_overwritten_too_early_is_noticed(monkeypatch):
    """With all the other waiting in place."""
    monkeypatch.setattr(ring_host, "seats", lambda gpus, backend: [LateSeat(backend) for _ in range(gpus)])
    monkeypatch.setattr(LateSeat, "draw", random.Random(1))
    gpus, problem = LONG
    right = ring(problem, SMALL, H200, gpus, "cpu").output
    known = ring_members._known
    monkeypatch.setattr(ring_members, "_known", lambda arrived, *done_with: known(arrived))
    assert any(_wrong(problem, gpus, right) for _ in range(40))


def _wrong(problem, gpus, right, seed=0):
    try:
        return not np.array_equal(ring(problem, SMALL, H200, gpus, "cpu", seed=seed).output, right)
    except Refusal:  # poison in the output
        return True


def test_what_cannot_run_is_refused_in_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(ring_gpu, "cuda", SimpleNamespace(gpus=["the only one"]))
    with pytest.raises(Refusal, match="a ring of 2 GPUs needs as many and this machine shows 1; take --gpus 1, or --backend cpu"):
        ring_gpu.seats(2, "gpu")
    monkeypatch.setattr(ring_host, "free_bytes", lambda: 10**6)
    with pytest.raises(OutOfMemory, match="a ring of 2 at N = 4,096 needs .* for each member and 500 kB are free"):
        ring(AttentionProblem(4096), Tiling(), H200, 2, "cpu")
    for words, said in (("--gpus 0", "0 GPUs cannot share"), ("--mask causal --kv-len 9", "A causal ring shares one sequence"),
                        ("--backend cpu --repeat 3", "Times come only from a GPU"), ("--backend simulator", "The simulator takes"),
                        ("--head-dim 256 --block-q 256 --block-k 256", "A 256×256 tiling at d = 256 needs")):
        assert main(["ring", *words.split()]) == 2 and capsys.readouterr().err.startswith(said)


def test_the_command_prints_each_step_and_the_whole(capsys):
    words = "ring --seq-len 13 --head-dim 16 --block-q 16 --block-k 16 --mask causal --backend simulator".split()
    assert main([*words, "--json"]) == 0
    *steps, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(steps) == 4 and whole["skipped_steps"] == 1 and whole["relative_error"] < 1e-5 and whole["ring_times_ms"] is None
    for name in ("requested_bytes", "sent_bytes"):
        assert whole[name] == sum(step[name] for step in steps) > 0
    predicted = model.ring(AttentionProblem(13, 16, mask="causal"), SMALL, H200, 2)
    assert [step["requested_bytes"] for step in steps] == [step.record()["requested_bytes"] for step in predicted.steps]
    assert main([*words, "--counting", "off"]) == 0
    said = capsys.readouterr().out
    assert "2 members on simulator" in said and "not counted" in said and f"{steps[0]['sent_bytes']:,}" in said
    assert f"Copied {whole['sent_bytes'] / 1e3:.2f} kB; error against float64" in said
