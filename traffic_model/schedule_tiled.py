"""What the tiled kernels move, in order: three kernels, tile by tile through shared memory; S and P still go out and come back."""
from collections.abc import Iterator

import numpy as np

from traffic_model.layout import TiledLayout
from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid
from traffic_model.schedule_naive import Row, visible_rows
from traffic_model.schedule_sweep import Move, Sweep
from traffic_model.schedule_visits import Visits, visits
from traffic_model.vocabulary import Array, Direction

READ, WRITE = Direction.READ, Direction.WRITE
Q, K, V, S, P, O = Array.Q, Array.K, Array.V, Array.S, Array.P, Array.O


def sweeps(problem: AttentionProblem, layout: TiledLayout, grid: Grid) -> Iterator[Sweep]:
    """Kernel after kernel, row after row. Bytes of one head. Only visible pairs of S and P move; tiles of Q, K and V move whole."""
    e, row_bytes = problem.element_bytes, problem.head_dim * problem.element_bytes
    rows, seen = list(visible_rows(problem, grid)), visits(problem, layout.block_q, layout.block_k, grid)
    for row in rows:
        yield from _scores(row, seen, e, row_bytes)
    for row in rows:
        yield from _softmax(row, e)
    for row in rows:
        yield from _output(row, seen, e, row_bytes)


def _scores(row: Row, seen: Visits, e: int, row_bytes: int) -> Iterator[Sweep]:
    """A block per tile of S: each loads its tile of Q and its tile of K."""
    blind = int(seen.blind[row.index])
    if blind:  # compulsory counts all of Q, though no tile of S asks for these rows
        yield Sweep(1, row.index, "blind", 1, (Move.of(Q, READ, blind * row_bytes, 0),))
    if count := len(row.pairs):
        first_q = np.where(np.arange(count) == 0, (row.queries - blind) * row_bytes, 0)
        yield Sweep(1, row.index, "scores", count, (
            Move.of(Q, READ, first_q, seen.query_rows[row.index, :count] * row_bytes),
            Move.of(K, READ, row.fresh_keys * row_bytes, seen.key_rows[row.index, :count] * row_bytes),
            Move.of(S, WRITE, row.pairs * e, row.pairs * e)))


def _softmax(row: Row, e: int) -> Iterator[Sweep]:
    """A block per row of S, which is read twice: for its maximum and sum, and to be normalised into P."""
    if not len(row.pairs):
        return
    held, nothing = row.pairs * e, np.zeros_like(row.pairs)
    yield Sweep(2, row.index, "statistics", len(row.pairs), (Move.of(S, READ, held, held),))
    yield Sweep(2, row.index, "normalise", len(row.pairs), (Move.of(S, READ, nothing, held), Move.of(P, WRITE, held, held)))


def _output(row: Row, seen: Visits, e: int, row_bytes: int) -> Iterator[Sweep]:
    """A block per tile of O walks the keys: P once, and its own copy of V."""
    if count := len(row.pairs):
        yield Sweep(3, row.index, "products", count, (
            Move.of(P, READ, row.pairs * e, row.pairs * e),
            Move.of(V, READ, row.fresh_keys * row_bytes, seen.key_rows[row.index, :count] * row_bytes)))
    yield Sweep(3, row.index, "output", 1, (Move.of(O, WRITE, row.queries * row_bytes, row.queries * row_bytes),))
