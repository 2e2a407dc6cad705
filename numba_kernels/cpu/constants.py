"""Constants: closed-over whole numbers become literals, and branches that they decide are dropped.

After this `if parts > 1:` is gone when parts is 1, with whatever barriers it held.
"""
import ast
import operator

import numpy as np

from numba_kernels.cpu.text import Text

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
          ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
           ast.GtE: operator.ge}
UNARY = {ast.Not: operator.not_, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}


def fold(text: Text) -> Text:
    """The text with its whole-number constants written out and worked out; floats keep their names, and so their width."""
    tree = _Fold(text).visit(text.tree)
    return text._replace(tree=ast.fix_missing_locations(tree))


def whole(node: ast.AST) -> bool:
    """Whether this is a literal int or bool."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


class _Fold(ast.NodeTransformer):
    def __init__(self, text: Text):
        self.text = text

    def visit_Name(self, node):
        value = self.text.value(node) if isinstance(node.ctx, ast.Load) else None
        if isinstance(value, bool | np.bool_):
            return _literal(bool(value), node)
        return _literal(int(value), node) if isinstance(value, int | np.integer) else node

    def visit_Attribute(self, node):
        value = self.text.value(node)
        return _literal(value, node) if isinstance(value, int) else self.generic_visit(node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        work = BINARY.get(type(node.op))
        if not (work and whole(node.left) and whole(node.right)):
            return node
        by_zero = isinstance(node.op, ast.FloorDiv | ast.Mod) and node.right.value == 0  # left to the kernel, which may never get there
        return node if by_zero else _literal(work(node.left.value, node.right.value), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _literal(UNARY[type(node.op)](node.operand.value), node) if whole(node.operand) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in COMPARE or not (whole(node.left) and whole(node.comparators[0])):
            return node
        return _literal(COMPARE[type(node.ops[0])](node.left.value, node.comparators[0].value), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)  # the value that ends the evaluation
        while whole(node.values[0]):
            if bool(node.values[0].value) == decisive or len(node.values) == 1:
                return node.values[0]
            node.values.pop(0)
        return node if len(node.values) > 1 else node.values[0]

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if whole(node.test) else node

    def visit_If(self, node):
        node.test = self.visit(node.test)
        if whole(node.test):
            return self._statements(node.body if node.test.value else node.orelse)
        node.body, node.orelse = self._body(node.body), self._statements(node.orelse)
        return node

    def visit_For(self, node):
        node.iter, node.body = self.visit(node.iter), self._body(node.body)
        return node

    def visit_While(self, node):
        node.test, node.body = self.visit(node.test), self._body(node.body)
        return node

    def visit_FunctionDef(self, node):
        node.body = self._body(node.body)
        return node

    def _statements(self, statements):
        kept = []
        for statement in statements:
            result = self.visit(statement)
            kept += result if isinstance(result, list) else [result]
        return kept

    def _body(self, statements):
        return self._statements(statements) or [ast.copy_location(ast.Pass(), statements[0])]


def _literal(value, like):
    return ast.copy_location(ast.Constant(value), like)
