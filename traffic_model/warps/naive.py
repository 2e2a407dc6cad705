"""Warp accesses of the naive kernels (numba_kernels/naive.py), a line for each of their accesses.

Blocks are 32 threads wide, so that the lanes of a warp lie along keys, query rows or the head, and nothing else.
"""
from collections.abc import Callable

import numpy as np

from traffic_model.cells import HBM, READ, WRITE, K, O, P, Q, S, V
from traffic_model.layout import NaiveLayout
from traffic_model.layout.common import WARP
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import SECTOR
from traffic_model.walk import visitors
from traffic_model.warps.access import Source
from traffic_model.warps.bases import Bases
from traffic_model.warps.heads import kv_heads, query_heads
from traffic_model.warps.lanes import ROW, Axis, grid, offsets, spread
from traffic_model.warps.visible import in_matrix, visible


def sources(problem: AttentionProblem, layout: NaiveLayout) -> list[list[Source]]:
    """Of each launch, in order."""
    return [_scores(problem), _softmax(problem), _output(problem)]


def _scores(problem: AttentionProblem) -> list[Source]:
    """Lanes along 32 keys of a row, step by step along d: they read one element of Q, and a column of K."""
    n, m, d = problem.seq_len, problem.kv_len, problem.head_dim
    return [_column(Cell(Q, HBM, READ), problem, query_heads(problem, n * d), lambda row, key: row * d, 0),
            _column(Cell(K, HBM, READ), problem, kv_heads(problem, m * d), lambda row, key: key * d, d),
            in_matrix(Cell(S, HBM, WRITE), problem, 1, WARP)]


def _column(cell: Cell, problem: AttentionProblem, heads: Bases, index: Callable, stride: int) -> Source:
    """At each step along d the lanes of visible keys, `stride` elements apart. index: as `visible` takes it."""
    size, found = problem.element_bytes, []
    steps = heads * Bases.steps(1, problem.head_dim, SECTOR // size)
    for taking, bases in visible(problem, 1, WARP, index, SECTOR // size):
        found += spread(cell, size, offsets(ROW, 0, stride, taking), steps * bases)
    return Source(cell, tuple(found))


def _softmax(problem: AttentionProblem) -> list[Source]:
    """Lanes along 32 rows, key by key: three passes."""
    maximum = total = normalise = in_matrix(Cell(S, HBM, READ), problem, WARP, 1)
    return [maximum, total, normalise, in_matrix(Cell(P, HBM, WRITE), problem, WARP, 1)]


def _output(problem: AttentionProblem) -> list[Source]:
    """Lanes along 32 columns of the head, key by key: they read one element of P, and a piece of a row of V."""
    n, m, d, size = problem.seq_len, problem.kv_len, problem.head_dim, problem.element_bytes
    period = SECTOR // size
    head = lambda stride: Axis.of(range(0, d, WARP), WARP, 1, d, stride, period)
    rows = lambda count, times=1: Axis.of(np.arange(count), 1, 1, count, d, period, times)
    [(_, pairs)] = visible(problem, 1, 1, lambda row, key: row * m + key, period)
    return [grid(Cell(P, HBM, READ), size, ROW, query_heads(problem, n * m), Axis(1, 0, {1: pairs}), head(0)),
            grid(Cell(V, HBM, READ), size, ROW, kv_heads(problem, m * d), rows(m, visitors(problem, 1, 1)), head(1)),
            grid(Cell(O, HBM, WRITE), size, ROW, query_heads(problem, n * d), rows(n), head(1))]
