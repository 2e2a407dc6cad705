"""Run and KernelRun: what came of running an algorithm, and the JSON object it is saved as."""
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from numba_kernels.ports import MEASURES, OFF
from traffic_model.layout import Launch, Layout
from traffic_model.ledger import Cell, Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure, Space


class Resources(NamedTuple):
    """What one thread and one block of a compiled kernel take. local_bytes > 0 means that registers spilled to memory."""

    registers_per_thread: int
    shared_bytes: int
    local_bytes: int


@dataclass(frozen=True)
class KernelRun:
    """One launch that ran. On cpu and simulator times and resources are None; the ledger is None when counting was off.

    times_ms: samples with counting off. counted_times_ms: a few with counting on, to say what counting costs.
    """

    launch: Launch
    ledger: Ledger | None
    times_ms: tuple[float, ...] | None = None
    counted_times_ms: tuple[float, ...] | None = None
    resources: Resources | None = None

    def record(self) -> dict:
        held = self.resources._asdict() if self.resources else dict.fromkeys(Resources._fields)
        return dict(name=self.launch.name, grid=list(self.launch.grid), block=list(self.launch.block), **ledger_record(self.ledger),
                    times_ms=listed(self.times_ms), counted_times_ms=listed(self.counted_times_ms), **held)


@dataclass(frozen=True)
class Run:
    """An algorithm that ran: a ledger per kernel, error of its output against float64 of the stored inputs."""

    algorithm: str
    problem: AttentionProblem
    tiling: Tiling
    layout: Layout
    backend: str
    counting: str
    seed: int  # of the normal inputs
    kernels: tuple[KernelRun, ...]
    checked_rows: int  # query rows of each head that the errors are over
    relative_error: float
    max_abs_error: float
    output: np.ndarray  # [batch, heads, seq_len, head_dim]
    accesses_checked: bool = False  # each of them, before it ran, and nothing was found

    @cached_property
    def ledger(self) -> Ledger | None:
        """The algorithm's ledger, the sum over its kernels; None when counting was off."""
        ledgers = [kernel.ledger for kernel in self.kernels]
        return None if None in ledgers else sum(ledgers[1:], ledgers[0])

    def record(self) -> dict:
        """The JSON object that `python -m numba_kernels run --json` prints and that a saved run holds on a line."""
        p = self.problem
        compulsory = p.compulsory_three_kernel_bytes if self.algorithm in ("naive", "tiled") else p.compulsory_one_kernel_bytes
        return dict(algorithm=self.algorithm, problem=p.record(), tiling=self.tiling.record(), layout=self.layout.record(),
                    **ledger_record(self.ledger), flops=p.flops, compulsory_bytes=compulsory, backend=self.backend,
                    counting=self.counting, seed=self.seed, checked_rows=self.checked_rows, relative_error=self.relative_error,
                    max_abs_error=self.max_abs_error, accesses_checked=self.accesses_checked,
                    kernels=[kernel.record() for kernel in self.kernels])


def ledger_of(cells: tuple[Cell, ...], counting: str, counts: np.ndarray) -> Ledger | None:
    """The ledger of a launch that counted these cells, a row of `counts` each and a column per measure; None when counting was off.

    Sectors are a measure of HBM only, wavefronts of shared memory only.
    """
    if counting == OFF:
        return None
    elsewhere = {Measure.SECTORS: Space.SHARED, Measure.WAVEFRONTS: Space.HBM}
    rows = zip(cells, counts.reshape(len(cells), len(MEASURES[counting])).tolist())
    return Ledger({(*cell, measure): count for cell, row in rows for measure, count in zip(MEASURES[counting], row)
                   if cell.space != elsewhere.get(measure)}, MEASURES[counting])


def ledger_record(ledger: Ledger | None) -> dict:
    """Its part of a JSON object."""
    return dict(measures=sorted(ledger.measures) if ledger is not None else [], ledger=ledger.records() if ledger is not None else [])


def listed(samples: tuple | None) -> list | None:
    """As JSON has it."""
    return None if samples is None else list(samples)
