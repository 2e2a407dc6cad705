"""Lifetimes: what becomes of a thread's own values when its statements are cut into intervals.

Most live and die within one interval and stay plain variables. Of those that a later interval reads,
    coordinates (`row = threadIdx.x % 64`), assigned once from coordinates and arguments, are worked out again where they are needed;
    the rest are kept: one element per thread in an array, loaded before the thread's statements and stored after them.
Of local arrays, those that an interval uses before it has filled them anew have a row per thread: short ones, which are taken for
registers (memory), are restored from it and saved to it, long ones are used where they lie.
"""
import ast
from dataclasses import dataclass

from numba_kernels.cpu.fills import unfilled
from numba_kernels.cpu.fission import Interval, Once, Part, intervals
from numba_kernels.cpu.flow import exposed
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import changed, loaded, stored


@dataclass(frozen=True)
class Interchange:
    """What one interval does around a thread's statements: load and store values, restore and save local arrays."""

    recompute: list[ast.stmt]
    load: list[str]
    store: list[str]
    restore: list[str]
    save: list[str]


class Lifetimes:
    """recomputed: name -> its assignment; kept: names with an element per thread; private: those that live within an interval;
    saved, rows: short and long local arrays with a row per thread; unfilled: interval -> arrays that it uses before it has filled them."""

    def __init__(self, parts: list[Part], assigned: dict[str, list[ast.stmt]], shared_by_threads: set[str], memory: Memory):
        """assigned: name -> what assigns it; shared_by_threads: names that are no thread's own: tallies, arguments, coordinates."""
        every = list(intervals(parts))
        self.recomputed = _recomputable(parts, assigned, shared_by_threads)
        own = set().union(*(stored(interval.statements) for interval, _ in every)) - shared_by_threads - memory.names
        self.kept = (own & set().union(*(exposed(interval.statements)[0] for interval, _ in every))) - self.recomputed.keys()
        self.private = own - self.kept - self.recomputed.keys()
        shapes = {name: array.shape for name, array in memory.local.items()}
        self.unfilled = {interval: unfilled(interval.statements, shapes)[0] for interval, _ in every}
        outliving = set().union(*self.unfilled.values())
        self.saved, self.rows = outliving & memory.registers, outliving - memory.registers

    def of(self, interval: Interval) -> Interchange:
        """What this interval works out again, loads and stores, in a settled order."""
        reads, surely = exposed(interval.statements)
        writes = stored(interval.statements)
        needed = self._with_sources(reads & self.recomputed.keys() - writes)
        return Interchange([statement for name, statement in self.recomputed.items() if name in needed],
                           sorted(self.kept & (reads | (writes - surely))), sorted(self.kept & writes),
                           sorted(self.saved & self.unfilled[interval]), sorted(self.saved & changed(interval.statements)))

    def _with_sources(self, names):
        """These coordinates and the ones they are worked out from."""
        sources = set().union(*(loaded(self.recomputed[name]) & self.recomputed.keys() for name in names))
        return names if sources <= names else self._with_sources(names | sources)


def _recomputable(parts, assigned, shared_by_threads):
    """Names assigned once, at the top level, from literals, arguments, coordinates and other such names."""
    steady = {name for name in shared_by_threads if name not in assigned}
    found = {}
    for part in parts:
        for statement in part.statements if isinstance(part, Interval) else [part.statement] if isinstance(part, Once) else []:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if len(assigned[name]) == 1 and _settled(value, steady, assigned):
                    steady.add(name)
                    if isinstance(part, Interval):
                        found[name] = statement
    return found


def _settled(value, steady, assigned):
    """Whether an expression has one value throughout the block: no array element, no name that changes."""
    pure = not any(isinstance(node, ast.Subscript) for node in ast.walk(value))
    return pure and all(name in steady or name not in assigned for name in loaded(value))
