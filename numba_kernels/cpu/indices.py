"""Indices: array indices that cannot be negative become unsigned, which saves the test for Python's negative ones and lets loops vectorise.

The ports do so for every access; here it is done for an array that the kernel indexes itself, where the index is seen to start from 0
or above: coordinates, literals, loops that count up, and sums, products and quotients of these.
"""
import ast

from numba_kernels.cpu.flow import assignments
from numba_kernels.cpu.text import Text

KEEP_SIGN = (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod, ast.RShift, ast.BitAnd, ast.BitOr)


def unsigned(text: Text, coordinates: set[str], registers: set[str], uint64: str) -> Text:
    """The text with `q[c]` as q[uint64(c)] wherever c is known not to be negative. registers: arrays that need no such help, since each
    index becomes a literal when the compiler unrolls the loops over them; uint64: that type's name."""
    known = set(coordinates)
    for name, (first, *others) in assignments(text.tree.body).items():  # in the order of the text
        if not others and _counts_up(first, known):
            known.add(name)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice) and ast.unparse(node.value) not in registers:
            node.slice = _cast(node.slice, known, uint64)
    return text._replace(tree=ast.fix_missing_locations(text.tree))


def _cast(index, known, uint64):
    if isinstance(index, ast.Tuple):
        return ast.Tuple([_cast(part, known, uint64) for part in index.elts], ast.Load())
    if isinstance(index, ast.Constant) or not _from_zero(index, known):
        return index
    return ast.copy_location(ast.Call(ast.Name(uint64, ast.Load()), [index], []), index)


def _counts_up(statement, known):
    match statement:
        case ast.For(iter=ast.Call(args=[_])):
            return True
        case ast.For(iter=ast.Call(args=[start, _, *step])):
            return _from_zero(start, known) and all(_from_zero(size, known) for size in step)
        case ast.Assign(targets=[ast.Name()], value=value):
            return _from_zero(value, known)
    return False


def _from_zero(node, known):
    match node:
        case ast.Constant(value=int(value)):
            return value >= 0
        case ast.Name(id=name):
            return name in known
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, KEEP_SIGN):
            return _from_zero(left, known) and _from_zero(right, known)
    return False
