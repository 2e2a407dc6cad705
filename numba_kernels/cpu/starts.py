"""Starts: where in its array each view begins, so that an index into a view can be told as one into the array."""
import ast

import numba

from numba_kernels.cpu.fission import Once, Part
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import Names


def find_starts(parts: list[Part], memory: Memory, names: Names, header: Header) -> dict[str, str]:
    """view -> name of the elements before it. Puts a statement that finds them behind each view, which is cut once for the block."""
    starts = {view: names(f"{view}_begins") for view in memory.views}
    function = header.shared(begins) if starts else ""
    for place in reversed(range(len(parts))):
        match parts[place]:
            case Once(statement=ast.Assign(targets=[ast.Name(id=view)])) if view in starts:
                parts.insert(place + 1, Once(ast.parse(f"{starts[view]} = {function}({view}, {memory.origin(view)})").body[0]))
    return starts


@numba.njit(nogil=True)
def begins(view, array):
    """Elements of the array before the view's first one."""
    return (view.ctypes.data - array.ctypes.data) // array.itemsize
