"""Ring attention over several GPUs: what each moves through its HBM and to its neighbour, per step. A model, exact in bytes.

Each of G GPUs holds a Gth of the queries and of K and V, in order, the first ones one row more where it does not come out even. In each
of G steps every GPU works on the K/V block that it has and, but for the last step, hands it to the next GPU, so that after G − 1 moves
each has met every block. Partial results are combined as online softmax does: a running O (fp32, not yet divided), m and ℓ.

Source: Liu, Zaharia and Abbeel 2023, Ring Attention with Blockwise Transformers for Near-Infinite Context, arXiv:2310.01889. The order
of the blocks is the paper's; that each step is one launch of this project's fused kernel, its running results in HBM between steps, is
this model's.

Not modelled: time, and so whether a copy hides behind a step; the other orders of the rows, which spread a causal mask's work evenly.
"""
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from traffic_model.cells import HBM, READ, SHARED_BYTES, STATS, WRITE, O, ledger
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.ledger import Ledger
from traffic_model.predict import predict
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure

ALGORITHM = "fused"  # what runs in each step
FULL, DIAGONAL, SKIPPED = "full", "diagonal", "skipped"  # how much of a block the mask leaves
STATISTICS = 2 * SHARED_BYTES  # m and ℓ of a row, fp32
MOST_GPUS = 256


@dataclass(frozen=True)
class RingStep:
    """One GPU in one step, both from 0. owner: whose K/V block it has. visible_pairs: of one head. Bytes are over all heads.

    ledger: HBM, requested and compulsory, of the fused kernel and of what it combines with; empty where the block is skipped.
    sent_bytes: K and V to the next GPU; needless_bytes: those of them that no GPU further along the ring sees a pair of;
    received_bytes: from the one before. Copies also read the sender's HBM and write the receiver's.
    """

    gpu: int
    step: int
    owner: int
    kind: str
    visible_pairs: int
    flops: int
    ledger: Ledger
    sent_bytes: int
    needless_bytes: int
    received_bytes: int

    def record(self) -> dict:
        requested, compulsory = (self.ledger.total(measure) for measure in (Measure.REQUESTED, Measure.COMPULSORY))
        return dict(gpu=self.gpu, step=self.step, owner=self.owner, kind=self.kind, visible_pairs=self.visible_pairs, flops=self.flops,
                    requested_bytes=requested, compulsory_bytes=compulsory, combined_bytes=self.combined_bytes,
                    copied_bytes=self.sent_bytes + self.received_bytes, sent_bytes=self.sent_bytes, needless_bytes=self.needless_bytes,
                    received_bytes=self.received_bytes, ledger=self.ledger.records())

    @property
    def combined_bytes(self) -> int:
        """Of the requested ones: the running O and its statistics, in and out; not the output itself."""
        output = self.ledger.total(Measure.COMPULSORY, array=O, direction=WRITE)
        return sum(self.ledger.total(Measure.REQUESTED, array=array) for array in (O, STATS)) - output


@dataclass(frozen=True)
class Ring:
    """All of it. steps: GPU by GPU, each in its G steps."""

    problem: AttentionProblem
    tiling: Tiling
    gpu: Gpu
    gpus: int
    steps: tuple[RingStep, ...]

    def of_gpu(self, gpu: int) -> tuple[RingStep, ...]:
        return self.steps[gpu * self.gpus:(gpu + 1) * self.gpus]

    @cached_property
    def sent_bytes(self) -> int:
        """Over NVLink, by all GPUs: (G − 1) · (K and V)."""
        return sum(step.sent_bytes for step in self.steps)

    @cached_property
    def imbalance(self) -> float:
        """Pairs of the busiest GPU over the mean: 1 is even. Under a causal mask nearly 2 for many GPUs, since the last sees all."""
        each = [sum(step.visible_pairs for step in self.of_gpu(gpu)) for gpu in range(self.gpus)]
        return max(each) * self.gpus / sum(each)

    @cached_property
    def in_step(self) -> float:
        """The same where every step waits for its busiest GPU: the sum of each step's most pairs over an even share of all."""
        most = [max(step.visible_pairs for step in self.steps[number::self.gpus]) for number in range(self.gpus)]
        return sum(most) * self.gpus / sum(step.visible_pairs for step in self.steps)


def ring(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int) -> Ring:
    """`gpus` of one kind in a ring. Raises Refusal for more GPUs than rows, a causal mask over N ≠ M, or a tiling the GPU cannot hold."""
    if not 1 <= gpus <= min(MOST_GPUS, problem.seq_len, problem.kv_len):
        raise Refusal(f"{gpus} GPUs cannot share {problem.seq_len:,} queries and {problem.kv_len:,} keys; "
                      f"take 1 to {min(MOST_GPUS, problem.seq_len, problem.kv_len):,}.")
    if problem.mask != "full" and problem.seq_len != problem.kv_len:
        raise Refusal(f"a {problem.mask} ring shares one sequence: {problem.kv_len:,} keys are not {problem.seq_len:,} queries; "
                      "leave --kv-len out, or take the full mask.")
    return Ring(problem, tiling, gpu, gpus, tuple(_steps(problem, tiling, gpu, gpus)))


def shared_out(rows: int, gpus: int) -> list[int]:
    """Where each GPU's rows begin, and the end of the last's: as even as whole rows are."""
    return [gpu * (rows // gpus) + min(gpu, rows % gpus) for gpu in range(gpus + 1)]


def _steps(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int) -> Iterator[RingStep]:
    queries, keys = ([end - start for start, end in pairwise(shared_out(rows, gpus))] for rows in (problem.seq_len, problem.kv_len))
    kinds = {(number, owner): _kind(problem, number, owner) for number in range(gpus) for owner in range(gpus)}
    row_bytes = 2 * problem.batch * problem.kv_heads * problem.head_dim * problem.element_bytes  # of K and V
    for number in range(gpus):
        worked = [step for step in range(gpus) if kinds[number, (number - step) % gpus] != SKIPPED]
        for step in range(gpus):
            owner, before, on_its_way = (number - step) % gpus, (number - step - 1) % gpus, step < gpus - 1
            kind = kinds[number, owner]
            needed = any(kinds[(number + more) % gpus, owner] != SKIPPED for more in range(1, gpus - step))  # by a GPU further along
            sent = row_bytes * keys[owner] * on_its_way
            part = replace(problem, seq_len=queries[number], kv_len=keys[owner], mask=problem.mask if kind == DIAGONAL else "full")
            pairs = part.visible_pairs if kind != SKIPPED else 0
            yield RingStep(number, step, owner, kind, pairs, part.flops if pairs else 0,
                           _moved(part, tiling, gpu, step == worked[0], step == worked[-1]) if pairs else ledger({}, {}), sent,
                           0 if needed else sent,
                           row_bytes * keys[before] * on_its_way)


def _kind(problem: AttentionProblem, gpu: int, owner: int) -> str:
    """Queries and keys are cut at the same rows where the mask is causal."""
    if problem.mask == "full" or owner < gpu:
        return FULL
    return DIAGONAL if owner == gpu else SKIPPED


@lru_cache(1024)
def _moved(part: AttentionProblem, tiling: Tiling, gpu: Gpu, first: bool, last: bool) -> Ledger:
    """HBM of one launch: the fused kernel's inputs, and its running results, which the first step does not read and the last one leaves
    as the output. Scratch is not compulsory."""
    cells = predict(ALGORITHM, part, tiling, gpu).ledger
    of = lambda measure: {key[:3]: size for key, size in cells.only(measure).items() if key[1] == HBM and key[0] != O}
    requested, compulsory, rows = of(Measure.REQUESTED), of(Measure.COMPULSORY), part.query_heads * part.seq_len
    running, statistics = rows * part.head_dim * SHARED_BYTES, rows * STATISTICS
    if not first:
        requested |= {(O, HBM, READ): running, (STATS, HBM, READ): statistics}
    if last:
        requested[O, HBM, WRITE] = compulsory[O, HBM, WRITE] = part.query_bytes
    else:
        requested |= {(O, HBM, WRITE): running, (STATS, HBM, WRITE): statistics}
    return ledger(requested, compulsory)
