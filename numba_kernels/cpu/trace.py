"""Trace: every warp access of one block in the order in which it happens, as plain records."""
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numba
import numpy as np

from numba_kernels.cpu.arguments import checked_arguments
from numba_kernels.cpu.compile import compiled
from numba_kernels.cpu.generate import generate
from numba_kernels.cpu.tally import TRACE
from numba_kernels.cpu.warp_log import LANES, workspace
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal
from traffic_model.vocabulary import BANKS, SECTOR, WAVEFRONT, Array, Direction, Space

MOST = 2**20  # warp accesses in one trace


class WarpAccess(NamedTuple):
    """One warp access.

    interval: counts what the block ran from one barrier to the next, pieces without accesses left out, from 1; line, name: in the
    kernel's file, and what the array is called there; iteration: of each loop around the access that is run between two barriers,
    counted from 0; elements: for each of the 32 lanes the index of its element in the array (of a view: in what it is cut from), None
    if it takes no part. The rest are bytes; sectors are None in shared memory, wavefronts in HBM.
    """

    interval: int
    warp: int
    array: Array
    space: Space
    direction: Direction
    line: int
    name: str
    iteration: tuple[int, ...]
    elements: tuple[int | None, ...]
    element_bytes: int
    requested: int
    distinct: int
    sectors: int | None
    wavefronts: int | None


class Movement(NamedTuple):
    """What one line moves of an array between two barriers: elements `first` to `last` of it, not necessarily all, in bytes requested and
    in different bytes."""

    interval: int
    array: Array
    space: Space
    direction: Direction
    line: int
    name: str
    first: int
    last: int
    requested: int
    distinct: int


def trace(spec: KernelSpec, arrays: dict[str, np.ndarray], block: int = 0, warp: int | None = None) -> list[WarpAccess]:
    """Runs one block, by its linear number, and returns the accesses of one of its warps, or of all of them one after the other between
    two barriers. Raises Refusal for a block or a warp that is not there and for more than 2²⁰ accesses; else as `launch`.
    """
    warps = -(-spec.threads // LANES)
    for word, number, there in (("block", block, spec.blocks), ("warp", warp or 0, warps)):
        if not 0 <= number < there:
            raise Refusal(f"{word} {number} of {spec.launch.name} is not there; choose 0 to {there - 1}.")
    kernel, kept, log, follow, used = kept_accesses(spec, arrays, block, warp)
    places = _places(kernel, log, follow, used)
    rows = sorted(kept.tolist(), key=lambda row: (row[0], row[1], places[row[2]]))
    return [_access(row, kernel.sites[log[row[2], LANES]], places[row[2]], spec.cells) for row in rows]


def kept_accesses(spec: KernelSpec, arrays: dict[str, np.ndarray], block: int, warp: int | None) -> tuple:
    """Runs one block: (kernel, a row for each access of this warp, or of all if it is None, and the workspace log, follow, used)."""
    given, sizes = checked_arguments(spec, arrays)
    kernel, kept = generate(spec, TRACE), np.empty((MOST + 2, LANES + 3), np.int64)
    kept[0, :3] = 0, -1 if warp is None else warp, 0
    log, follow, used = workspace(np.array(kernel.loops))
    arguments = (block, block + 1, *spec.launch.grid, *given, kept, log, follow, used, *sizes)
    try:
        compiled(kernel, tuple(map(numba.typeof, arguments)))(*arguments)
    except MemoryError:
        raise Refusal(f"block {block} of {spec.launch.name} makes more than {MOST:,} warp accesses; trace one warp or a smaller "
                      f"problem.") from None
    return kernel, kept[1:kept[0, 0] + 1], log, follow, used


def movements(accesses: Iterable[WarpAccess]) -> list[Movement]:
    """The accesses of a trace put together by line and array between two barriers, in the order of their first."""
    found = []
    for interval, together in groupby(accesses, lambda access: access.interval):
        by_line = {}
        for access in together:
            by_line.setdefault(access[2:7], []).append(access)
        for what, own in by_line.items():
            elements = {element for access in own for element in access.elements if element is not None}
            found.append(Movement(interval, *what, min(elements), max(elements), sum(access.requested for access in own),
                                  len(elements) * own[0].element_bytes))
    return found


def _access(row, site, place, cells):
    interval, warp, _, *indices = row
    cell, size = cells[site.cell], site.bytes
    named = [index for index in indices if index >= 0]
    banks = [index % BANKS for index in set(named)]
    elements = tuple(index if index >= 0 else None for index in indices)
    return WarpAccess(interval, warp, *cell, site.line, site.array, place[1::2], elements, size, len(named) * size, len(set(named)) * size,
                      SECTOR * len({index * size // SECTOR for index in named}) if cell.space == Space.HBM else None,
                      WAVEFRONT * max(map(banks.count, banks)) if cell.space == Space.SHARED else None)


def _places(kernel, log, follow, used) -> dict[int, tuple[int, ...]]:
    """row of the log -> (number of the outermost loop in the text, its iteration, …, number of the access). They sort as things happen."""
    places = {}
    for root in (loop for loop in kernel.loops if loop.place < 0):
        of_log = {loop.place: loop for loop in kernel.loops if loop.log == root.log}
        first = root.log * (len(log) // len(used))
        for step, loop, place in _steps(of_log, follow, first):
            for row in range(step, step + loop.sites):
                places[row] = (*place, kernel.sites[log[row, LANES]].number)
    return places


def _steps(loops, follow, root) -> Iterator[tuple]:
    """(step, its loop, numbers of the loops around it, each with the iteration) for every step that was opened from this one on."""
    waiting = [(root, loops[-1], ())]
    while waiting:
        step, loop, place = waiting.pop()
        yield step, loop, place
        for other in (each for each in loops.values() if each.place >= 0):
            after = int(follow[step, other.place])
            if after > 0 and other is loop:
                waiting.append((after, loop, (*place[:-1], place[-1] + 1)))
            elif after > 0:
                waiting.append((after, other, (*place, other.number, 0)))
