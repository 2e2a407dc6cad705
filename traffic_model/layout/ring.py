"""Ring: how a sequence is shared out over GPUs, and which K/V block each of them has in which step.

Each of G GPUs holds a Gth of the queries and of K and V, in order, the first ones one row more where it does not come out even. In each
of G steps every GPU works on the K/V block that it has and, but for the last step, hands it to the next GPU, so that after G − 1 moves
each has met every block.

Source: Liu, Zaharia and Abbeel 2023, Ring Attention with Blockwise Transformers for Near-Infinite Context, arXiv:2310.01889.
"""
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from traffic_model.errors import Refusal
from traffic_model.problem import AttentionProblem

FULL, DIAGONAL, SKIPPED = "full", "diagonal", "skipped"  # how much of a block the mask leaves
MOST_GPUS = 256


@dataclass(frozen=True)
class RingPart:
    """One GPU in one step, both from 0. owner: whose K/V block it has; problem: its queries with that block, None where it is skipped;
    first, last: of the blocks that this GPU works on; hands_on: whether the block goes to the next GPU."""

    gpu: int
    step: int
    owner: int
    kind: str
    problem: AttentionProblem | None
    first: bool
    last: bool
    hands_on: bool


def require_ring(problem: AttentionProblem, gpus: int) -> None:
    """Raises Refusal for more GPUs than rows and for a causal mask over N ≠ M."""
    if not 1 <= gpus <= min(MOST_GPUS, problem.seq_len, problem.kv_len):
        raise Refusal(f"{gpus} GPUs cannot share {problem.seq_len:,} queries and {problem.kv_len:,} keys; "
                      f"take 1 to {min(MOST_GPUS, problem.seq_len, problem.kv_len):,}.")
    if problem.mask != "full" and problem.seq_len != problem.kv_len:
        raise Refusal(f"a {problem.mask} ring shares one sequence: {problem.kv_len:,} keys are not {problem.seq_len:,} queries; "
                      "leave --kv-len out, or take the full mask.")


def shared_out(rows: int, gpus: int) -> list[int]:
    """Where each GPU's rows begin, and the end of the last's: as even as whole rows are.

    >>> shared_out(10, 4)
    [0, 3, 6, 8, 10]
    """
    return [gpu * (rows // gpus) + min(gpu, rows % gpus) for gpu in range(gpus + 1)]


def ring_parts(problem: AttentionProblem, gpus: int) -> Iterator[RingPart]:
    """GPU by GPU, each in its G steps."""
    queries, keys = ([end - start for start, end in pairwise(shared_out(rows, gpus))] for rows in (problem.seq_len, problem.kv_len))
    for gpu in range(gpus):
        owners = [(gpu - step) % gpus for step in range(gpus)]
        kinds = [kind_of(problem, gpu, owner) for owner in owners]
        worked = [step for step, kind in enumerate(kinds) if kind != SKIPPED]
        for step, (owner, kind) in enumerate(zip(owners, kinds)):
            mask = problem.mask if kind == DIAGONAL else "full"
            part = replace(problem, seq_len=queries[gpu], kv_len=keys[owner], mask=mask) if kind != SKIPPED else None
            yield RingPart(gpu, step, owner, kind, part, step == worked[0], step == worked[-1], step < gpus - 1)


def kind_of(problem: AttentionProblem, gpu: int, owner: int) -> str:
    """Queries and keys are cut at the same rows where the mask is causal."""
    if problem.mask == "full" or owner < gpu:
        return FULL
    return DIAGONAL if owner == gpu else SKIPPED
