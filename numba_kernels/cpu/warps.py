"""Warps: the source that looks at a kernel's accesses a warp at a time, and adds their measures to the counts.

Threads of an interval run in groups of 32 instead of all in one loop. Each lane lays its accesses down in the interval's log (steps),
and when the last lane is through, the log holds every warp access, ready to be measured (warp_log).
"""
import ast

from numba_kernels.cpu.fission import Interval, Once, Part
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import Names
from numba_kernels.cpu.steps import Steps
from numba_kernels.cpu.tally import Tally
from numba_kernels.cpu.warp_log import begins, begun, opened, tallied
from numba_kernels.spec import KernelSpec
from traffic_model.vocabulary import Space


class Warps:
    """What the source has beside the kernel's own statements. steps: the logs of its intervals."""

    def __init__(self, parts: list[Part], tally: Tally, spec: KernelSpec, memory: Memory, names: Names, header: Header, counts: str):
        """Rewrites the parts' statements. counts: name of the counts, [cells, measures]."""
        self.counts = counts
        self.opened, self.begun, self.tallied = map(header.copied, (opened, begun, tallied))
        starts = {view: names(f"{view}_begins") for view in memory.views}
        if starts:
            _find_starts(parts, starts, memory, header.copied(begins))
        self.steps = Steps(parts, tally, names, header, self.opened, starts)
        rows = [(site.cell, site.bytes, int(spec.cells[site.cell].space == Space.SHARED)) for site in self.steps.sites]
        table = lambda rows: f"{header.np}.array({rows}, {header.np}.int64).reshape({len(rows)}, {len(rows[0]) if rows else 1})"
        self.sites = header.constant(names("SITES"), table(rows))
        header.constant(self.steps.table, table([tuple(loop) for loop in self.steps.loops]))

    @property
    def parameters(self) -> list[str]:
        """What the function takes after the counts: a workspace."""
        return [self.steps.log, self.steps.follow, self.steps.used]

    @property
    def size(self) -> tuple[int, int]:
        """Of the workspace: logs, and loops of the log that has most."""
        return len(self.steps.logs), max((log.loops for log in self.steps.logs.values()), default=0)

    def declarations(self) -> list[str]:
        return [f"{self.begun}({', '.join(self.parameters)}, {self.steps.table})"]

    def after_lanes(self, interval: Interval) -> list[str]:
        """What is done with a warp once its last lane is through."""
        return [f"{self.tallied}({self.steps.log}, {self.steps.used}, {self.steps.int64}({self.steps.logs[interval].number}), {self.sites}, {self.counts})"]


def _find_starts(parts, starts, memory, begins):
    """After each view a statement that finds where in its array it begins. Views are cut at the top level, for all threads at once."""
    for place in reversed(range(len(parts))):
        match parts[place]:
            case Once(statement=ast.Assign(targets=[ast.Name(id=view)])) if view in starts:
                [statement] = ast.parse(f"{starts[view]} = {begins}({view}, {memory.origin(view)})").body
                parts.insert(place + 1, Once(statement))
