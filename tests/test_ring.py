"""The ring: its parts add up to one GPU's attention, what it sends is a closed form, and its order computes attention."""
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traffic_model import AttentionProblem, Ledger, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model.__main__ import main
from traffic_model.layout.ring import DIAGONAL, FULL, SKIPPED, shared_out
from traffic_model.ring import Ring, ring
from traffic_model.vocabulary import Array, Direction

H200 = find_gpu("H200 SXM")


@st.composite
def rings(draw) -> Ring:
    gpus, kv_heads, mask = draw(st.integers(1, 9)), draw(st.integers(1, 3)), draw(st.sampled_from(["full", "causal"]))
    n = draw(st.integers(gpus, 2000))
    m = n if mask == "causal" else draw(st.integers(gpus, 2000))
    heads, head_dim = kv_heads * draw(st.integers(1, 3)), draw(st.sampled_from([16, 64, 96]))
    dtype = draw(st.sampled_from(["float32", "float16"]))
    problem = AttentionProblem(n, head_dim, heads, draw(st.integers(1, 2)), kv_heads, m, dtype, mask)
    return ring(problem, Tiling(draw(st.sampled_from([16, 64])), 32), H200, gpus)


@settings(max_examples=60, deadline=None, database=None)
@given(found=rings())
def test_parts_add_up_to_one_gpus_attention(found):
    p, gpus = found.problem, found.gpus
    total = lambda name: sum(getattr(step, name) for step in found.steps)
    assert (total("visible_pairs"), total("flops")) == (p.visible_pairs, p.flops)
    assert total("sent_bytes") == total("received_bytes") == found.sent_bytes == (gpus - 1) * 2 * p.key_bytes
    written = sum(step.ledger.total(Measure.COMPULSORY, array=Array.O, space=Space.HBM) for step in found.steps)
    assert written == p.query_bytes  # each row of the output once, by the GPU that has its query
    assert {(step.gpu, step.step) for step in found.steps} == {(gpu, step) for gpu in range(gpus) for step in range(gpus)}
    assert 1 <= found.imbalance <= 2 and found.imbalance <= found.in_step <= gpus


@settings(max_examples=60, deadline=None, database=None)
@given(found=rings())
def test_every_gpu_meets_every_block_once_and_gets_what_the_one_before_sends(found):
    gpus = found.gpus
    at = {(step.gpu, step.step): step for step in found.steps}
    for gpu in range(gpus):
        assert sorted(step.owner for step in found.of_gpu(gpu)) == list(range(gpus))
        for step in range(gpus - 1):
            after = at[(gpu + 1) % gpus, step + 1]
            assert (after.owner, at[(gpu + 1) % gpus, step].received_bytes) == (at[gpu, step].owner, at[gpu, step].sent_bytes)
    if found.problem.mask == "causal":
        kinds = [(step.kind, (step.owner > step.gpu) - (step.owner < step.gpu)) for step in found.steps]
        assert set(kinds) <= {(FULL, -1), (DIAGONAL, 0), (SKIPPED, 1)}
        assert all((step.visible_pairs == 0) == (step.kind == SKIPPED) == (not step.ledger) for step in found.steps)
        blocks = np.diff(shared_out(found.problem.kv_len, gpus)) * (2 * found.problem.key_bytes // found.problem.kv_len)
        needed = sum(int(block) * (gpus - 1 - owner) for owner, block in enumerate(blocks))  # up to the last GPU, which sees it
        assert found.sent_bytes - sum(step.needless_bytes for step in found.steps) == needed
    else:
        assert not any(step.needless_bytes for step in found.steps)


@settings(max_examples=40, deadline=None, database=None)
@given(found=rings())
def test_running_results_come_and_go_between_the_steps_of_a_gpu(found):
    p = found.problem
    for gpu in range(found.gpus):
        worked = [step.ledger for step in found.of_gpu(gpu) if step.kind != SKIPPED]
        rows = (shared_out(p.seq_len, found.gpus)[gpu + 1] - shared_out(p.seq_len, found.gpus)[gpu]) * p.query_heads
        moved = lambda array, way, some: [each.total(Measure.REQUESTED, array=array, space=Space.HBM, direction=way) for each in some]
        for array, row in ((Array.O, 4 * p.head_dim), (Array.STATS, 8)):
            assert moved(array, Direction.READ, worked) == [0] + [rows * row] * (len(worked) - 1)
            assert moved(array, Direction.WRITE, worked[:-1]) == [rows * row] * (len(worked) - 1)
        assert moved(Array.O, Direction.WRITE, worked[-1:]) == [rows * p.head_dim * p.element_bytes]
        assert moved(Array.STATS, Direction.WRITE, worked[-1:]) == [0]
    combined = sum(step.combined_bytes for step in found.steps)
    requested = sum(step.ledger.total(Measure.REQUESTED) for step in found.steps)
    alone = sum(predict("fused", replace(p, seq_len=q, kv_len=k, mask=p.mask if kind == DIAGONAL else "full"), found.tiling, H200)
                .ledger.total(Measure.REQUESTED, space=Space.HBM) - q * p.query_heads * p.head_dim * p.element_bytes
                for q, k, kind in _parts(found))
    assert requested == alone + combined + p.query_bytes


def _parts(found: Ring):
    queries, keys = (np.diff(shared_out(rows, found.gpus)).tolist() for rows in (found.problem.seq_len, found.problem.kv_len))
    return [(queries[step.gpu], keys[step.owner], step.kind) for step in found.steps if step.kind != SKIPPED]


@pytest.mark.parametrize("problem", [AttentionProblem(1000, 80, 6, 2, 2, dtype="float16", mask="causal"), AttentionProblem(300, kv_len=77)],
                         ids=str)
def test_one_gpu_is_the_fused_prediction(problem):
    [step] = ring(problem, Tiling(), H200, 1).steps
    fused = predict("fused", problem, Tiling(), H200).ledger
    assert step.ledger == Ledger({key: size for key, size in fused.items() if key[1] == Space.HBM}, fused.measures)
    assert (step.sent_bytes, step.received_bytes, step.combined_bytes) == (0, 0, 0)


@pytest.mark.parametrize(("n", "m", "gpus", "mask"), [(23, 23, 5, "causal"), (8, 8, 8, "causal"), (17, 30, 4, "full"), (9, 9, 1, "causal")])
def test_the_order_of_the_ring_computes_attention(n, m, gpus, mask, fresh_seed):
    """In float64, each GPU keeping O, m and ℓ between its steps."""
    random, problem = np.random.default_rng(fresh_seed), AttentionProblem(n, 16, kv_len=m, mask=mask)
    q, k, v = (random.normal(size=(rows, 16)) for rows in (n, m, m))
    sees = np.arange(m) < np.array([problem.keys_seen(row) for row in range(n)])[:, None]
    scores = np.where(sees, q @ k.T * problem.scale, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = weights @ v / weights.sum(1, keepdims=True)
    (rows, keys), found = (shared_out(each, gpus) for each in (n, m)), ring(problem, Tiling(), H200, gpus)
    for gpu in range(gpus):
        mine = slice(rows[gpu], rows[gpu + 1])
        o, most, total = np.zeros((rows[gpu + 1] - rows[gpu], 16)), np.full(rows[gpu + 1] - rows[gpu], -np.inf), 0.0
        for step in found.of_gpu(gpu):
            block = slice(keys[step.owner], keys[step.owner + 1])
            assert step.visible_pairs == sees[mine, block].sum()
            if step.kind == SKIPPED:
                continue
            s = scores[mine, block]
            new = np.maximum(most, s.max(1))
            alpha, p = np.exp(most - new), np.exp(s - new[:, None])
            o, total, most = o * alpha[:, None] + p @ v[block], total * alpha + p.sum(1), new
        np.testing.assert_allclose(o / total[:, None], wanted[mine], rtol=1e-12, atol=1e-12)


def test_imbalance_of_a_causal_ring():
    found = ring(AttentionProblem(4096, mask="causal"), Tiling(), H200, 8)
    block = 512
    busiest = 7 * block**2 + block * (block + 1) // 2
    assert found.imbalance == busiest * 8 / AttentionProblem(4096, mask="causal").visible_pairs
    assert found.in_step == found.imbalance  # in each step but the first some GPU has a whole block
    assert ring(AttentionProblem(4096), Tiling(), H200, 8).imbalance == 1


def test_what_cannot_be_shared_is_refused(capsys):
    with pytest.raises(Refusal, match="9 GPUs cannot share 8 queries and 8 keys; take 1 to 8"):
        ring(AttentionProblem(8), Tiling(), H200, 9)
    for gpus in (0, 257):
        with pytest.raises(Refusal, match="take 1 to 256"):
            ring(AttentionProblem(4096), Tiling(), H200, gpus)
    with pytest.raises(Refusal, match="a causal ring shares one sequence"):
        ring(AttentionProblem(8, kv_len=9, mask="causal"), Tiling(), H200, 2)
    assert main(["ring", "--gpus", "0"]) == 2 and capsys.readouterr().err.startswith("0 GPUs cannot share")


def test_the_command_prints_each_step_and_the_whole(capsys):
    assert main(["ring", "--seq-len", "1000", "--gpus", "3", "--mask", "causal", "--json"]) == 0
    *steps, whole = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(steps) == 9 and whole["gpus"] == 3 and whole["skipped_steps"] == 3
    for name in ("flops", "requested_bytes", "compulsory_bytes", "combined_bytes", "sent_bytes", "needless_bytes"):
        assert whole[name] == sum(step[name] for step in steps)
    assert main(["ring", "--seq-len", "1000", "--gpus", "3", "--mask", "causal"]) == 0
    assert "The busiest GPU does 1.66× the mean" in capsys.readouterr().out
