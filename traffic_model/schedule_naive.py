"""What the naive kernels move, in order: three kernels, drawn in patches of the fused kernel's tile size.

The kernels know no tiles: a patch only groups the scores of some rows and keys, and holds visible pairs only.
"""
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from traffic_model.layout import NaiveLayout
from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid, overlap
from traffic_model.schedule_sweep import Move, Sweep
from traffic_model.vocabulary import Array, Direction

READ, WRITE = Direction.READ, Direction.WRITE
Q, K, V, S, P, O = Array.Q, Array.K, Array.V, Array.S, Array.P, Array.O


class Row(NamedTuple):
    """One row of patches: its queries, those that see no key, visible pairs and first-touched keys per patch, shape [patches]."""

    index: int
    queries: int
    blind: int
    pairs: np.ndarray
    fresh_keys: np.ndarray


def sweeps(problem: AttentionProblem, layout: NaiveLayout, grid: Grid) -> Iterator[Sweep]:
    """Kernel after kernel, row after row. Bytes of one head. A thread works on one row of the grid at a time, whatever its layout."""
    e, row_bytes = problem.element_bytes, problem.head_dim * problem.element_bytes
    rows = list(visible_rows(problem, grid))
    for row in rows:
        yield from _scores(row, e, row_bytes)
    for row in rows:
        yield from _softmax(row, e)
    for row in rows:
        yield from _output(row, e, row_bytes)


def _scores(row: Row, e: int, row_bytes: int) -> Iterator[Sweep]:
    """Every score reads a row of Q and a row of K; the first to do so in this kernel is the compulsory read."""
    if row.blind:  # compulsory counts all of Q, though no score asks for these rows
        yield Sweep(1, row.index, "blind", 1, (Move.of(Q, READ, row.blind * row_bytes, 0),))
    if len(row.pairs):
        first_q = np.where(np.arange(len(row.pairs)) == 0, (row.queries - row.blind) * row_bytes, 0)
        asked = row.pairs * row_bytes
        yield Sweep(1, row.index, "scores", len(row.pairs), (
            Move.of(Q, READ, first_q, asked), Move.of(K, READ, row.fresh_keys * row_bytes, asked),
            Move.of(S, WRITE, row.pairs * e, row.pairs * e)))


def _softmax(row: Row, e: int) -> Iterator[Sweep]:
    """A row of S is read three times: for its maximum, for its sum, and to be normalised into P."""
    if not len(row.pairs):
        return
    held, nothing = row.pairs * e, np.zeros_like(row.pairs)
    again = Move.of(S, READ, nothing, held)
    yield Sweep(2, row.index, "maximum", len(row.pairs), (Move.of(S, READ, held, held),))
    yield Sweep(2, row.index, "sum", len(row.pairs), (again,))
    yield Sweep(2, row.index, "normalise", len(row.pairs), (again, Move.of(P, WRITE, held, held)))


def _output(row: Row, e: int, row_bytes: int) -> Iterator[Sweep]:
    """Every element of O reads a row of P and a column of V; rows that see no key are written as zeros."""
    if len(row.pairs):
        asked = row.pairs * row_bytes
        yield Sweep(3, row.index, "products", len(row.pairs), (
            Move.of(P, READ, row.pairs * e, asked), Move.of(V, READ, row.fresh_keys * row_bytes, asked)))
    yield Sweep(3, row.index, "output", 1, (Move.of(O, WRITE, row.queries * row_bytes, row.queries * row_bytes),))


def visible_rows(problem: AttentionProblem, grid: Grid) -> Iterator[Row]:
    """Every row of the grid, from the first query on."""
    keys_seen = np.array([problem.keys_seen(query) for query in range(problem.seq_len)])
    touched = 0
    for index, (first, end) in enumerate(zip(grid.row_edges, grid.row_edges[1:])):
        seen = keys_seen[first:end]
        reach = max(touched, int(seen.max()))
        pairs = overlap(seen, grid.column_edges)
        fresh = overlap([reach], grid.column_edges) - overlap([touched], grid.column_edges)
        patches = np.count_nonzero(pairs)  # a row sees a prefix of the keys, so the visible patches come first
        yield Row(index, end - first, int(np.count_nonzero(seen == 0)), pairs[:patches], fresh[:patches])
        touched = reach
