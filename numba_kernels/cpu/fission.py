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
    """What every thread runs from one barrier to the next. since: the line of the barrier before it, 0 if it starts for another reason."""

    statements: list[ast.stmt]
    since: int = 0


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


Part = Interval | Once | Around


def split(statements: list[ast.stmt], uniformity: Uniformity) -> list[Part]:
    """The statements as parts, in an order that gives the same result."""
    parts, since = [], 0
    current = Interval([])
    for statement in statements:
        if is_barrier(statement):
            since = statement.lineno
            current = Interval([], since)
        elif has_barrier(statement):
            body, orelse = split(statement.body, uniformity), split(statement.orelse, uniformity)
            parts.append(Around(statement, body, orelse))
            current = Interval([])
        elif uniformity.once(statement):
            if stored(statement) & mentioned(current.statements):
                current = Interval([])  # the threads need the value from before: they all go first
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
