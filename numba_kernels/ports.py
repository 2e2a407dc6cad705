"""Ports: the only way a kernel touches an array in HBM or shared memory, and the only code that bumps a counter.

A kernel says `hbm.read(tally, Q_READ, Q, index)`; the port performs the access, converts between the storage type and fp32 and, when
counting, adds the access's bytes to the tally of that cell. Tallies are int64, one per cell and thread, kept in registers; `flush`
sums them over the block and adds them to the launch's counts in HBM with one atomic per block and cell that was touched. The cpu
backend writes the same meaning into its source (`numba_kernels/cpu/`), Numba's simulator runs the plain functions below.
"""
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from numba import int64, uint64

from numba_kernels.device import cuda
from numba_kernels.storage import ELEMENT_BYTES, Conversion, gpu_conversion, simulator_conversion
from traffic_model.vocabulary import Measure

OFF, REQUESTS, WARPS = "off", "requests", "warps"
MEASURES = {OFF: (), REQUESTS: (Measure.REQUESTED,),  # what a launch counts of every cell, in this order
            WARPS: (Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS)}
COUNTING_MODES = tuple(MEASURES)
WARP = 32
COPIES = 32  # of a launch's counts: blocks take turns, since atomics on one address wait for each other
SPACING = 16  # int64 numbers from one copy to the next: a cache line, and more cells than any kernel has
FP32 = "float32"


class Port(NamedTuple):
    """One kind of memory: read(tally, cell, array, index) -> fp32, write(tally, cell, array, index, value)."""

    read: Callable
    write: Callable


class Ports(NamedTuple):
    """All a kernel needs: start(tally) at its top, flush(tally, counts) at its end, and a port for each kind of memory.

    hbm: arrays in the storage type; scratch: fp32 arrays in HBM; shared: shared memory, fp32.
    """

    start: Callable
    flush: Callable
    hbm: Port
    scratch: Port
    shared: Port


@lru_cache
def gpu_ports(counting: str, cells: int, threads: int, dtype: str) -> Ports:
    """Device functions for numba-cuda. cells: tallies per thread; threads: per block; dtype: of the arrays in HBM."""
    device = cuda.jit(device=True, forceinline=True)
    port = lambda kind: Port(*map(device, _accesses(counting, ELEMENT_BYTES[kind], Conversion(*map(device, gpu_conversion(kind))))))
    start, flush = (_nothing, _nothing_to) if counting == OFF else (_start(cells), _flush_block(cells, threads))
    return Ports(device(start), device(flush), port(dtype), port(FP32), port(FP32))


@lru_cache
def simulator_ports(counting: str, cells: int, threads: int, dtype: str) -> Ports:
    """Plain functions for Numba's simulator, which has no warp operations: one atomic per thread."""
    from numba.cuda.simulator import jit

    port = lambda kind: Port(*_accesses(counting, ELEMENT_BYTES[kind], simulator_conversion(kind)))
    start, flush = (_nothing, _nothing_to) if counting == OFF else (_start(cells), jit(_flush_thread(cells), device=True))
    return Ports(start, flush, port(dtype), port(FP32), port(FP32))


def _accesses(counting: str, size: int, conversion: Conversion) -> tuple[Callable, Callable]:
    load, store = conversion
    # unsigned indices: a signed one costs a test for Python's negative ones

    def read(tally, cell, array, index):
        return load(array[uint64(index)])

    def write(tally, cell, array, index, value):
        array[uint64(index)] = store(value)

    def counted_read(tally, cell, array, index):
        tally[cell] += size
        return load(array[uint64(index)])

    def counted_write(tally, cell, array, index, value):
        tally[cell] += size
        array[uint64(index)] = store(value)

    return (read, write) if counting == OFF else (counted_read, counted_write)


def _nothing(tally):
    pass


def _nothing_to(tally, counts):
    pass


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


def flush_bytes(counting: str, cells: int, threads: int) -> int:
    """Bytes of dynamic shared memory that `flush` needs: it reuses what the kernel is done with."""
    return 0 if counting == OFF else 8 * cells * max(1, threads // WARP)


def _flush_block(cells, threads):
    lanes = min(threads, WARP)  # a block of half a warp has only those lanes
    everyone = (1 << lanes) - 1
    half = lanes // 2
    warps = threads // lanes

    def flush(tally, counts):
        """Sums over the lanes by shuffles, then over the warps through shared memory: stored, since 64-bit atomics there spin."""
        thread = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
        of_warps = cuda.shared.array(0, int64)
        cuda.syncthreads()
        for cell in range(cells):
            total = tally[cell]
            offset = half
            while offset > 0:
                total += cuda.shfl_down_sync(everyone, total, offset)
                offset //= 2
            if thread % lanes == 0:
                of_warps[cell * warps + thread // lanes] = total
        cuda.syncthreads()
        if thread < cells:
            total = int64(0)
            for warp in range(warps):
                total += of_warps[thread * warps + warp]
            if total > 0:
                copy = (cuda.blockIdx.x + cuda.blockIdx.y + cuda.blockIdx.z) % COPIES
                cuda.atomic.add(counts, copy * SPACING + thread, total)

    return flush
