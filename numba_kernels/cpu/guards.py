"""Guards: the source that checks every index before it is used.

    s += tile[uint64(j)]      ->      s += tile[shadowed_read(tile_shadow, faults, ACCESSES[3], this, epoch, born, begin, j, tile.size)]

The guard returns an index that can be used, so that a kernel with a fault runs to its end. What it compares with is in shadow.py.
"""
import ast
import math
from typing import NamedTuple

import numba

from numba_kernels.cpu.coordinates import Coordinates
from numba_kernels.cpu.fission import Part, intervals
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import Names, stored
from numba_kernels.cpu.shadow import COLUMNS, shadowed_read, shadowed_write, within
from numba_kernels.cpu.unfaithful import Unfaithful


class Access(NamedTuple):
    """One place in the kernel's text where an array's element is read or written."""

    line: int
    array: str
    write: bool


class Guards(ast.NodeTransformer):
    """Rewrites the statements of all intervals. accesses: what the table of accesses is about."""

    def __init__(self, parts: list[Part], memory: Memory, at: Coordinates, names: Names, header: Header, faults: str,
                 starts: dict[str, str], dynamic_bytes: int):
        """faults: name of the array of faults; starts: view -> name of where it begins in its array; dynamic_bytes: of shared memory."""
        self.memory, self.at, self.np, self.uint64, self.faults, self.starts = memory, at, header.np, header.uint64, faults, starts
        self.dynamic_bytes = dynamic_bytes
        self.int64 = header.bound(numba.int64)
        self.within, self.read, self.write = map(header.shared, (within, shadowed_read, shadowed_write))
        self.table, self.this, self.epoch, self.born = map(names, ("ACCESSES", "this", "epoch", "born"))
        self.first, self.nothing = names("first_thread"), names("nothing")
        dynamic = [name for name, array in memory.shared.items() if array.shape == (0,)]
        self.owner = {name: dynamic[0] if name in dynamic else name for name in memory.hbm | memory.shared.keys()}
        self.shadows = {name: names(f"{name}_shadow") for name in sorted(set(self.owner.values()))}
        self.accesses, self.rows, self.below = [], [], {}  # below: counter of a loop that is being visited -> what it stays below
        for interval, _ in intervals(parts):
            interval.statements = [self.visit(statement) for statement in interval.statements]
        header.constant(self.table, f"{self.np}.array({self.rows}, {self.np}.int64).reshape({len(self.rows)}, 4)")

    def declarations(self) -> list[str]:
        """A shadow for each array in shared memory or HBM; two names of the dynamic shared memory have one."""
        shadows = [f"{shadow} = {self.np}.zeros(({name}.size, {COLUMNS}), {self.np}.int64)" for name, shadow in self.shadows.items()]
        return [*shadows, f"{self.epoch} = {self.int64}(0)", f"{self.nothing} = {self.int64}(0)"]

    def at_block(self, block: str) -> list[str]:
        """What a block begins with: shared memory that nobody has written yet, and the number of its first thread."""
        return [f"{self.epoch} += 1", f"{self.born} = {self.epoch}", f"{self.first} = {block} * {math.prod(self.at.threads)}"]

    def at_barrier(self) -> list[str]:
        return [f"{self.epoch} += 1"]

    def at_thread(self, number: str) -> str:
        return f"{self.this} = {self.first} + {number}"

    def visit_For(self, node):
        match node.iter:
            case ast.Call(args=[*start, ast.Constant(value=bound)]) if all(map(_from_zero, start)):
                if node.target.id not in stored(node.body):
                    self.below[node.target.id] = bound
        self.generic_visit(node)
        self.below.pop(node.target.id, None)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self.memory.names and not self._surely_inside(node):
            node.slice = self._guarded(node, node.slice, isinstance(node.ctx, ast.Store))
        return node

    def visit_AugAssign(self, node):
        """`tile[i] += x` reads the element and writes it."""
        node.value = self.visit(node.value)
        if isinstance(node.target, ast.Subscript) and not self._surely_inside(node.target):
            node.target.slice = self._guarded(node.target, self.visit(node.target.slice), write=False)
            node.target.slice = self._guarded(node.target, node.target.slice, write=True)
        return node

    def _surely_inside(self, node):
        """Whether this is an element of a local array whose indices are literals or counters that stay inside: no need to look."""
        if node.value.id not in self.memory.local:
            return False
        indices = map(self._signed, node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
        most = [each.value if isinstance(each, ast.Constant) else self.below.get(ast.unparse(each), math.inf) - 1 for each in indices]
        return all(0 <= top < size for top, size in zip(most, self.memory.local[node.value.id].shape))

    def _guarded(self, node, index, write):
        """The index of an element, with a guard around it, or around the last of several and a check of the others."""
        array = node.value.id
        indices = index.elts if isinstance(index, ast.Tuple) else [index]
        row = self._row(node, indices, write)
        sizes = self._sizes(array)
        if len(indices) != len(sizes):
            raise Unfaithful(node, f"takes {ast.unparse(node)}, which is not one element of {array}")
        if array in self.memory.local:
            checked = [self._within(row, each, size) for each, size in zip(indices, sizes)]
        else:
            begin = self.starts.get(array, self.nothing)
            for place, outer in enumerate(indices[:-1], 1):
                begin = f"{begin} + {ast.unparse(self._signed(outer))} * {' * '.join(sizes[place:])}"
            function = self.write if write else self.read
            shadow = self.shadows[self.owner[self.memory.origin(array)]]
            last = f"{function}({shadow}, {self.faults}, {row}, {self.this}, {self.epoch}, {self.born}, {begin}, " \
                   f"{ast.unparse(self._signed(indices[-1]))}, {sizes[-1]})"
            checked = [self._within(row, each, size) for each, size in zip(indices[:-1], sizes)] + [_parsed(last)]
        return ast.Tuple(checked, ast.Load()) if isinstance(index, ast.Tuple) else checked[0]

    def _row(self, node, indices, write):
        """A row of the table of accesses, and what it is about."""
        array = self.memory.origin(node.value.id)
        from_end = not all(self._unsigned(index) for index in indices)
        self.rows.append((len(self.accesses), int(from_end), int(array in self.memory.shared), math.prod(self.at.threads)))
        self.accesses.append(Access(node.lineno, node.value.id, write))
        return f"{self.table}[{len(self.rows) - 1}]"

    def _within(self, row, index, size):
        return _parsed(f"{self.within}({self.faults}, {row}, {self.this}, {ast.unparse(self._signed(index))}, {size})")

    def _sizes(self, array):
        """Of the array's dimensions, as source that is no literal: a literal would compile a guard of its own."""
        declared = (self.memory.local | self.memory.shared).get(array)
        if declared is None:  # of HBM, or a view
            return [f"{array}.size"]
        shape = declared.shape if declared.shape != (0,) else (self.dynamic_bytes // declared.dtype.itemsize,)
        return [f"{self.int64}({size})" for size in shape]

    def _unsigned(self, index):
        return isinstance(index, ast.Call) and isinstance(index.func, ast.Name) and index.func.id == self.uint64

    def _signed(self, index):
        """The index without its cast, which would hide that it is negative."""
        return index.args[0] if self._unsigned(index) else index


def _from_zero(node):
    return isinstance(node, ast.Constant) and node.value >= 0


def _parsed(source):
    return ast.parse(source, mode="eval").body
