"""Inline: every port access becomes plain indexing, and before its statement the bytes of its cell are added.

    s += hbm.read(tally, K_READ, K, row + c)      ->      K_hbm_read_bytes += 4
                                                          s += K[uint64(row + c)]

Where warps are looked at, `notes[5] = row + c` is put there instead, 5 being the number of this access in the text.
An access that an expression reaches only sometimes (`a and b`, `x if c else y`) is added under the same condition; conditions have no
effect of their own, so evaluating one twice is safe. The index is unsigned as in the ports: a signed one costs a test for Python's
negative indices.
"""
import ast
from copy import deepcopy

import numpy as np

from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.tally import Site, Tally
from numba_kernels.cpu.text import Role, Text
from numba_kernels.cpu.unfaithful import Unfaithful
from numba_kernels.storage import Conversion

MEMORY = {"hbm": "hbm", "scratch": "hbm", "shared": "shared"}  # where the arrays of a port are


def inline(text: Text, tally: Tally, memory: Memory, uint64: str, conversion: Conversion | None) -> Text:
    """The text with its port accesses written out. uint64, conversion: names in the generated source, of the type and of the two
    functions between storage and fp32 (None where HBM holds fp32)."""
    text.tree.body = _statements(text.tree.body, text, tally, memory, uint64, conversion)
    return text._replace(tree=ast.fix_missing_locations(text.tree))


def _statements(statements, *how):
    return [new for statement in statements for new in _statement(statement, *how)]


def _statement(statement, *how):
    accesses = _Accesses(*how)
    match statement:
        case ast.If():
            statement.test = accesses.visit(statement.test)
            statement.body, statement.orelse = _statements(statement.body, *how), _statements(statement.orelse, *how)
        case ast.For():
            statement.iter = accesses.visit(statement.iter)
            statement.body = _statements(statement.body, *how)
        case ast.While():
            statement.test = accesses.visit(statement.test)
            if accesses.count:
                raise Unfaithful(statement, "a port is read in the condition of a while loop; read it in the loop")
            statement.body = _statements(statement.body, *how)
        case ast.Expr(value=ast.Call()):
            statement = accesses.statement(statement)
        case _:
            statement = accesses.visit(statement)
    return [*accesses.additions, statement]


class _Accesses(ast.NodeTransformer):
    """Rewrites the accesses of one statement, `count` of them; `additions` are the statements that book their bytes."""

    def __init__(self, text: Text, tally: Tally, memory: Memory, uint64: str, conversion: Conversion | None):
        self.text, self.tally, self.memory, self.uint64, self.conversion = text, tally, memory, uint64, conversion
        self.count, self.additions, self.conditions = 0, [], []

    def statement(self, statement):
        """A write is a statement of its own: it becomes an assignment."""
        call = statement.value
        role = self.text.value(call.func)
        if not (isinstance(role, Role) and role.action == "write"):
            return self.generic_visit(statement)
        target, value = self._access(call, role, ast.Store(), "tally, cell, array, index, value")
        return ast.copy_location(ast.Assign([target], self._converted("store", value[0], role)), statement)

    def visit_Call(self, call):
        role = self.text.value(call.func)
        if not isinstance(role, Role):
            return self.generic_visit(call)
        if role.action != "read":
            raise Unfaithful(call, f"{role.action} is a statement of its own, not part of an expression")
        return self._converted("load", self._access(call, role, ast.Load(), "tally, cell, array, index")[0], role)

    def visit_IfExp(self, node):
        node.test = self.visit(node.test)
        node.body = self._under(node.test, node.body)
        node.orelse = self._under(ast.UnaryOp(ast.Not(), node.test), node.orelse)
        return node

    def visit_BoolOp(self, node):
        reached = (lambda test: test) if isinstance(node.op, ast.And) else (lambda test: ast.UnaryOp(ast.Not(), test))
        before = len(self.conditions)
        for place, value in enumerate(node.values):
            node.values[place] = self.visit(value)
            self.conditions.append(reached(node.values[place]))
        del self.conditions[before:]
        return node

    def visit_Compare(self, node):
        node.left, first = self.visit(node.left), self.visit(node.comparators[0])
        certain = self.count
        node.comparators = [first, *map(self.visit, node.comparators[1:])]
        if self.count > certain:
            raise Unfaithful(node, "a port is read late in a chained comparison, which may end before; compare in two steps")
        return node

    def _under(self, test, node):
        self.conditions.append(test)
        node = self.visit(node)
        self.conditions.pop()
        return node

    def _access(self, call, role, context, parameters):
        if len(call.args) != len(parameters.split()) or call.keywords:
            raise Unfaithful(call, f"{role.space}.{role.action} takes ({parameters})")
        tally, cell, array, index, *value = call.args
        if not (isinstance(cell, ast.Constant) and isinstance(cell.value, int) and 0 <= cell.value < len(self.tally.totals)):
            raise Unfaithful(call, f"cell {ast.unparse(cell)} is not a constant from 0 to {len(self.tally.totals) - 1}")
        if ast.unparse(tally) != self.tally.name:
            raise Unfaithful(call, f"counts in {ast.unparse(tally)}, which is not the kernel's tally")
        if self.memory.space(ast.unparse(array)) != MEMORY[role.space]:
            raise Unfaithful(call, f"{ast.unparse(array)} is no array of the {role.space} space")
        self._require_fp32(call, array, role)
        self.count += 1
        values = [self.visit(node) for node in value]
        index = self.visit(index)
        if self.tally.adds:
            self._book(ast.AugAssign(ast.Name(self.tally.totals[cell.value], ast.Store()), ast.Add(),
                                     ast.Constant(self.tally.bytes[role.space])), call)
        if self.tally.by_warp:
            self._note(Site(len(self.tally.sites), cell.value, call.lineno, ast.unparse(array), self.tally.bytes[role.space]), index, call)
        unsigned = ast.Call(ast.Name(self.uint64, ast.Load()), [index], [])
        return ast.copy_location(ast.Subscript(array, unsigned, context), call), values

    def _require_fp32(self, call, array, role):
        """A port takes a flat array; what it counts in shared memory is fp32."""
        declared = self.memory.shared.get(self.memory.origin(ast.unparse(array)))
        if declared and (len(declared.shape) > 1 or declared.dtype != np.float32):
            raise Unfaithful(call, f"{role.space}.{role.action} takes a flat array of float32; {ast.unparse(array)} is {declared.dtype} "
                                   f"of shape {declared.shape}")

    def _converted(self, way, value, role):
        """The value through `load` or `store` where HBM holds another type than fp32."""
        if self.conversion is None or role.space != "hbm":
            return value
        return ast.copy_location(ast.Call(ast.Name(getattr(self.conversion, way), ast.Load()), [value], []), value)

    def _note(self, site, index, call):
        place = ast.Subscript(ast.Name(self.tally.notes, ast.Load()), ast.Constant(len(self.tally.sites)), ast.Store())
        self.tally.sites.append(site)
        self._book(ast.Assign([place], deepcopy(index)), call)

    def _book(self, addition, call):
        """Puts it before the statement, under the conditions that the access is under."""
        if self.conditions:
            conditions = deepcopy(self.conditions)
            addition = ast.If(ast.BoolOp(ast.And(), conditions) if len(conditions) > 1 else conditions[0], [addition], [])
        self.additions.append(ast.copy_location(addition, call))
