"""Emit: a kernel written down as one Python function that runs a range of blocks."""
import ast
from dataclasses import dataclass

import numpy as np

from numba_kernels.cpu.coordinates import Coordinates
from numba_kernels.cpu.fission import Around, Barrier, Interval, Once, Part
from numba_kernels.cpu.guards import Guards
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.lifetimes import Lifetimes
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import Names
from numba_kernels.cpu.registers import registers
from numba_kernels.cpu.tally import Tally
from numba_kernels.cpu.threads import ThreadLoops, indented, statement_lines
from numba_kernels.cpu.warps import Warps
from numba_kernels.cpu.watched import Watched
from numba_kernels.ports import OFF


@dataclass(frozen=True)
class Kernel:
    """What is known of a kernel when it is written down. kept: dtype of each value kept per thread; shared_bytes: the dynamic ones;
    warps: how accesses are looked at by warp, guards: how they are checked, watched: what is kept at barriers, None if they are not."""

    name: str
    parameters: list[str]
    counts: str
    parts: list[Part]
    at: Coordinates
    tally: Tally
    memory: Memory
    shared_bytes: int
    lifetimes: Lifetimes
    kept: dict[str, np.dtype]
    warps: Warps | None
    guards: Guards | None
    watched: Watched | None


def function(kernel: Kernel, header: Header, names: Names) -> str:
    """The source of the function. It takes the first block and the one after the last, the blocks along x, y, z, then what the kernel
    takes; without counting there are no tallies and no counts."""
    first, last, block = map(names, ("first_block", "last_block", "block"))
    loops = ThreadLoops(kernel.at, kernel.lifetimes, names, header, kernel.warps, kernel.guards)
    totals = kernel.tally.totals if kernel.tally.adds else ()
    parameters = [name for name in kernel.parameters if kernel.tally.counting != OFF or name != kernel.counts]
    if kernel.warps:
        parameters[parameters.index(kernel.counts) + 1:parameters.index(kernel.counts) + 1] = kernel.warps.parameters
    if kernel.watched:
        parameters += kernel.watched.logs.values()
    body = [f"{total} = 0" for total in totals]
    body += _declarations(kernel, loops, header)
    body += [f"for {block} in range({first}, {last}):", *indented(_at_block(kernel, block) + _parts(kernel.parts, loops, kernel.watched))]
    body += [f"{kernel.counts}[{cell}] += {total}" for cell, total in enumerate(totals)]
    return "\n".join([f"def {kernel.name}({', '.join([first, last, *kernel.at.grid, *parameters])}):", *indented(body)])


def _declarations(kernel, loops, header):
    """Shared memory for one block at a time, local arrays, and what is kept of each thread."""
    threads = int(np.prod(kernel.at.threads))
    lines, dynamic = [], ""
    declared = header.shared(registers) if kernel.memory.registers else ""
    scalar = lambda dtype: f"{header.np}.{dtype.type.__name__}"
    new = lambda shape, dtype: f"{header.np}.zeros({shape[0] if len(shape) == 1 else shape}, {scalar(dtype)})"
    for name, array in kernel.memory.shared.items():
        if array.shape == (0,):
            lines.append(f"{name} = {dynamic or new((max(1, kernel.shared_bytes // array.dtype.itemsize),), array.dtype)}")
            dynamic = name
        else:
            lines.append(f"{name} = {new(array.shape, array.dtype)}")
    for name, array in kernel.memory.local.items():
        saved, rows = name in kernel.lifetimes.saved, name in kernel.lifetimes.rows
        if name in kernel.memory.registers:
            lines.append(f"{name} = {declared}({array.shape}, {scalar(array.dtype)})")
        if saved or name not in kernel.memory.registers:
            lines.append(f"{loops.arrays[name] if saved else name} = {new((threads,) * (saved or rows) + array.shape, array.dtype)}")
    lines += kernel.guards.declarations() if kernel.guards else []
    lines += kernel.watched.declarations() if kernel.watched else []
    return lines + [f"{loops.arrays[name]} = {new((threads,), dtype)}" for name, dtype in kernel.kept.items()]


def _at_block(kernel, block):
    (x, y, z), (columns, rows, _) = kernel.at.block, kernel.at.grid
    return [*(kernel.guards.at_block(block) if kernel.guards else ()),
            f"{x} = {block} % {columns}", f"{y} = {block} // {columns} % {rows}", f"{z} = {block} // ({columns} * {rows})"]


def _parts(parts, loops, watched):
    lines = []
    for part in parts:
        match part:
            case Interval():
                lines += loops.lines(part)
            case Barrier() if loops.guards:
                lines += loops.guards.at_barrier()
            case Barrier() if watched:
                lines += watched.at_barrier(loops.arrays)
            case Once(statement=statement):
                lines += statement_lines([statement])
            case Around(header=header, body=body, orelse=orelse):
                lines += [_heading(header), *indented(_parts(body, loops, watched))]
                lines += ["else:", *indented(_parts(orelse, loops, watched))] if orelse else []
    return lines


def _heading(header):
    if isinstance(header, ast.For):
        return f"for {ast.unparse(header.target)} in {ast.unparse(header.iter)}:"
    return f"{'while' if isinstance(header, ast.While) else 'if'} {ast.unparse(header.test)}:"
