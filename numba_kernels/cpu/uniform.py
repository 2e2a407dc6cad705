"""Uniform: which names have the same value for every thread of a block, so that control flow with barriers may depend on them.

A name varies if it is ever assigned something that varies (threadIdx, an element of an array, another varying name), or by a statement
that threads run differently often. The block executes an assignment to a uniform name once; a compound statement that assigns anything
varying is left to the threads whole, and then everything it assigns varies. Starting from "all uniform", names are moved to "varying"
until nothing changes.
"""
import ast
from collections.abc import Iterable

from numba_kernels.cpu.memory import is_view
from numba_kernels.cpu.names import mentioned, name_nodes
from numba_kernels.cpu.text import first_line, has_barrier, is_barrier
from numba_kernels.cpu.unfaithful import Unfaithful


class Uniformity:
    """varying: for each varying name the line where it first is, None if it varies by nature."""

    def __init__(self, body: list[ast.stmt], by_nature: Iterable[str]):
        """by_nature: thread coordinates, arrays and tallies. Raises Unfaithful for a barrier that not all threads need reach alike."""
        self.varying = dict.fromkeys(by_nature)
        while self._grow(body):
            pass
        self._require_uniform_barriers(body)

    def uniform(self, node: ast.AST | None) -> bool:
        """Whether an expression is the same for every thread."""
        return node is None or self.varying.keys().isdisjoint(mentioned(node))

    def once(self, statement: ast.stmt) -> bool:
        """Whether the block as a whole can execute this statement, which contains no barrier."""
        match statement:
            case ast.Pass() | ast.Break() | ast.Continue():
                return True
            case ast.Assign() if is_view(statement):
                return self.uniform(statement.value.slice)
            case ast.Assign(targets=targets, value=value):
                return self.uniform(value) and all(map(self.uniform, targets))
            case ast.AugAssign(target=target, value=value):
                return self.uniform(value) and self.uniform(target)
            case ast.If(test=test):
                return self.uniform(test) and all(map(self.once, statement.body + statement.orelse))
            case ast.While(test=test):
                return self.uniform(test) and all(map(self.once, statement.body))
            case ast.For(target=target, iter=steps):
                return self.uniform(steps) and self.uniform(target) and all(map(self.once, statement.body))
        return False

    def _grow(self, statements):
        """One pass; whether any name was added."""
        grown = False
        for statement in statements:
            if is_barrier(statement):
                continue
            if has_barrier(statement):
                grown |= self._grow(statement.body) | self._grow(statement.orelse)
            elif not self.once(statement):
                new = {node.id: node.lineno for node in name_nodes(statement, ast.Store) if node.id not in self.varying}
                self.varying |= new
                grown |= bool(new)
        return grown

    def _require_uniform_barriers(self, statements):
        for statement in statements:
            if is_view(statement) and not self.uniform(statement.value.slice):
                raise Unfaithful(statement, f"the view {first_line(statement)} differs from thread to thread")
            if is_barrier(statement) or not has_barrier(statement):
                continue
            decides = (statement.iter, statement.target) if isinstance(statement, ast.For) else (statement.test,)
            if not all(map(self.uniform, decides)):
                reason = f"which depends on the thread{self._because(decides[0])}"
                raise Unfaithful(statement, f"a barrier inside `{first_line(statement)}`, {reason}")
            self._require_uniform_barriers(statement.body + statement.orelse)

    def _because(self, node):
        """Where the first varying name in an expression became so."""
        for used in name_nodes(node):
            if self.varying.get(used.id):
                return f" ({used.id} does since line {self.varying[used.id]})"
        return ""
