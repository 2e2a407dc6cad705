"""Ports: the only way a kernel touches an array in HBM or shared memory, and the only code that bumps a counter.

A kernel says `hbm.read(tally, Q_READ, Q, index)`; the port performs the access, converts between the storage type and fp32 and, when
counting, books it: it adds the access's bytes to the tally of that cell. Tallies are int64, one per thread, cell and measure, kept in
registers; `flush` sums them over the block and adds them to the launch's counts in HBM with one atomic per block and tally that is not
zero. The cpu backend writes the same meaning into its source (`numba_kernels/cpu/`), Numba's simulator runs the plain functions below.
"""
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from numba import int64, uint64

from numba_kernels.device import cuda
from numba_kernels.storage import ELEMENT_BYTES, Conversion, gpu_conversion, simulator_conversion
from numba_kernels.votes import vote
from traffic_model.layout.common import WARP
from traffic_model.vocabulary import Direction, Measure, Space

OFF, REQUESTS, WARPS = "off", "requests", "warps"
MEASURES = {OFF: (), REQUESTS: (Measure.REQUESTED,),  # what a launch counts of every cell, in this order
            WARPS: (Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS)}
COUNTING_MODES = tuple(MEASURES)
COPIES = 32  # of a launch's counts: blocks take turns, since atomics on one address wait for each other
SPACING = 64  # int64 numbers from one copy to the next: whole cache lines, and more tallies than any kernel has
FP32 = "float32"


class Port(NamedTuple):
    """One kind of memory: read(tally, cell, array, index) -> fp32, write(tally, cell, array, index, value)."""

    read: Callable
    write: Callable


class Ports(NamedTuple):
    """All a kernel needs: how many tallies it keeps, start(tally) for its top, flush(tally, counts) for its end, a port per memory.

    hbm: arrays in the storage type; scratch: fp32 arrays in HBM; shared: shared memory, fp32.
    """

    tallies: int
    start: Callable
    flush: Callable
    hbm: Port
    scratch: Port
    shared: Port


def tallies(counting: str, cells: int) -> int:
    """Numbers that a thread counts: every measure of every cell."""
    return cells * len(MEASURES[counting])


@lru_cache
def gpu_ports(counting: str, cells: int, threads: int, dtype: str) -> Ports:
    """Device functions for numba-cuda. cells: that the kernel counts; threads: per block; dtype: of the arrays in HBM."""
    device = cuda.jit(device=True, forceinline=True)

    def port(space, kind):
        books = map(device, _bookings(counting, space, ELEMENT_BYTES[kind]))
        return Port(*map(device, _accesses(*books, Conversion(*map(device, gpu_conversion(kind))))))

    return Ports(*gpu_counters(counting, cells, threads), port(Space.HBM, dtype), port(Space.HBM, FP32), port(Space.SHARED, FP32))


def gpu_counters(counting: str, cells: int, threads: int) -> tuple[int, Callable, Callable]:
    """How many tallies a thread keeps, start and flush, for numba-cuda."""
    kept = tallies(counting, cells)
    start, flush = (_nothing, _nothing_to) if counting == OFF else (_start(kept), _flush_block(kept, threads))
    return max(1, kept), *map(cuda.jit(device=True, forceinline=True), (start, flush))


@lru_cache
def simulator_ports(counting: str, cells: int, dtype: str) -> Ports:
    """Plain functions for Numba's simulator, which has no warp operations: one atomic per thread. counting: off or requests."""
    from numba.cuda.simulator import jit

    port = lambda space, kind: Port(*_accesses(*_bookings(counting, space, ELEMENT_BYTES[kind]), simulator_conversion(kind)))
    start, flush = (_nothing, _nothing_to) if counting == OFF else (_start(cells), jit(_flush_thread(cells), device=True))
    return Ports(max(1, cells), start, flush, port(Space.HBM, dtype), port(Space.HBM, FP32), port(Space.SHARED, FP32))


def _accesses(book_read: Callable, book_write: Callable, conversion: Conversion) -> tuple[Callable, Callable]:
    load, store = conversion
    # unsigned indices: a signed one costs a test for Python's negative ones

    def read(tally, cell, array, index):
        book_read(tally, cell, index)
        return load(array[uint64(index)])

    def write(tally, cell, array, index, value):
        book_write(tally, cell, index)
        array[uint64(index)] = store(value)

    return read, write


def _bookings(counting: str, space: Space, size: int) -> list[Callable]:
    """book(tally, cell, index) of each direction."""

    def book_nothing(tally, cell, index):
        pass

    def book_request(tally, cell, index):
        tally[cell] += size

    book = {OFF: lambda direction: book_nothing, REQUESTS: lambda direction: book_request,
            WARPS: lambda direction: vote(space, direction, size, MEASURES[WARPS])}[counting]
    return [book(direction) for direction in Direction]


def _nothing(tally):
    pass


def _nothing_to(tally, counts):
    pass


def _start(kept):
    def start(tally):
        for number in range(kept):
            tally[number] = 0

    return start


def _flush_thread(cells):
    def flush(tally, counts):
        for cell in range(cells):
            cuda.atomic.add(counts, cell, tally[cell])

    return flush


def flush_bytes(kept: int, threads: int) -> int:
    """Bytes of dynamic shared memory that `flush` needs for so many tallies: it reuses what the kernel is done with."""
    return 8 * kept * max(1, threads // WARP)


def _flush_block(kept, threads):
    lanes = min(threads, WARP)  # a block of half a warp has only those lanes
    everyone = (1 << lanes) - 1
    half = lanes // 2
    warps = threads // lanes
    rounds = -(-kept // threads)

    def flush(tally, counts):
        """Sums over the lanes by shuffles, then over the warps through shared memory: stored, since 64-bit atomics there spin."""
        thread = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
        of_warps = cuda.shared.array(0, int64)
        cuda.syncthreads()
        for number in range(kept):
            total = tally[number]
            offset = half
            while offset > 0:
                total += cuda.shfl_down_sync(everyone, total, offset)
                offset //= 2
            if thread % lanes == 0:
                of_warps[number * warps + thread // lanes] = total
        cuda.syncthreads()
        for first in range(0, rounds * threads, threads):
            number = first + thread
            total = int64(0)
            if number < kept:
                for warp in range(warps):
                    total += of_warps[number * warps + warp]
            if total > 0:
                copy = (cuda.blockIdx.x + cuda.blockIdx.y + cuda.blockIdx.z) % COPIES
                cuda.atomic.add(counts, copy * SPACING + number, total)

    return flush
