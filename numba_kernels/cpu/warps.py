"""Warps: the source that looks at a kernel's accesses a warp at a time, and adds their measures to the counts, or keeps them in a trace.

Threads of an interval run in groups of 32 instead of all in one loop. Each lane lays its accesses down in the interval's log (steps),
and when the last lane is through, the log holds every warp access, ready to be measured (warp_log).
"""
from numba_kernels.cpu.fission import Interval, Part
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.names import Names
from numba_kernels.cpu.steps import Steps
from numba_kernels.cpu.tally import TRACE, Tally
from numba_kernels.cpu.warp_log import kept, opened, tallied
from numba_kernels.spec import KernelSpec
from traffic_model.vocabulary import Space


class Warps:
    """What the source has beside the kernel's own statements. steps: the logs of its intervals."""

    def __init__(self, parts: list[Part], tally: Tally, spec: KernelSpec, names: Names, header: Header, counts: str,
                 starts: dict[str, str]):
        """Rewrites the parts' statements. counts: name of the counts, [cells, measures]; starts: view -> name of where it begins."""
        self.counts = counts
        self.keeps, self.opened = tally.counting == TRACE, header.shared(opened)
        self.closed = header.shared(kept if self.keeps else tallied)
        self.steps = Steps(parts, tally, names, header, self.opened, starts)
        rows = [(site.cell, site.bytes, int(spec.cells[site.cell].space == Space.SHARED)) for site in self.steps.sites]
        table = lambda rows: f"{header.np}.array({rows}, {header.np}.int64).reshape({len(rows)}, {len(rows[0]) if rows else 1})"
        self.sites = header.constant(names("SITES"), table(rows))
        header.constant(self.steps.table, table([tuple(loop) for loop in self.steps.loops]))

    @property
    def parameters(self) -> list[str]:
        """What the function takes after the counts: a workspace."""
        return [self.steps.log, self.steps.follow, self.steps.used]

    def after_lanes(self, interval: Interval, first_thread: str) -> list[str]:
        """What is done with a warp once its last lane is through. first_thread: name of its first thread's number."""
        steps, number = self.steps, f"{self.steps.int64}({self.steps.logs[interval]})"  # a bare literal would have a version for each value
        about = first_thread if self.keeps else self.sites
        return [f"{self.closed}({steps.log}, {steps.used}, {number}, {about}, {self.counts})"]
