"""Dtypes: the type of a value that is kept per thread, so that the array that keeps it neither widens nor narrows it.

The rules are Numba's: int64 with float32 gives float64, `/` of whole numbers gives float64, everything else stays as wide as its parts.
"""
import ast
from collections.abc import Callable

import numpy as np

from numba_kernels.cpu.flow import assignments
from numba_kernels.cpu.names import stored
from numba_kernels.cpu.text import Text
from numba_kernels.cpu.unfaithful import Unfaithful

BOOL, INT64, UINT64, FLOAT64 = map(np.dtype, ("bool", "int64", "uint64", "float64"))
WHOLE_RESULT = {"floor", "ceil", "int", "range"}
TRUTH_RESULT = {"isnan", "isinf", "isfinite", "bool"}


class Dtypes:
    """Types of the names of one text, worked out when asked for."""

    def __init__(self, assigned: dict[str, list[ast.stmt]], known: dict[str, np.dtype], meaning: Callable[[ast.AST], object]):
        """assigned: name -> what assigns it; known: names of a given type, arrays by their elements'; meaning: of a called name:
        a dtype for a cast, the Text of a device function, or None."""
        self.assigned, self.known, self.meaning = assigned, known, meaning
        self.open = set()  # names being worked out: a value that depends on itself takes its type from its other assignments

    def of(self, name: str) -> np.dtype | None:
        """The type that Numba gives this name, None if only its own value decides."""
        if name in self.known or name not in self.assigned:
            return self.known.get(name)
        if name in self.open:
            return None
        self.open.add(name)
        result = _together(self._assigned(statement, name) for statement in self.assigned[name])
        self.open.remove(name)
        return result

    def _assigned(self, statement, name):
        """The type that one assignment gives to a name."""
        match statement:
            case ast.For():
                return INT64
            case ast.AugAssign(target=target, op=op, value=value):
                return _operation(op, self.of(target.id), self.expression(value))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                return _together(self.expression(value) for target, value in zip(targets, values) if name in stored(target))
            case ast.Assign(value=value):
                return self.expression(value)

    def expression(self, node: ast.expr) -> np.dtype | None:
        """The type of an expression, None while it is not settled."""
        match node:
            case ast.Constant(value=value):
                return np.dtype(type(value))
            case ast.Name(id=name):
                return self.of(name)
            case ast.Subscript(value=ast.Name(id=array)):
                return self.known[array]
            case ast.BinOp(left=left, op=op, right=right):
                return _operation(op, self.expression(left), self.expression(right))
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.UnaryOp(operand=operand):
                return _together([self.expression(operand), INT64 if self.expression(operand) == BOOL else None])
            case ast.BoolOp(values=values):
                return _together(map(self.expression, values))
            case ast.IfExp(body=body, orelse=orelse):
                return _together(map(self.expression, (body, orelse)))
            case ast.Call(func=ast.Name() | ast.Attribute() as function, args=args):
                return self._call(function, [self.expression(argument) for argument in args])
            case ast.Attribute():
                return FLOAT64  # math.inf, math.pi
        raise Unfaithful(node, f"cannot tell the type of `{ast.unparse(node)}`, which lives across a barrier")

    def _call(self, function, arguments):
        meaning = self.meaning(function)
        if isinstance(meaning, np.dtype):
            return meaning
        if isinstance(meaning, Text):
            return self._returned(meaning, arguments)
        word = function.attr if isinstance(function, ast.Attribute) else function.id
        if word in WHOLE_RESULT:
            return INT64
        if word in TRUTH_RESULT:
            return BOOL
        together = _together(arguments)
        to_float = word == "float" or isinstance(function, ast.Attribute)  # math.exp(1)
        return FLOAT64 if to_float and together is not None and together.kind in "biu" else together

    def _returned(self, text, arguments):
        inside = Dtypes(assignments(text.tree.body), self.known | dict(zip(text.parameters, arguments)), self.meaning)
        return _together(inside.expression(node.value) for node in ast.walk(text.tree) if isinstance(node, ast.Return))


def _operation(op, left, right):
    if left is None or right is None:
        return right if left is None else left
    whole = [side.kind in "biu" for side in (left, right)]
    if left == right == BOOL and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return BOOL
    if all(whole):
        unsigned = left.kind == right.kind == "u"
        return FLOAT64 if isinstance(op, ast.Div) else UINT64 if unsigned else INT64
    return left if isinstance(op, ast.Pow) and whole[1] else np.promote_types(left, right)


def _together(types):
    settled = [each for each in types if each is not None]
    return np.result_type(*settled) if settled else None
