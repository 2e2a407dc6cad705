"""Accesses to the visible part of S and P: patches of rows × keys, in which each row takes part up to the last key it sees."""
from collections.abc import Callable, Iterator
from math import gcd

import numpy as np

from traffic_model.cells import SHARED_BYTES
from traffic_model.layout import TiledLayout
from traffic_model.ledger import Cell
from traffic_model.masks import keys_seen_by
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import SECTOR
from traffic_model.warps.access import Source
from traffic_model.warps.bases import Bases
from traffic_model.warps.heads import query_heads
from traffic_model.warps.lanes import lines, offsets, spread

Taking = tuple[int, ...]  # keys that take part, in each row of the patch


def visible(problem: AttentionProblem, rows: int, keys: int, index: Callable, period: int) -> Iterator[tuple[Taking, Bases]]:
    """Every patch of one head in which a key is visible, those alike together.

    index(row, key): the element that the patch with this first row and first key starts from; along the keys it advances in equal steps.
    """
    n, m = problem.seq_len, problem.kv_len
    first = np.arange(0, n, rows)
    row = first[:, None] + np.arange(rows)
    sees, exists = keys_seen_by(problem.mask, np.minimum(row, n - 1), n, m), row < n
    whole, touched = sees.min(axis=1) // keys, -(-sees.max(axis=1) // keys)  # patches along the keys
    turn = period // gcd(keys, period)  # a whole patch and the one so many further lie alike in a sector
    alike = [(np.full_like(whole, patch), -(-(whole - patch) // turn)) for patch in range(turn)]
    alike += [(whole + patch, (whole + patch < touched).astype(int)) for patch in range((touched - whole).max())]
    found = {}
    for patch, times in alike:
        taking = np.clip(sees - patch[:, None] * keys, 0, keys) * exists
        for those, where in _groups(taking, keys + 1):
            bases = Bases.of(index(first[where], patch[where] * keys), times[where], period)
            found[those] = found[those] + bases if those in found else bases
    yield from ((taking, bases) for taking, bases in found.items() if any(taking) and bases.at)


def _groups(taking: np.ndarray, base: int) -> Iterator[tuple[Taking, np.ndarray]]:
    """(the numbers in a row, which rows have them): the rows read as numbers to this base, at most 2³² or so."""
    read = taking @ base ** np.arange(taking.shape[1])
    order = np.argsort(read, kind="stable")
    for where in np.split(order, np.flatnonzero(np.diff(read[order])) + 1):
        yield tuple(map(int, taking[where[0]])), where


def in_matrix(cell: Cell, problem: AttentionProblem, rows: int, keys: int) -> Source:
    """The visible part of S or P in HBM, by warps whose lanes take `rows` × `keys` of it at a time."""
    n, m, size = problem.seq_len, problem.kv_len, problem.element_bytes
    heads, found = query_heads(problem, n * m), []
    for taking, bases in visible(problem, rows, keys, lambda row, key: row * m + key, SECTOR // size):
        found += spread(cell, size, offsets(lines(rows, keys), m, 1, taking), heads * bases)
    return Source(cell, tuple(found))


def in_tile(cell: Cell, problem: AttentionProblem, layout: TiledLayout, rows: int, keys: int) -> Source:
    """The same by way of a tile in shared memory, whose rows are `key_stride` elements apart."""
    index = lambda row, key: row % layout.block_q * layout.key_stride + key % layout.block_k
    heads, found = Bases.repeated(0, problem.query_heads), []
    for taking, bases in visible(problem, rows, keys, index, 1):
        found += spread(cell, SHARED_BYTES, offsets(lines(rows, keys), layout.key_stride, 1, taking), heads * bases)
    return Source(cell, tuple(found))
