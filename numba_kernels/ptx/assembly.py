"""How a line of PTX becomes a function that a kernel can call."""
import inspect
from collections.abc import Callable

from llvmlite import ir
from numba import float32, types, uint32, uint64

from numba_kernels.device import intrinsic

I32 = ir.IntType(32)
REGISTERS = {float32: ("f", ir.FloatType()), uint32: ("r", I32), uint64: ("l", ir.IntType(64))}  # PTX constraint and LLVM type


def instruction(line: str, result=None, arguments: tuple = (), pure: bool = False) -> Callable:
    """A function of `arguments` (float32, uint32 or uint64) that returns `result`, or nothing.

    line: the PTX; $0 is the result where there is one, the arguments follow. pure: it neither touches memory nor waits, so that the
    compiler may move it or leave it out.
    """
    def codegen(context, builder, signature, values):
        written = (["=" + REGISTERS[result][0]] if result else []) + [REGISTERS[kind][0] for kind in arguments]
        returned = REGISTERS[result][1] if result else ir.VoidType()
        answer = _call(builder, returned, arguments, line, written, values, pure)
        return answer if result else context.get_dummy_value()

    return _intrinsic(len(arguments), lambda given: ((result or types.none)(*arguments), codegen))


def on_array(line: str, length: int, arguments: tuple = (), element=float32, reads: int = 0, updates: bool = True) -> Callable:
    """A function (array, at, …) that changes `length` elements of a local array, from element `at` on; with `reads` it takes a second
    local array, of uint32, and reads so many elements from its start; then come `arguments`.

    line: {registers} stands for the changed elements, {operands} for a list of those that are read, {0}, {1}, … for the arguments.
    updates: whether it reads what it changes. A product that goes on in the background counts as done at once: the caller waits
    before it looks at the array.
    """
    kinds = (uint32,) * reads + arguments
    numbers = [f"${n}" for n in range(length + len(kinds))]
    text = line.format(*numbers[length + reads:], registers=", ".join(numbers[:length]), operands=numbers[length:length + reads])
    first = 3 if reads else 2  # of the arguments

    def codegen(context, builder, signature, values):
        data = lambda place: context.make_array(signature.args[place])(context, builder, values[place]).data
        held = [builder.gep(data(0), [builder.add(values[1], I32(n))]) for n in range(length)]
        operands = [builder.load(builder.gep(data(2), [I32(n)])) for n in range(reads)] + list(values[first:])
        written = ["=" + REGISTERS[element][0]] * length + [REGISTERS[kind][0] for kind in kinds]
        old = held if updates else []
        answer = _call(builder, ir.LiteralStructType([REGISTERS[element][1]] * length), kinds + (element,) * len(old), text,
                       written + [str(n) for n in range(len(old))], operands + [builder.load(place) for place in old], False)
        for n, place in enumerate(held):
            builder.store(builder.extract_value(answer, n), place)
        return context.get_dummy_value()

    arrays = lambda given: (given[0], uint32, *given[2:first])
    return _intrinsic(first + len(arguments), lambda given: (types.none(*arrays(given), *arguments), codegen))


def _call(builder, result, kinds, line, constraints, values, pure):
    kind = ir.FunctionType(result, [REGISTERS[each][1] for each in kinds])
    constraints = constraints if pure else [*constraints, "~{memory}"]
    return builder.call(ir.InlineAsm(kind, line, ",".join(constraints), side_effect=not pure), list(values))


def _intrinsic(count: int, typed: Callable) -> Callable:
    def definition(typing, *given):
        return typed(given)

    names = ["typing", *(f"a{n}" for n in range(count))]  # Numba matches arguments by name
    definition.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])
    return intrinsic(definition)
