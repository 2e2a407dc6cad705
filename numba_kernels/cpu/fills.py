"""Fills: which local arrays a run of statements uses before it has surely given a value to every element.

What fills an array is a loop over each of its dimensions, the next inside the last, that does nothing with it before:

    for r in range(4):
        for n in range(8):
            s[r, n] = float32(0)
"""
import ast
from collections.abc import Mapping

from numba_kernels.cpu.names import mentioned, stored


def unfilled(statements: list[ast.stmt], shapes: Mapping[str, tuple], filled: frozenset = frozenset()) -> tuple[set[str], frozenset[str]]:
    """(arrays used while not surely filled, arrays surely filled afterwards). shapes: of the arrays; filled: those filled before.

    A loop may run no round, unless it is one that fills.
    """
    used = set()
    for statement in statements:
        match statement:
            case ast.If():
                first, after_body = unfilled(statement.body, shapes, filled)
                second, after_orelse = unfilled(statement.orelse, shapes, filled)
                used |= first | second | (mentioned(statement.test) - filled)
                filled = after_body & after_orelse
            case ast.For() | ast.While():
                fills = _fills(statement, shapes)
                used |= unfilled(statement.body, shapes, filled | fills)[0]
                used |= mentioned(statement.iter if isinstance(statement, ast.For) else statement.test) - filled
                filled |= fills
            case _:
                used |= mentioned(statement) - filled
    return used & shapes.keys(), filled


def _fills(loop, shapes, counters=()):
    """The arrays that this loop fills. counters: (name, rounds) of the loops around it."""
    match loop:
        case ast.For(target=ast.Name(id=counter), iter=ast.Call(args=[ast.Constant(value=rounds)])):
            counters = (*counters, (counter, rounds))
        case _:
            return set()
    found, before = set(), set()
    for statement in loop.body:
        match statement:
            case ast.For():
                found |= _fills(statement, shapes, counters) - before
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=array), slice=index)], value=value):
                if array not in before | mentioned(value) and _is_each(index, shapes.get(array), counters):
                    found.add(array)
        before |= mentioned(statement)
    return {array for array in found if len(_indices(loop, array)) == 1} if found and _runs_through(loop, counter) else set()


def _runs_through(loop, counter):
    return counter not in stored(loop.body) and not any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(loop))


def _is_each(index, shape, counters):
    """Whether an index is the counters of the loops around it, which run through this shape."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return [(ast.unparse(part), size) for part, size in zip(parts, shape or ())] == list(counters) and len(parts) == len(shape)


def _indices(loop, array):
    """The different indices that are used of an array."""
    return {ast.unparse(node.slice) for node in ast.walk(loop) if isinstance(node, ast.Subscript) and ast.unparse(node.value) == array}
