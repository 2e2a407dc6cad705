"""Warp accesses of small kernels, written down by hand as address arithmetic, and their measures by the definition.

Each generator yields (cell, indices): an element index for each lane that takes part, in one warp access. They know nothing of the
kernels' texts but what these are meant to do.
"""
from collections import Counter

import numpy as np
from small_kernels import GET, PUT, X_READ, Y_WRITE

from traffic_model import Ledger, Measure, Space


def measured(cells, accesses, element_bytes=4) -> Ledger:
    """The ledger of these warp accesses. element_bytes: in HBM; 4 in shared memory."""
    sums = Counter()
    for cell in cells:
        for measure in measures(cell):
            sums[*cell, measure] = 0
    for number, indices in accesses:
        indices, cell = list(indices), cells[number]
        size = 4 if cell.space == Space.SHARED else element_bytes
        if indices:
            sums[*cell, Measure.REQUESTED] += len(indices) * size
            sums[*cell, Measure.DISTINCT] += len({byte for i in indices for byte in range(size * i, size * i + size)})
        if indices and cell.space == Space.HBM:
            sums[*cell, Measure.SECTORS] += 32 * len({size * i // 32 for i in indices})
        if indices and cell.space == Space.SHARED:
            sums[*cell, Measure.WAVEFRONTS] += 128 * max(Counter(word % 32 for word in set(indices)).values())
    return Ledger(sums, [Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS])


def measures(cell):
    return Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS if cell.space == Space.HBM else Measure.WAVEFRONTS


def lanes(threads):
    """The warps of a block, as ranges of linear thread indices."""
    return [range(first, min(first + 32, threads)) for first in range(0, threads, 32)]


def block_sum(case):
    n = dict(case.spec.sizes)["n"]
    for block in range(case.spec.blocks):
        yield X_READ, [32 * block + t for t in range(32) if 32 * block + t < n]
        yield PUT, range(32)
        for offset in (16, 8, 4, 2, 1):
            yield GET, range(offset)
            yield GET, range(offset, 2 * offset)
            yield PUT, range(offset)
        yield GET, [0]
        yield Y_WRITE, [block]


def transpose(case, padding=1):
    (_, rows), (_, columns) = case.spec.sizes
    side, (across, down, _), (width, height, _) = case.spec.layout.side, case.spec.launch.block, case.spec.launch.grid
    for bx, by in np.ndindex(width, height):
        for warp in lanes(across * down):
            for step in range(0, side, down):
                at = [(t % across, t // across + step) for t in warp]
                inside = [(x, y) for x, y in at if bx * side + x < columns and by * side + y < rows]
                yield X_READ, [(by * side + y) * columns + bx * side + x for x, y in inside]
                yield PUT, [y * (side + padding) + x for x, y in inside]
                inside = [(x, y) for x, y in at if by * side + x < rows and bx * side + y < columns]
                yield GET, [x * (side + padding) + y for x, y in inside]
                yield Y_WRITE, [(bx * side + y) * rows + by * side + x for x, y in inside]


def scan(case):
    threads = case.spec.layout.side
    for block in range(case.spec.blocks):
        for warp in lanes(threads):
            yield X_READ, [block * threads + t for t in warp]
            yield PUT, warp
            old, step = 0, 1
            while step < threads:
                yield GET, [old + t for t in warp]
                yield GET, [old + t - step for t in warp if t >= step]
                old, step = threads - old, 2 * step
                yield PUT, [old + t for t in warp]
            yield GET, [old + t for t in warp]
            yield Y_WRITE, [block * threads + t for t in warp]


def stencil(case):
    (_, n), (_, limit) = case.spec.sizes
    threads, x = case.spec.layout.side, case.x
    for block in range(case.spec.blocks):
        own = [block * threads + t for t in range(threads)]
        yield X_READ, [i for i in own if i < n]
        yield PUT, range(2, threads + 2)
        yield X_READ, [i - 2 for i in own[:2] if i >= 2]
        yield PUT, [0, 1]
        yield X_READ, [i + threads for i in own[:2] if i + threads < n]
        yield PUT, [threads + 2, threads + 3]
        yield GET, [t + 2 for t, i in enumerate(own) if i < n]
        low = [t for t, i in enumerate(own) if i < n and x[i] < np.float32(limit)]
        for k in range(5):
            yield GET, [t + k for t in low]
        yield Y_WRITE, [own[t] for t in low]


def matmul(case):
    n, side = dict(case.spec.sizes)["n"], case.spec.layout.side
    for bx, by in np.ndindex(case.spec.launch.grid[:2]):
        for warp in lanes(side * side):
            at = [(t % side, t // side, bx * side + t % side, by * side + t // side) for t in warp]
            for k in range(0, n, side):
                yield X_READ, [row * n + k + x for x, y, column, row in at if row < n and k + x < n]
                yield X_READ, [(k + y) * n + column for x, y, column, row in at if k + y < n and column < n]
                yield PUT, warp
                yield PUT, [side * side + t for t in warp]
                for j in range(side):
                    yield GET, [y * side + j for x, y, column, row in at]
                    yield GET, [side * side + j * side + x for x, y, column, row in at]
            yield Y_WRITE, [row * n + column for x, y, column, row in at if row < n and column < n]
            if 0 in warp:
                for k in range(3):
                    yield Y_WRITE, [n * n + k]


def volume(case):
    size = case.spec.layout.side
    for block in range(case.spec.blocks):
        for warp in lanes(size):
            yield X_READ, [block * size + t for t in warp]
            yield PUT, warp
            yield GET, [size - 1 - t for t in warp]
            yield Y_WRITE, [block * size + t for t in warp]


def carousel(case):
    rounds, threads = dict(case.spec.sizes)["rounds"], case.spec.layout.side
    for block in range(case.spec.blocks):
        for c in range(3):
            yield X_READ, [(block * threads + t) * 3 + c for t in range(threads)]
            yield Y_WRITE, [(block * threads + t) * 3 + c for t in range(threads)]
            for turn in range(rounds):
                yield PUT, range(threads)
                yield GET, [(t + turn + 1) % threads for t in range(threads)]


def ragged(case):
    """Every lane in loops of its own length: what lanes have in common is the number of the iteration, not the value of the counter."""
    n, threads = dict(case.spec.sizes)["n"], case.spec.layout.side
    for block in range(case.spec.blocks):
        for warp in lanes(threads):
            together = {}
            for t in warp:
                for k in range(t % 5):
                    together.setdefault((PUT, k), []).append(8 * t + k)
                    for turn, j in enumerate(range(t + k, n, 7 + k)):
                        if j % 3 == 0:
                            continue
                        together.setdefault((X_READ, k, turn), []).append(j)
                        if j > n - 9:
                            break
                        together.setdefault((PUT, k, turn), []).append(8 * t + k)
                    together.setdefault((GET, k), []).append(8 * t + k)
            yield from ((key[0], indices) for key, indices in together.items())
            yield Y_WRITE, [block * threads + t for t in warp]


def naive_scores(problem):
    """Cells Q read, K read, S write of the first naive kernel: blocks of 32 keys × 8 queries, a warp per query."""
    N, M, d = problem.seq_len, problem.kv_len, problem.head_dim
    for head, i in np.ndindex(problem.query_heads, N):
        kv_head = head // (problem.heads // problem.kv_heads)
        for first in range(0, M, 32):
            seen = range(first, min(first + 32, problem.keys_seen(i)))
            for c in range(d):
                yield 0, [(head * N + i) * d + c for _ in seen]
                yield 1, [(kv_head * M + j) * d + c for j in seen]
            yield 2, [(head * N + i) * M + j for j in seen]


def naive_softmax(problem):
    """Cells S read, P write of the second: a thread per row, three passes over its keys."""
    N, M = problem.seq_len, problem.kv_len
    for head in range(problem.query_heads):
        for first in range(0, N, 32):
            rows = range(first, min(first + 32, N))
            for j in range(M):
                at = [(head * N + i) * M + j for i in rows if j < problem.keys_seen(i)]
                yield from [(0, at)] * 3
                yield 1, at


def naive_output(problem):
    """Cells P read, V read, O write of the third: blocks of 32 columns × 8 queries, a warp per query."""
    N, M, d = problem.seq_len, problem.kv_len, problem.head_dim
    for head, i in np.ndindex(problem.query_heads, N):
        kv_head = head // (problem.heads // problem.kv_heads)
        for first in range(0, d, 32):
            columns = range(first, min(first + 32, d))
            for j in range(problem.keys_seen(i)):
                yield 0, [(head * N + i) * M + j for _ in columns]
                yield 1, [(kv_head * M + j) * d + c for c in columns]
            yield 2, [(head * N + i) * d + c for c in columns]
