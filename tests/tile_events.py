"""Every move of every kernel, tile by tile and thread by thread, one after the other: the long way to a ledger.

Nothing here is a closed form: the mask is drawn out, tiles are visited in loops, and what a thread does is added up access by access.
"""
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from traffic_model import AttentionProblem, Tiling
from traffic_model.cells import HBM, READ, SHARED, STATS, WRITE, K, O, P, Q, S, V
from traffic_model.gpus import Gpu
from traffic_model.layout import LAYOUTS

FP32 = 4
Events = Iterator[tuple[tuple, int]]  # ((array, space, direction), bytes)


def requested(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> dict:
    """{(array, space, direction): requested bytes}, cells of no bytes left out."""
    layout, total = LAYOUTS[algorithm].resolve(problem, tiling, gpu), Counter()
    for _ in range(problem.query_heads):
        for cell, count in EVENTS[algorithm](problem, layout):
            total[cell] += count
    return {cell: count for cell, count in total.items() if count}


def mask_drawn_out(problem: AttentionProblem) -> np.ndarray:
    """[N, M]: who sees whom."""
    n, m = problem.seq_len, problem.kv_len
    everyone = np.ones((n, m), bool)
    return everyone if problem.mask == "full" else np.tril(everyone, m - n)


def tiles(problem: AttentionProblem, layout) -> Iterator[tuple[slice, list[slice]]]:
    """Each query tile with the key tiles that hold a key some row of it sees."""
    sees = mask_drawn_out(problem)
    cut = lambda length, block: [slice(first, min(first + block, length)) for first in range(0, length, block)]
    for queries in cut(problem.seq_len, layout.block_q):
        yield queries, [keys for keys in cut(problem.kv_len, layout.block_k) if sees[queries, keys].any()]


def naive(problem: AttentionProblem, layout) -> Events:
    e, d = problem.element_bytes, problem.head_dim
    for row in mask_drawn_out(problem).sum(axis=1).tolist():
        for _ in range(row):
            yield from [((Q, HBM, READ), d * e), ((K, HBM, READ), d * e), ((S, HBM, WRITE), e)]
            yield from [((S, HBM, READ), e)] * 3
            yield (P, HBM, WRITE), e
        for _ in range(d):
            yield from [((P, HBM, READ), row * e), ((V, HBM, READ), row * e), ((O, HBM, WRITE), e)]


def tiled(problem: AttentionProblem, layout) -> Events:
    e, d, sees = problem.element_bytes, problem.head_dim, mask_drawn_out(problem)
    levels = [1 << level for level in range(32) if 1 << level < layout.softmax_threads]
    for queries, seen in tiles(problem, layout):
        for keys in seen:
            pairs = int(sees[queries, keys].sum())
            yield (Q, HBM, READ), rows(queries) * d * e
            yield (K, HBM, READ), rows(keys) * d * e
            yield (Q, SHARED, WRITE), layout.block_q * d * FP32
            yield (K, SHARED, WRITE), layout.block_k * d * FP32
            yield from [((S, SHARED, READ), pairs * FP32), ((S, HBM, WRITE), pairs * e)]
            for _ in product(range(layout.thread_rows), range(layout.thread_columns)):
                yield (Q, SHARED, READ), d * layout.rows_per_thread * FP32
                yield (K, SHARED, READ), d * layout.keys_per_thread * FP32
                yield (S, SHARED, WRITE), layout.rows_per_thread * layout.keys_per_thread * FP32
    for row in sees.sum(axis=1).tolist():
        yield from [((S, HBM, READ), row * e), ((S, HBM, READ), row * e), ((P, HBM, WRITE), row * e)]
        for _ in product(levels, range(layout.softmax_threads)):
            yield from [((STATS, SHARED, WRITE), 2 * FP32), ((STATS, SHARED, READ), 2 * FP32)]
    for queries, seen in tiles(problem, layout):
        for keys in seen:
            yield (P, HBM, READ), int(sees[queries, keys].sum()) * e
            yield (V, HBM, READ), rows(keys) * d * e
            yield (P, SHARED, WRITE), layout.block_q * layout.block_k * FP32
            yield (V, SHARED, WRITE), layout.block_k * layout.value_columns * FP32
            for _ in product(range(layout.thread_rows), range(layout.thread_columns), range(layout.block_k)):
                yield (P, SHARED, READ), layout.rows_per_thread * FP32
                yield (V, SHARED, READ), layout.columns_per_thread * FP32
        yield (O, HBM, WRITE), rows(queries) * d * e


def fused(problem: AttentionProblem, layout) -> Events:
    e, d = problem.element_bytes, problem.head_dim
    threads = list(product(range(layout.thread_rows), range(layout.thread_columns)))
    exchange = [((STATS, SHARED, WRITE), layout.rows_per_thread * FP32),
                ((STATS, SHARED, READ), layout.rows_per_thread * layout.thread_columns * FP32)]
    for queries, seen in tiles(problem, layout):
        yield (Q, HBM, READ), rows(queries) * d * e
        yield (Q, SHARED, WRITE), layout.block_q * d * FP32
        for keys in seen:
            yield from [((K, HBM, READ), rows(keys) * d * e), ((V, HBM, READ), rows(keys) * d * e)]
            yield (K, SHARED, WRITE), layout.block_k * d * FP32
            yield (V, SHARED, WRITE), layout.block_k * layout.value_columns * FP32
            for _ in threads:
                yield (Q, SHARED, READ), d * layout.rows_per_thread * FP32
                yield (K, SHARED, READ), d * layout.keys_per_thread * FP32
                yield from exchange  # maxima
                yield (P, SHARED, WRITE), layout.rows_per_thread * layout.keys_per_thread * FP32
                yield (P, SHARED, READ), layout.block_k * layout.rows_per_thread * FP32
                yield (V, SHARED, READ), layout.block_k * layout.columns_per_thread * FP32
        for _ in threads:
            yield from exchange  # sums
        yield (O, HBM, WRITE), rows(queries) * d * e


def fused_kv_outer(problem: AttentionProblem, layout) -> Events:
    e, d, walk = problem.element_bytes, problem.head_dim, list(tiles(problem, layout))
    slice_bytes, split = layout.slice_elements * FP32, layout.threads_per_row > 1
    for queries, seen in walk:
        if not seen:
            yield (O, HBM, WRITE), rows(queries) * d * e  # zeros
    for keys in max((seen for _, seen in walk), key=len):
        yield from [((K, HBM, READ), rows(keys) * d * e), ((V, HBM, READ), rows(keys) * d * e)]
        for _ in product(range(layout.block_k), range(layout.threads_per_row)):
            yield from [((K, SHARED, WRITE), slice_bytes), ((V, SHARED, WRITE), slice_bytes)]
        for queries, seen in walk:
            if keys not in seen:
                continue
            yield (Q, HBM, READ), rows(queries) * d * e
            if keys != seen[0]:
                yield (O, HBM, READ), rows(queries) * d * FP32
                yield (STATS, HBM, READ), rows(queries) * layout.threads_per_row * 2 * FP32
            yield (O, HBM, WRITE), rows(queries) * d * (e if keys == seen[-1] else FP32)
            yield (STATS, HBM, WRITE), rows(queries) * 2 * FP32
            for _ in product(range(layout.block_q), range(layout.threads_per_row), range(layout.block_k)):
                yield from [((K, SHARED, READ), slice_bytes), ((V, SHARED, READ), slice_bytes)]
                if split:
                    yield from [((S, SHARED, WRITE), FP32), ((S, SHARED, READ), layout.threads_per_row * FP32)]


def fused_tensor_core(problem: AttentionProblem, layout) -> Events:
    e, d = problem.element_bytes, problem.head_dim
    for queries, seen in tiles(problem, layout):
        yield from [((Q, HBM, READ), rows(queries) * d * e), ((Q, SHARED, WRITE), layout.block_q * d * e)]
        for keys in seen:
            yield from [((K, HBM, READ), rows(keys) * d * e), ((V, HBM, READ), rows(keys) * d * e)]
            yield from [((K, SHARED, WRITE), layout.block_k * d * e), ((V, SHARED, WRITE), layout.block_k * d * e)]
            for _ in range(layout.threads // 128 - 1 if layout.capability == "9.0" else layout.threads // 32):  # warpgroups or warps
                yield from [((K, SHARED, READ), layout.block_k * d * e), ((V, SHARED, READ), layout.block_k * d * e)]
        for _ in range(1 if layout.capability == "8.0" and d == 64 else len(seen)):
            yield (Q, SHARED, READ), layout.block_q * d * e
        yield (O, HBM, WRITE), rows(queries) * d * e


def rows(tile: slice) -> int:
    return tile.stop - tile.start


EVENTS = {"naive": naive, "tiled": tiled, "fused": fused, "fused_kv_outer": fused_kv_outer,
          "fused_tensor_core": fused_tensor_core}
