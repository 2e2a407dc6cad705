"""RingRun and RingStepRun: what came of running ring attention, in the words that `python -m traffic_model ring --json` predicts in."""
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np

from numba_kernels.results import ledger_record, listed
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.layout.ring import SKIPPED, RingPart
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure, Space


@dataclass(frozen=True)
class RingStepRun:
    """One GPU in one step.

    ledger: counted by its launch, with no cell where the block was skipped; None when counting was off.
    sent_bytes, received_bytes: booked by the copies that moved them.
    times_ms, copy_times_ms: device time of the launch and of handing the block on, a sample each time round; None where there is none.
    """

    part: RingPart
    ledger: Ledger | None
    sent_bytes: int
    received_bytes: int
    times_ms: tuple[float, ...] | None = None
    copy_times_ms: tuple[float, ...] | None = None

    @property
    def requested_bytes(self) -> int | None:
        """Through HBM, without what the copies read and write there; None when counting was off."""
        return None if self.ledger is None else self.ledger.total(Measure.REQUESTED, space=Space.HBM)

    @property
    def copy_gb_per_s(self) -> float | None:
        """Of the block's own bytes, by the middle sample."""
        return self.sent_bytes / median(self.copy_times_ms) / 1e6 if self.copy_times_ms else None

    def record(self) -> dict:
        part = self.part
        return dict(gpu=part.gpu, step=part.step, owner=part.owner, kind=part.kind, requested_bytes=self.requested_bytes,
                    copied_bytes=self.sent_bytes + self.received_bytes, sent_bytes=self.sent_bytes, received_bytes=self.received_bytes,
                    **ledger_record(self.ledger), times_ms=listed(self.times_ms), copy_times_ms=listed(self.copy_times_ms),
                    copy_gb_per_s=self.copy_gb_per_s)


@dataclass(frozen=True)
class RingRun:
    """All of it. steps: GPU by GPU, each in its G steps; layout: of every launch, but for which block is its first and last.

    peer_access: whether blocks went from GPU to GPU and not through the host; None without copies or without GPUs.
    ring_times_ms: the host's clock, from the first launch being queued to the last GPU being done; None off the GPU.
    """

    problem: AttentionProblem
    tiling: Tiling
    layout: FusedRingLayout
    gpus: int
    backend: str
    counting: str
    seed: int
    steps: tuple[RingStepRun, ...]
    peer_access: bool | None
    ring_times_ms: tuple[float, ...] | None
    checked_rows: int  # query rows of each head that the errors are over
    relative_error: float
    max_abs_error: float
    output: np.ndarray | None  # [batch, heads, seq_len, head_dim]; None of a ring out of a file

    @cached_property
    def sent_bytes(self) -> int:
        """By all GPUs."""
        return sum(step.sent_bytes for step in self.steps)

    @property
    def requested_bytes(self) -> int | None:
        """Through the HBM of all GPUs; None when counting was off."""
        each = [step.requested_bytes for step in self.steps]
        return None if None in each else sum(each)

    def record(self) -> dict:
        """All GPUs and steps."""
        skipped = sum(step.part.kind == SKIPPED for step in self.steps)
        return dict(algorithm="ring", problem=self.problem.record(), tiling=self.tiling.record(), layout=self.layout.record(),
                    gpus=self.gpus, backend=self.backend, counting=self.counting, seed=self.seed, flops=self.problem.flops,
                    skipped_steps=skipped, requested_bytes=self.requested_bytes, sent_bytes=self.sent_bytes, peer_access=self.peer_access,
                    ring_times_ms=listed(self.ring_times_ms), checked_rows=self.checked_rows, relative_error=self.relative_error,
                    max_abs_error=self.max_abs_error)

    @property
    def line(self) -> dict:
        """All that came of it but the output, as a saved ring holds it on a line."""
        return self.record() | dict(steps=[step.record() for step in self.steps])
