"""Fission: the kernel's statements sorted into what every thread runs between two barriers and what the block runs once.

An interval is a run of statements without a barrier. Executing it for thread 0, then for thread 1, and so on is one of the orders that
a GPU may choose, as long as threads do not race. Loops and branches that contain a barrier stay around the intervals they contain.
"""
import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from numba_kernels.cpu.names import mentioned, stored
from numba_kernels.cpu.text import has_barrier, is_barrier
from numba_kernels.cpu.uniform import Uniformity


@dataclass(eq=False)
class Interval:
    """What every thread runs from one barrier to the next. start: where it starts, in words."""

    start: str
    statements: list[ast.stmt] = field(default_factory=list)


@dataclass(eq=False)
class Once:
    """A statement that the block runs once, for all threads."""

    statement: ast.stmt


@dataclass(eq=False)
class Around:
    """A loop or branch with barriers inside. header: the ast node, of which only the test or the range counts."""

    header: ast.For | ast.While | ast.If
    body: list["Part"]
    orelse: list["Part"] = field(default_factory=list)


class Barrier:
    """Where the threads wait for each other; intervals without one between them are one, cut for another reason."""


Part = Interval | Once | Around | Barrier


def split(statements: list[ast.stmt], uniformity: Uniformity, start: str = "from the start") -> list[Part]:
    """The statements as parts, in an order that gives the same result."""
    parts, current = [], Interval(start)
    for statement in statements:
        if is_barrier(statement):
            parts.append(Barrier())
            current = Interval(f"after the barrier of line {statement.lineno}")
        elif has_barrier(statement):
            place = f"the {'branch' if isinstance(statement, ast.If) else 'loop'} of line {statement.lineno}"
            body, orelse = (split(inner, uniformity, f"inside {place}") for inner in (statement.body, statement.orelse))
            parts.append(Around(statement, body, orelse))
            current = Interval(f"after {place}")
        elif uniformity.once(statement):
            if changed := stored(statement) & mentioned(current.statements):  # the threads need the value from before: they all go first
                current = Interval(f"after {min(changed)} changes for all")
            before_threads = parts.index(current) if current in parts else len(parts)
            parts.insert(before_threads, Once(statement))
        else:
            if current not in parts:
                parts.append(current)
            current.statements.append(statement)
    return parts


def intervals(parts: list[Part], in_loop: bool = False) -> Iterator[tuple[Interval, bool]]:
    """Every interval in order, and whether a loop around it brings it round again."""
    for part in parts:
        match part:
            case Interval():
                yield part, in_loop
            case Around():
                yield from intervals(part.body + part.orelse, in_loop or not isinstance(part.header, ast.If))
