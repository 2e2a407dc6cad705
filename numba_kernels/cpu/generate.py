"""Generate: from a kernel spec to the source of one self-contained Python module, step by step."""
from functools import lru_cache
from typing import NamedTuple

import numba
import numpy as np

from numba_kernels.cpu.constants import fold
from numba_kernels.cpu.coordinates import Coordinates, place
from numba_kernels.cpu.dtypes import Dtypes
from numba_kernels.cpu.emit import Kernel, function
from numba_kernels.cpu.fission import split
from numba_kernels.cpu.flow import assignments
from numba_kernels.cpu.grammar import check_kernel
from numba_kernels.cpu.guards import Access, Guards
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.indices import unsigned
from numba_kernels.cpu.inline import inline
from numba_kernels.cpu.lifetimes import Lifetimes
from numba_kernels.cpu.memory import take_out_arrays
from numba_kernels.cpu.names import Names, stored
from numba_kernels.cpu.singles import take_apart
from numba_kernels.cpu.starts import find_starts
from numba_kernels.cpu.steps import Loop
from numba_kernels.cpu.tally import Site, require_untouched, take_out
from numba_kernels.cpu.text import kernel_text
from numba_kernels.cpu.unfaithful import Unfaithful, reading
from numba_kernels.cpu.uniform import Uniformity
from numba_kernels.cpu.warps import Warps
from numba_kernels.cpu.watched import WATCH, Watched
from numba_kernels.cpu.webs import rejoin, separate
from numba_kernels.ports import OFF, REQUESTS
from numba_kernels.spec import KernelSpec

CHECK = "check"  # the form of the source that checks every index, beside the modes of counting
INT64, FLOAT32 = np.dtype("int64"), np.dtype("float32")


class Generated(NamedTuple):
    """name: of the function in the source that runs a range of blocks; registers: whether it keeps arrays there (registers.py); loops,
    sites: the tables by which it lays down the accesses of warps (steps.py); accesses: what the faults that it finds are about
    (guards.py); watched: what it keeps at barriers, with shape and dtype (watched.py); else empty."""

    name: str
    source: str
    registers: bool = False
    loops: tuple[Loop, ...] = ()
    sites: tuple[Site, ...] = ()
    accesses: tuple[Access, ...] = ()
    watched: tuple[tuple[str, tuple[int, ...] | None, np.dtype], ...] = ()


def host_dtype(spec: KernelSpec, array: str) -> np.dtype:
    """How the cpu backend sees an array of the spec: fp32, or the bits of a 2-byte type."""
    return FLOAT32 if array in spec.scratch or spec.dtype == "float32" else np.dtype(np.uint16)


def generate(spec: KernelSpec, counting: str) -> Generated:
    """The generated source, the same for every grid and for every value of `sizes`.

    Raises Unfaithful for a kernel that cannot be run faithfully.
    """
    sizes = tuple((name, type(value)()) for name, value in spec.sizes)
    return _generate(spec._replace(launch=spec.launch._replace(grid=(1, 1, 1)), sizes=sizes), counting)


@lru_cache(maxsize=256)
def _generate(spec, counting):
    text = kernel_text(spec)
    with reading(text.file):
        about = _about(spec, counting, text)
        source, more = _module(spec, counting, text)
        return Generated(text.tree.name, about + source, **more)


def _module(spec, counting, text):
    """(everything below the docstring, what else is known of it)"""
    arrays, counts = _parameters(spec, text)
    names = Names({text.tree.name, *stored(text.tree), *text.parameters})
    at, header = Coordinates.choose(names, spec.launch.block), Header(names)

    text = take_apart(fold(place(text, at)))
    text, tally = take_out(text, spec, names, counting)
    text, memory = take_out_arrays(text, arrays)
    header.sums_side_by_side = bool(memory.registers)
    conversion = header.conversion(spec.dtype)
    text = inline(text, tally, memory, header.uint64, conversion)
    require_untouched(text, tally)
    coordinates = {*at.thread, *at.block, *at.grid}
    added = {*coordinates, *tally.totals, tally.notes, header.uint64, *(conversion or ())}
    check_kernel(text, memory, added, tally.notes)
    text = header.bind(text, added)
    text, webs = separate(text, names, (*text.parameters, *tally.totals))
    text = unsigned(text, coordinates, memory.registers, header.uint64)
    body = text.tree.body

    parts = split(body, Uniformity(body, {*at.thread, *tally.totals, tally.notes, *memory.names}))
    assigned = assignments(body)
    _require_constant(assigned, text)
    lifetimes = Lifetimes(parts, assigned, {*text.parameters, *added}, memory)
    known = {name: array.dtype for name, array in (memory.shared | memory.local).items()}
    dtypes = Dtypes(assigned, known | _argument_types(spec, text, arrays, memory) | dict.fromkeys(coordinates, INT64), header.meaning)
    kept = {name: dtypes.of(name) for name in sorted(lifetimes.kept)}
    rejoin(text, webs, lifetimes.private)
    starts = find_starts(parts, memory, names, header) if counting not in (OFF, REQUESTS) else {}
    warps = Warps(parts, tally, spec, names, header, counts, starts) if tally.by_warp else None
    guards = Guards(parts, memory, at, names, header, counts, starts, spec.shared_bytes) if counting == CHECK else None
    scratch = [name for name, given in zip(arrays, spec.arrays) if given in spec.scratch]
    watched = Watched(at, memory, lifetimes, kept, names, header, counts, scratch) if counting == WATCH else None
    kernel = Kernel(text.tree.name, text.parameters, counts, parts, at, tally, memory, spec.shared_bytes, lifetimes, kept, warps, guards,
                    watched)
    source = function(kernel, header, names)
    more = dict(registers=bool(memory.registers), **_tables(warps, guards, watched))
    return f"{header.source()}\n\n\n@{header.decorator}\n{source}\n", more


def _tables(warps, guards, watched):
    return dict(loops=tuple(warps.steps.loops) if warps else (), sites=tuple(warps.steps.sites) if warps else (),
                accesses=tuple(guards.accesses) if guards else (), watched=watched.table if watched else ())


def _about(spec, counting, text):
    block = " × ".join(map(str, spec.launch.block))
    return f'''"""Kernel `{text.tree.name}` of {text.module}, line {text.tree.lineno}, split at its barriers by numba_kernels.cpu.

{spec.layout}
{block} threads per block, {spec.shared_bytes} bytes of dynamic shared memory, counting {counting}, for Numba {numba.__version__}.
"""
'''


def _parameters(spec, text):
    """(the kernel's names for its arrays, its name for the counts)"""
    wanted = (*spec.arrays, "counts", *(name for name, _ in spec.sizes))
    if len(text.parameters) != len(wanted):
        raise Unfaithful(text.tree, f"the kernel takes {len(text.parameters)} parameters, its spec gives {', '.join(wanted)}")
    return tuple(text.parameters[:len(spec.arrays)]), text.parameters[len(spec.arrays)]


def _argument_types(spec, text, arrays, memory):
    """The dtype of each argument, of arrays and their views that of an element."""
    sizes = zip(text.parameters[len(arrays) + 1:], spec.sizes)
    known = {name: FLOAT32 if isinstance(value, float) else INT64 for name, (_, value) in sizes}
    known |= {name: host_dtype(spec, given) for name, given in zip(arrays, spec.arrays)}
    elements = known | {name: array.dtype for name, array in memory.shared.items()}
    return known | {view: elements[memory.origin(view)] for view in memory.views}


def _require_constant(assigned, text):
    for name in text.parameters:
        if name in assigned:
            raise Unfaithful(assigned[name][0], f"changes its parameter {name}; give the new value a name of its own")
