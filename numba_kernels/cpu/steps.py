"""Steps: each access of a warp laid down in a log, one row for each iteration of the loops around it and one column for each lane.

The lanes of a warp run an interval one after the other, each through loops of its own length. What they do together is found again by
counting: the second iteration of one lane belongs to the second iteration of every other. So the first lane to get somewhere opens a
step there, an iteration of a loop inside a step of the loop around it, and `follow[step, loop]` leads the others to the same place:

    for c in range(d):                       step = 0
        notes[3] = row + c                   for c in range(d):
        s += Q[uint64(row + c)]       ->         if follow[uint64(step), 0] == 0:
                                                     opened(log, follow, used, step, LOOPS[1])
                                                 step = follow[uint64(step), 0]
                                                 log[uint64(step), uint64(lane)] = row + c
                                                 s += Q[uint64(row + c)]

From the step before a loop `follow` leads to its first iteration, from an iteration to the next. A step is the first of its rows, one
for each access directly in it. Steps stay for the next warp; only the log is emptied (numba_kernels/cpu/warp_log.py).
"""
import ast
from typing import NamedTuple

import numba

from numba_kernels.cpu.fission import Part, intervals
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.names import Names
from numba_kernels.cpu.tally import Site, Tally
from numba_kernels.cpu.warp_log import ROWS


class Loop(NamedTuple):
    """A loop with accesses in it, in the table that `opened` takes its row from. log: number of the interval's log; place: among that
    interval's loops, −1 for what is outside all of them; site: row of the first access directly in it in the table of sites; sites: how
    many there are; number: of its first access, in the order of the text."""

    log: int
    place: int
    site: int
    sites: int
    number: int


class Steps:
    """Rewrites the notes of all intervals. logs: interval -> number of its log; loops, sites: the tables; log, follow, used, table,
    lane: names of the arrays, of the table of loops and of the lane."""

    def __init__(self, parts: list[Part], tally: Tally, names: Names, header: Header, opened: str, starts: dict[str, str]):
        """opened: name of the function that opens a step; starts: view -> name of where it begins in its array."""
        self.tally, self.names, self.uint64, self.int64 = tally, names, header.uint64, header.bound(numba.int64)
        self.opened, self.starts = opened, starts
        self.log, self.follow, self.used, self.table, self.lane = map(names, ("log", "follow", "used", "LOOPS", "lane"))
        self.logs, self.loops, self.sites = {}, [], []
        for interval, _ in intervals(parts):
            if self._noted(interval.statements):
                self.logs[interval] = self._lay(interval)

    def _lay(self, interval):
        self.number, before = len(self.logs), len(self.loops)
        root, step = self._new_loop(interval.statements, -1), self.names(f"step_{self.number}")
        self.first = before + 1
        head = _parsed(f"{step} = {self.int64}({ROWS * self.number})")
        interval.statements = [*head, *self._statements(interval.statements, step, iter(range(root.sites)))]
        return self.number

    def _statements(self, statements, step, places):
        """places: of the accesses of the innermost loop, in order, behind the row of its step."""
        return [new for statement in statements for new in self._statement(statement, step, places)]

    def _statement(self, statement, step, places):
        if not self._noted([statement]):
            return [statement]
        match statement:
            case ast.If():
                statement.body = self._statements(statement.body, step, places)
                statement.orelse = self._statements(statement.orelse, step, places)
                return [statement]
            case ast.For() | ast.While():
                return self._loop(statement, step)
        return [self._write(statement, step, next(places))]

    def _loop(self, statement, around):
        number, place = len(self.loops), len(self.loops) - self.first
        loop, step = self._new_loop(statement.body, place), self.names(f"{around}_{place}")
        after = f"{self.follow}[{self.uint64}({step}), {place}]"
        opening = f"{self.opened}({self.log}, {self.follow}, {self.used}, {step}, {self.table}[{number}])"
        head = _parsed(f"if {after} == 0:\n    {opening}\n{step} = {after}")
        statement.body = [*head, *self._statements(statement.body, step, iter(range(loop.sites)))]
        return [*_parsed(f"{step} = {around}"), statement]

    def _write(self, note, step, place):
        array = self._site(note).array
        start = [ast.Name(self.starts[array], ast.Load())] if array in self.starts else []
        row = f"{step} + {place}" if place else step
        [write] = _parsed(f"{self.log}[{self.uint64}({row}), {self.uint64}({self.lane})] = 0")
        write.value = ast.BinOp(note.value, ast.Add(), start[0]) if start else note.value
        return write

    def _new_loop(self, statements, place):
        """A row of the table of loops, and of the table of sites one for each access directly in the loop."""
        found = [self._site(note) for note in self._direct(statements)]
        first = min(self._site(node).number for statement in statements for node in ast.walk(statement) if self._is_note(node))
        self.loops.append(Loop(self.number, place, len(self.sites), len(found), first))
        self.sites += found
        return self.loops[-1]

    def _direct(self, statements):
        for statement in statements:
            if self._is_note(statement):
                yield statement
            elif isinstance(statement, ast.If):
                yield from self._direct(statement.body + statement.orelse)

    def _noted(self, statements):
        return any(self._is_note(node) for statement in statements for node in ast.walk(statement))

    def _is_note(self, node):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                return name == self.tally.notes
        return False

    def _site(self, note) -> Site:
        return self.tally.sites[note.targets[0].slice.value]


def _parsed(source):
    return ast.parse(source).body
