"""Grammar: what a kernel's text may consist of. Anything else is refused here, so that later steps meet only what they know."""
import ast
import math
from collections.abc import Set

import numpy as np

from numba_kernels.cpu.meaning import device_function, is_builtin, is_constant, is_scalar_type
from numba_kernels.cpu.memory import Memory, is_view
from numba_kernels.cpu.names import stored
from numba_kernels.cpu.text import MISSING, Text, first_line, has_barrier, intrinsic, is_barrier
from numba_kernels.cpu.unfaithful import Unfaithful

OPERATORS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
COMPOUND = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Tuple)


def check_kernel(text: Text, memory: Memory, added: Set[str], notes: str) -> None:
    """Raises Unfaithful at the first thing the cpu backend does not run. added: names that earlier steps put into the text; notes: the
    one that accesses are noted under."""
    own = added | stored(text.tree) | set(text.parameters)
    _Grammar(text, memory.names | {notes}, own, in_kernel=True).statements(text.tree.body, None)


def check_device_function(text: Text) -> None:
    """The same for a device function: it computes one number from numbers, and may return where it likes."""
    _Grammar(text, set(), stored(text.tree) | set(text.parameters), in_kernel=False).statements(text.tree.body, None)


class _Grammar:
    def __init__(self, text: Text, arrays: Set[str], own: Set[str], in_kernel: bool):
        self.text, self.arrays, self.own, self.in_kernel = text, arrays, own, in_kernel

    def statements(self, statements, loop):
        for statement in statements:
            self._statement(statement, loop)

    def _statement(self, statement, loop):
        """loop: the innermost one around it."""
        match statement:
            case ast.Pass():
                pass
            case ast.Break() | ast.Continue():
                if has_barrier(loop):
                    raise Unfaithful(statement, f"`{first_line(statement)}` would cross a barrier of `{first_line(loop)}`")
            case ast.Return() if self.in_kernel:
                raise Unfaithful(statement, "a thread that returns misses the barriers and the flush after it; put the rest under an `if`")
            case ast.Return(value=ast.expr() as value):
                self._expression(value)
            case ast.Expr() if is_barrier(statement) and self.in_kernel:
                pass
            case ast.Assign() if is_view(statement):
                for bound in (statement.value.slice.lower, statement.value.slice.upper):
                    self._expression(bound)
            case ast.Assign(targets=targets, value=value):
                for node in (*targets, value):
                    self._expression(node)
            case ast.AugAssign(target=target, value=value):
                self._expression(target)
                self._expression(value)
            case ast.If(test=test):
                self._expression(test)
                self.statements(statement.body + statement.orelse, loop)
            case ast.While(test=test, orelse=[]):
                self._expression(test)
                self.statements(statement.body, statement)
            case ast.For(target=ast.Name(), iter=ast.Call(func=ast.Name(id="range")) as steps, orelse=[]):
                self._expression(steps)
                self.statements(statement.body, statement)
            case _:
                for called in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
                    self._expression(called.func)  # a reason of its own, if there is one
                raise Unfaithful(statement, f"`{first_line(statement)}` is not among the statements that the cpu backend runs")

    def _expression(self, node):
        match node:
            case None | ast.Constant(value=int() | float()):
                return
            case ast.Name():
                self._name(node)
            case ast.Attribute():
                self._attribute(node)
            case ast.Subscript(value=ast.Name(id=array)) if array in self.arrays and not isinstance(node.slice, ast.Slice):
                self._expression(node.slice)
            case ast.Call(func=ast.Name() | ast.Attribute(), keywords=[]):
                for part in (node.func, *node.args):
                    self._expression(part)
            case _ if isinstance(node, COMPOUND):
                for part in ast.iter_child_nodes(node):
                    if not isinstance(part, OPERATORS):
                        self._expression(part)
            case _:
                raise Unfaithful(node, f"`{ast.unparse(node)}` is not among the expressions that the cpu backend runs")

    def _name(self, node):
        if node.id in self.arrays:
            raise Unfaithful(node, f"uses {node.id} whole; an array is read and written element by element")
        value = self.text.value(node)
        if not (node.id in self.own or is_builtin(value) or is_scalar_type(value) or is_constant(value) or device_function(value)):
            meaning = "nothing that it knows" if value is MISSING else f"a {type(value).__name__}"
            raise Unfaithful(node, f"`{node.id}` is {meaning}, which the cpu backend cannot use in a kernel")

    def _attribute(self, node):
        if intrinsic(node):
            raise Unfaithful(node, _intrinsic_reason(intrinsic(node)))
        value, module = self.text.value(node), self.text.value(node.value)
        if not (module is math or module is np and is_scalar_type(value)):
            raise Unfaithful(node, f"`{ast.unparse(node)}` is neither of math nor a scalar type of numpy")


def _intrinsic_reason(name):
    if name in ("shared.array", "local.array"):
        return f"declares an array in a branch, a loop or an expression; write `name = cuda.{name}(shape, dtype)` at the kernel's top level"
    if name == "syncthreads":
        return "cuda.syncthreads() is a statement of its own, in the kernel itself"
    if name.startswith("atomic."):
        return f"cuda.{name} is an atomic outside a port"
    return f"cuda.{name} is an intrinsic that the cpu backend does not run"
