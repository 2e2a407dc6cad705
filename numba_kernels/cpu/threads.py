"""Threads: one interval written down as loops over the threads of a block."""
import ast
import math

from numba_kernels.cpu.coordinates import Coordinates
from numba_kernels.cpu.fission import Interval
from numba_kernels.cpu.guards import Guards
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.lifetimes import Lifetimes
from numba_kernels.cpu.names import Names, mentioned
from numba_kernels.cpu.registers import restore, save
from numba_kernels.cpu.warp_log import LANES
from numba_kernels.cpu.warps import Warps

INDENT = "    "


class ThreadLoops:
    """Writes intervals: the thread loops, x fastest, and in them what each thread loads, does and stores."""

    def __init__(self, at: Coordinates, lifetimes: Lifetimes, names: Names, header: Header, warps: Warps | None,
                 guards: Guards | None):
        """warps: how the accesses of a warp are looked at, guards: how indices are checked, None if they are not."""
        self.at, self.lifetimes, self.uint64, self.warps, self.guards = at, lifetimes, header.uint64, warps, guards
        self.first, self.number = names("first_thread"), names("thread_number")
        self.this_thread = names("this_thread")
        self.arrays = {name: names(f"{name}_of") for name in sorted(lifetimes.kept | lifetimes.saved)}  # what is kept -> the array of it
        self.restore, self.save = map(header.shared, (restore, save)) if lifetimes.saved else ("", "")
        self.rows = _Rows(lifetimes.rows, self.this_thread)

    def lines(self, interval: Interval) -> list[str]:
        """The interval, under a comment that says where it starts."""
        own = self.lifetimes.of(interval)
        body = statement_lines(own.recompute)
        if own.load or own.store or (self.lifetimes.saved | self.lifetimes.rows) & mentioned(interval.statements):
            body.insert(0, f"{self.this_thread} = {self.uint64}({self._number()})")
        if self.guards:
            body.insert(0, self.guards.at_thread(self._number()))
        body += [f"{name} = {self.arrays[name]}[{self.this_thread}]" for name in own.load]
        body += [f"{self.restore}({name}, {self.arrays[name]}, {self.this_thread})" for name in own.restore]
        body += statement_lines(map(self.rows.visit, interval.statements))
        body += [f"{self.save}({name}, {self.arrays[name]}, {self.this_thread})" for name in own.save]
        body += [f"{self.arrays[name]}[{self.this_thread}] = {name}" for name in own.store]
        if self.warps and interval in self.warps.steps.logs:
            return [f"# every warp, {interval.start}", *self._by_warp(body, self.warps.after_lanes(interval, self.first))]
        for name, size in zip(self.at.thread, self.at.threads):
            if size > 1:
                body = [f"for {name} in range({size}):", *indented(body)]
        return [f"# every thread, {interval.start}", *body]

    def _by_warp(self, body, after):
        """A loop over warps of 32 consecutive threads, x fastest, and in it one over their lanes; after it what is done with the warp."""
        threads = math.prod(self.at.threads)
        lanes = LANES if threads % LANES == 0 else f"min({LANES}, {threads} - {self.first})"
        coordinates, stride = [f"{self.number} = {self.first} + {self.warps.steps.lane}"], 1
        for name, size in zip(self.at.thread, self.at.threads):
            if size > 1:
                along = self.number if stride == 1 else f"{self.number} // {stride}"
                coordinates.append(f"{name} = {along}" if stride * size == threads else f"{name} = {along} % {size}")
            stride *= size
        lane_loop = [f"for {self.warps.steps.lane} in range({lanes}):", *indented(coordinates + body)]
        return [f"for {self.first} in range(0, {threads}, {LANES}):", *indented(lane_loop + after)]

    def _number(self):
        """A thread's number within its block."""
        terms, stride = [], 1
        for name, size in zip(self.at.thread, self.at.threads):
            if size > 1:
                terms.append(name if stride == 1 else f"{stride} * {name}")
            stride *= size
        return " + ".join(terms) or "0"


class _Rows(ast.NodeTransformer):
    """An element of a local array that has a row per thread gets the thread's number in front of its index."""

    def __init__(self, rows: set[str], this_thread: str):
        self.rows, self.this_thread = rows, this_thread

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.rows):
            return node
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return ast.Subscript(node.value, ast.Tuple([ast.Name(self.this_thread, ast.Load()), *indices], ast.Load()), node.ctx)


def statement_lines(statements) -> list[str]:
    """Statements as source lines, those that do nothing left out."""
    return [line for statement in statements if not isinstance(statement, ast.Pass)
            for line in ast.unparse(ast.fix_missing_locations(statement)).splitlines()]


def indented(lines: list[str]) -> list[str]:
    """The lines one level deeper; `pass` if there are none."""
    return [INDENT + line for line in lines or ["pass"]]
