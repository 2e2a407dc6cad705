"""Ring attention over several GPUs: what each moves through its HBM and to its neighbour, per step. A model, exact in bytes.

Who has which block in which step is in layout/ring.py, and is the paper's. That each step is one launch of this project's fused kernel,
its running results (O in fp32, not yet divided, m and ℓ) in HBM between steps and combined as online softmax does, is this project's:
numba_kernels/fused_ring.py.

Not modelled: time, and so whether a copy hides behind a step; the other orders of the rows, which spread a causal mask's work evenly.
"""
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from traffic_model.cells import HBM, READ, SHARED_BYTES, STATS, WRITE, O, ledger
from traffic_model.gpus import Gpu
from traffic_model.layout.ring import SKIPPED, kind_of, require_ring, ring_parts, shared_out
from traffic_model.ledger import Ledger
from traffic_model.predict import predict
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure

ALGORITHM = "fused"  # what runs in each step
STATISTICS = 2 * SHARED_BYTES  # m and ℓ of a row, fp32


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
    require_ring(problem, gpus)
    return Ring(problem, tiling, gpu, gpus, tuple(_steps(problem, tiling, gpu, gpus)))


def _steps(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, gpus: int) -> Iterator[RingStep]:
    row_bytes = 2 * problem.batch * problem.kv_heads * problem.head_dim * problem.element_bytes  # of K and V
    blocks = [row_bytes * (end - start) for start, end in pairwise(shared_out(problem.kv_len, gpus))]
    for part in ring_parts(problem, gpus):
        further = ((part.gpu + more) % gpus for more in range(1, gpus - part.step))  # the GPUs that the block still comes to
        needed = any(kind_of(problem, number, part.owner) != SKIPPED for number in further)
        sent = blocks[part.owner] * part.hands_on
        pairs, flops = (part.problem.visible_pairs, part.problem.flops) if part.problem else (0, 0)
        moved = _moved(part.problem, tiling, gpu, part.first, part.last) if part.problem else ledger({}, {})
        yield RingStep(part.gpu, part.step, part.owner, part.kind, pairs, flops, moved, sent, 0 if needed else sent,
                       blocks[part.owner - 1] * part.hands_on)


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
