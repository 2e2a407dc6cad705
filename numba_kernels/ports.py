"""Ports: the only way a kernel touches an array in HBM or shared memory, and the only code that bumps a counter.

A kernel says `hbm.read(tally, Q_READ, Q, index)`; the port performs the access and, when counting, adds its bytes to the tally of
that cell. Tallies are int64, one per cell and thread, kept in registers; `flush` sums them over the block and adds them to the
launch's counts in HBM with one atomic per block and cell that was touched. The cpu backend writes the same meaning into its source
(`numba_kernels/cpu/`), Numba's simulator runs the plain functions below.
"""
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from numba import int64, uint64

from numba_kernels.device import cuda

OFF, REQUESTS = "off", "requests"
COUNTING_MODES = (OFF, REQUESTS)
WARP = 32


class Port(NamedTuple):
    """One memory space: read(tally, cell, array, index) -> fp32, write(tally, cell, array, index, value)."""

    read: Callable
    write: Callable


class Ports(NamedTuple):
    """All a kernel needs: start(tally) at its top, flush(tally, counts) at its end, and a port for each space."""

    start: Callable
    flush: Callable
    hbm: Port
    shared: Port


@lru_cache
def gpu_ports(counting: str, cells: int, threads: int, element_bytes: int) -> Ports:
    """Device functions for numba-cuda. cells: tallies per thread; threads: per block; element_bytes: of the arrays in HBM."""
    device = cuda.jit(device=True, forceinline=True)
    if counting == OFF:
        plain = Port(device(_read), device(_write))
        return Ports(device(_nothing), device(_nothing_to), plain, plain)
    port = lambda size: Port(*map(device, _counted(size)))
    return Ports(device(_start(cells)), device(_flush_block(cells, threads)), port(element_bytes), port(4))


@lru_cache
def simulator_ports(counting: str, cells: int, threads: int, element_bytes: int) -> Ports:
    """Plain functions for Numba's simulator, which has no warp operations: one atomic per thread."""
    from numba.cuda.simulator import jit

    if counting == OFF:
        plain = Port(_read, _write)
        return Ports(_nothing, _nothing_to, plain, plain)
    port = lambda size: Port(*_counted(size))
    return Ports(_start(cells), jit(_flush_thread(cells), device=True), port(element_bytes), port(4))


def _read(tally, cell, array, index):
    return array[uint64(index)]  # unsigned: a signed index costs a test for Python's negative ones


def _write(tally, cell, array, index, value):
    array[uint64(index)] = value


def _nothing(tally):
    pass


def _nothing_to(tally, counts):
    pass


def _counted(size):
    def read(tally, cell, array, index):
        tally[cell] += size
        return array[uint64(index)]

    def write(tally, cell, array, index, value):
        tally[cell] += size
        array[uint64(index)] = value

    return read, write


def _start(cells):
    def start(tally):
        for cell in range(cells):
            tally[cell] = 0

    return start


def _flush_thread(cells):
    def flush(tally, counts):
        for cell in range(cells):
            cuda.atomic.add(counts, cell, tally[cell])

    return flush


def _flush_block(cells, threads):
    lanes = min(threads, WARP)  # a block of half a warp has only those lanes
    everyone = (1 << lanes) - 1
    half = lanes // 2

    def flush(tally, counts):
        thread = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
        totals = cuda.shared.array(cells, int64)
        if thread < cells:
            totals[thread] = 0
        cuda.syncthreads()
        for cell in range(cells):
            total = tally[cell]
            offset = half
            while offset > 0:
                total += cuda.shfl_down_sync(everyone, total, offset)
                offset //= 2
            if thread % lanes == 0:
                cuda.atomic.add(totals, cell, total)
        cuda.syncthreads()
        if thread < cells and totals[thread] > 0:
            cuda.atomic.add(counts, thread, totals[thread])

    return flush
