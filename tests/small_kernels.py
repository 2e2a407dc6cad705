"""Small kernels that are not attention, written as the project's kernels are: a factory that closes over layout and ports.

Each shows one thing that splitting at barriers must get right; CASES holds them with a launch and inputs.
"""
import importlib.util
import math
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numba import float32, int64

from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec
from traffic_model import Array, Cell, Direction, Space
from traffic_model.layout import Launch

X_READ, Y_WRITE, PUT, GET = range(4)
CELLS = (Cell(Array.Q, Space.HBM, Direction.READ), Cell(Array.O, Space.HBM, Direction.WRITE),
         Cell(Array.S, Space.SHARED, Direction.WRITE), Cell(Array.S, Space.SHARED, Direction.READ))


class Side(NamedTuple):
    """The layout of these kernels: threads along one side of the block."""

    side: int


def block_sum(layout, keys_seen, ports):
    """Reduction: a while loop with a barrier, whose condition changes after the threads have used it."""
    tallies, start, flush, hbm, scratch, shared = ports
    threads = layout.side

    def block_sum(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        sums = cuda.shared.array(threads, float32)
        thread = cuda.threadIdx.x
        i = cuda.blockIdx.x * threads + thread
        shared.write(tally, PUT, sums, thread, hbm.read(tally, X_READ, X, i) if i < n else float32(0))
        offset = threads // 2
        while offset > 0:
            cuda.syncthreads()
            if thread < offset:
                x = shared.read(tally, GET, sums, thread)
                shared.write(tally, PUT, sums, thread, x + shared.read(tally, GET, sums, thread + offset))
            offset //= 2
        if thread == 0:
            hbm.write(tally, Y_WRITE, Y, cuda.blockIdx.x, shared.read(tally, GET, sums, 0))
        flush(tally, counts)

    return block_sum


def transpose(layout, keys_seen, ports):
    """A padded tile in shared memory, a two-dimensional block that walks it."""
    tallies, start, flush, hbm, scratch, shared = ports
    side = layout.side
    padded = side + 1
    size = side * padded

    def transpose(X, Y, counts, rows, columns):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tile = cuda.shared.array(size, float32)
        x = cuda.blockIdx.x * side + cuda.threadIdx.x
        for step in range(cuda.threadIdx.y, side, cuda.blockDim.y):
            y = cuda.blockIdx.y * side + step
            if x < columns and y < rows:
                shared.write(tally, PUT, tile, step * padded + cuda.threadIdx.x, hbm.read(tally, X_READ, X, y * columns + x))
        cuda.syncthreads()
        x = cuda.blockIdx.y * side + cuda.threadIdx.x
        for step in range(cuda.threadIdx.y, side, cuda.blockDim.y):
            y = cuda.blockIdx.x * side + step
            if x < rows and y < columns:
                hbm.write(tally, Y_WRITE, Y, y * rows + x, shared.read(tally, GET, tile, cuda.threadIdx.x * padded + step))
        flush(tally, counts)

    return transpose


def scan(layout, keys_seen, ports):
    """Running sums: dynamic shared memory in two halves that the whole block swaps."""
    tallies, start, flush, hbm, scratch, shared = ports
    threads = layout.side

    def scan(X, Y, counts):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        sums = cuda.shared.array(0, float32)
        thread = cuda.threadIdx.x
        shared.write(tally, PUT, sums, thread, hbm.read(tally, X_READ, X, cuda.blockIdx.x * threads + thread))
        old, new, step = 0, threads, 1
        while step < threads:
            cuda.syncthreads()
            x = shared.read(tally, GET, sums, old + thread)
            x += shared.read(tally, GET, sums, old + thread - step) if thread >= step else float32(0)
            shared.write(tally, PUT, sums, new + thread, x)
            old, new = new, old
            step *= 2
        cuda.syncthreads()
        hbm.write(tally, Y_WRITE, Y, cuda.blockIdx.x * threads + thread, shared.read(tally, GET, sums, old + thread))
        flush(tally, counts)

    return scan


def stencil(layout, keys_seen, ports):
    """A halo that some threads fetch, reads that a condition or a short circuit may skip, a device function for the weights."""
    tallies, start, flush, hbm, scratch, shared = ports
    threads, radius = layout.side, 2
    size = threads + 2 * radius

    def weight(distance):
        """Falls off with the distance."""
        return float32(1) / (float32(1) + float32(distance * distance))

    def stencil(X, Y, counts, n, limit):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        row = cuda.shared.array(size, float32)
        thread = cuda.threadIdx.x
        i = cuda.blockIdx.x * threads + thread
        shared.write(tally, PUT, row, thread + radius, hbm.read(tally, X_READ, X, i) if i < n else float32(0))
        if thread < radius:
            left, right = i - radius, i + threads
            shared.write(tally, PUT, row, thread, hbm.read(tally, X_READ, X, left) if left >= 0 else float32(0))
            shared.write(tally, PUT, row, thread + radius + threads, float32(0) if right >= n else hbm.read(tally, X_READ, X, right))
        cuda.syncthreads()
        if i < n and shared.read(tally, GET, row, thread + radius) < limit:
            y = float32(0)
            for k in range(-radius, radius + 1):
                y += weight(abs(k)) * shared.read(tally, GET, row, thread + radius + k)
            hbm.write(tally, Y_WRITE, Y, i, y)
        flush(tally, counts)

    return stencil


def matmul(layout, keys_seen, ports):
    """Tiles of two matrices: a sum that lives across barriers, one name for two unrelated loops."""
    tallies, start, flush, hbm, scratch, shared = ports
    side = layout.side
    size = side * side

    def matmul(X, Y, counts, n):
        """Y = X X"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        A_tile = tiles[:size]
        B_tile = tiles[size:2 * size]
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column = cuda.blockIdx.x * side + x
        row = cuda.blockIdx.y * side + y
        total = float32(0)
        for k in range(0, n, side):
            a = hbm.read(tally, X_READ, X, row * n + k + x) if row < n and k + x < n else float32(0)
            b = hbm.read(tally, X_READ, X, (k + y) * n + column) if k + y < n and column < n else float32(0)
            shared.write(tally, PUT, A_tile, y * side + x, a)
            shared.write(tally, PUT, B_tile, y * side + x, b)
            cuda.syncthreads()
            for j in range(side):
                total += shared.read(tally, GET, A_tile, y * side + j) * shared.read(tally, GET, B_tile, j * side + x)
            cuda.syncthreads()
        if row < n and column < n:
            hbm.write(tally, Y_WRITE, Y, row * n + column, total)
        for k in range(thread_count(x, y)):
            hbm.write(tally, Y_WRITE, Y, n * n + k, float32(k))
        flush(tally, counts)

    return matmul


def thread_count(x, y):
    """A device function of this module: 3 for the first thread of a block, else 0."""
    if x == 0 and y == 0:
        return 3
    return 0


def volume(layout, keys_seen, ports):
    """Three dimensions of blocks and of threads; each thread takes what its opposite put down."""
    tallies, start, flush, hbm, scratch, shared = ports
    size = layout.side

    def volume(X, Y, counts):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        box = cuda.shared.array(shape=size, dtype=float32)
        thread = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
        block = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
        shared.write(tally, PUT, box, thread, hbm.read(tally, X_READ, X, block * size + thread))
        cuda.syncthreads()
        x = shared.read(tally, GET, box, size - 1 - thread)
        hbm.write(tally, Y_WRITE, Y, block * size + thread, x + float32(cuda.gridDim.z * 100 + cuda.threadIdx.z))
        flush(tally, counts)

    return volume


def carousel(layout, keys_seen, ports):
    """A local array, a whole number, a float and a truth value that live across barriers in nested loops and in a uniform branch."""
    tallies, start, flush, hbm, scratch, shared = ports
    threads, width = layout.side, 3

    def carousel(X, Y, counts, rounds, scale):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        ring = cuda.shared.array(threads, float32)
        own = cuda.local.array(width, float32)
        spare = cuda.local.array(width, float32)
        thread = cuda.threadIdx.x
        first = (cuda.blockIdx.x * threads + thread) * width
        for c in range(width):
            spare[c] = hbm.read(tally, X_READ, X, first + c)
        for c in range(width):
            own[c - width] = spare[-1 - c] + spare[-width + c]
        negatives = 0
        largest = float32(-math.inf)
        touched = thread % 2 == 0
        for turn in range(rounds):
            for c in range(width):
                shared.write(tally, PUT, ring, thread, own[c])
                cuda.syncthreads()
                own[c] = scale * shared.read(tally, GET, ring, (thread + turn + 1) % threads)
                cuda.syncthreads()
            if rounds > 1:
                cuda.syncthreads()
                if own[0] < 0:
                    negatives += 1
                    touched = not touched
                largest = max(largest, own[1])
        for c in range(width):
            hbm.write(tally, Y_WRITE, Y, first + c, own[c] + float32(negatives) + (largest if touched else float32(0)))
        flush(tally, counts)

    return carousel


def ragged(layout, keys_seen, ports):
    """Loops inside loops that every thread runs differently often, with continue and break, and a last warp that is not full."""
    tallies, start, flush, hbm, scratch, shared = ports
    threads, room = layout.side, 8
    size = threads * room

    def ragged(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        own = cuda.shared.array(size, float32)
        thread = cuda.threadIdx.x
        total = float32(0)
        for k in range(thread % 5):
            shared.write(tally, PUT, own, room * thread + k, float32(k))
            j = thread + k
            while j < n:
                if j % 3 == 0:
                    j += 7 + k
                    continue
                total += hbm.read(tally, X_READ, X, j)
                if j > n - 9:
                    break
                shared.write(tally, PUT, own, room * thread + k, total)
                j += 7 + k
            total += shared.read(tally, GET, own, room * thread + k)
        hbm.write(tally, Y_WRITE, Y, cuda.blockIdx.x * threads + thread, total)
        flush(tally, counts)

    return ragged


class Case(NamedTuple):
    """A kernel ready to launch on inputs x; the output has `elements` elements."""

    spec: KernelSpec
    x: np.ndarray
    elements: int

    def arrays(self) -> dict[str, np.ndarray]:
        """Inputs, and an output that is NaN until written."""
        return dict(X=self.x, Y=np.full(self.elements, np.nan, np.float32))


def case(text, side, grid, block, elements, outputs, sizes=(), shared_bytes=0) -> Case:
    """A case on seeded normal inputs."""
    spec = KernelSpec(text, Side(side), None, "float32", CELLS, Launch(text.__name__, grid, block, shared_bytes), ("X", "Y"), sizes)
    return Case(spec, np.random.default_rng(elements).standard_normal(elements).astype(np.float32), outputs)


CASES = {made.spec.launch.name: made for made in (
    case(block_sum, 32, (4, 1, 1), (32, 1, 1), 100, 4, (("n", 100),)),
    case(transpose, 8, (3, 2, 1), (8, 4, 1), 11 * 21, 11 * 21, (("rows", 11), ("columns", 21))),
    case(scan, 32, (3, 1, 1), (32, 1, 1), 96, 96, (), 2 * 32 * 4),
    case(stencil, 16, (3, 1, 1), (16, 1, 1), 45, 45, (("n", 45), ("limit", 0.9))),
    case(matmul, 4, (3, 3, 1), (4, 4, 1), 10 * 10, 10 * 10 + 3, (("n", 10),), 2 * 16 * 4),
    case(volume, 4 * 3 * 2, (2, 3, 2), (4, 3, 2), 12 * 24, 12 * 24),
    case(carousel, 8, (2, 1, 1), (8, 1, 1), 2 * 8 * 3, 2 * 8 * 3, (("rounds", 3), ("scale", 0.5))),
    case(ragged, 40, (2, 1, 1), (40, 1, 1), 90, 80, (("n", 90),)),
)}


def load(folder: Path, name: str, text: str) -> ModuleType:
    """A module of this text."""
    (folder / f"{name}.py").write_text(text)
    found = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    found.loader.exec_module(module := importlib.util.module_from_spec(found))
    return module
