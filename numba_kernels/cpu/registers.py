"""Registers: the local arrays of the thread at work, where the compiler can take them apart into registers. Sources call these functions.

An array of NumPy's lies on the heap, and for all that the compiler knows any two of them overlap: it would store a sum before it reads
the next factor. These lie on the stack, apart from everything else. Once the loops over their few elements are unrolled, each element is
a plain variable, and neighbours that are treated alike are worked on together.
"""
import math
from itertools import accumulate
from operator import mul

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

ALIGNMENT = 64  # bytes: the widest vectors


@intrinsic(prefer_literal=True)
def registers(_, shape, dtype):
    """An array for one thread at a time, not set to anything. shape: a tuple of literals; dtype: one of NumPy's scalar types."""
    sizes = [size.literal_value for size in shape]
    array_type = types.Array(parse_dtype(dtype), len(sizes), "C")

    def generated(context, builder, signature, arguments):
        array, number = make_array(array_type)(context, builder), lambda value: context.get_constant(types.intp, value)
        element = context.get_data_type(array_type.dtype)
        place = cgutils.alloca_once(builder, ir.ArrayType(element, math.prod(sizes)))
        place.align = ALIGNMENT
        *strides, element_bytes = reversed([*accumulate([context.get_abi_sizeof(element), *reversed(sizes)], mul)])
        populate_array(array, builder.bitcast(place, array.data.type), [*map(number, sizes)], [*map(number, [*strides[1:], element_bytes])],
                       number(element_bytes), None)
        return array._getvalue()

    return array_type(shape, dtype), generated


@intrinsic
def restore(_, array, rows, thread):
    """Puts a thread's row of values into its array."""
    return types.void(array, rows, thread), _copy(lambda array, row: (array, row))


@intrinsic
def save(_, array, rows, thread):
    """Puts the values of an array into its thread's row."""
    return types.void(array, rows, thread), _copy(lambda array, row: (row, array))


def _copy(ends):
    """Copies a whole array. ends(array, row): to where, from where."""
    def generated(context, builder, signature, arguments):
        array, rows = (make_array(kind)(context, builder, value) for kind, value in zip(signature.args, arguments[:2]))
        first = [arguments[2], *[context.get_constant(types.intp, 0)] * signature.args[0].ndim]
        row = cgutils.get_item_pointer(context, builder, signature.args[1], rows, first, wraparound=False)
        cgutils.raw_memcpy(builder, *ends(array.data, row), array.nitems, array.itemsize)
        return context.get_dummy_value()

    return generated
