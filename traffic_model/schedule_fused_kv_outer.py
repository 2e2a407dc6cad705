"""What the first paper's order moves: a key and value tile, then down the query tiles that see it, whose O and statistics come and go."""
from collections.abc import Iterator

import numpy as np

from traffic_model.cells import SHARED_BYTES
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid
from traffic_model.schedule_sweep import Move, Sweep
from traffic_model.schedule_visits import visits
from traffic_model.vocabulary import Array, Direction

READ, WRITE = Direction.READ, Direction.WRITE
Q, K, V, O, STATS = Array.Q, Array.K, Array.V, Array.O, Array.STATS


def sweeps(problem: AttentionProblem, layout: FusedKvOuterLayout, grid: Grid) -> Iterator[Sweep]:
    """One kernel, column after column of blocks. Bytes of one head. A query tile's Q is compulsory at its first visit, its O at its last,
    which is written in the storage type; before that O is fp32 scratch. STATS is scratch too: a maximum and a sum a row."""
    seen, row_bytes = visits(problem, layout.block_q, layout.block_k, grid), problem.head_dim * problem.element_bytes
    scratch_bytes, two = problem.head_dim * SHARED_BYTES, 2 * SHARED_BYTES
    for column, (first, end) in enumerate(zip(grid.column_edges, grid.column_edges[1:])):
        rows = np.flatnonzero(seen.query_rows[:, column])  # a later query sees more keys, so these are the last ones
        asked, back, last = (each[rows, column] for each in (seen.query_rows, seen.returns, seen.lasts))
        nothing = np.zeros_like(asked)
        keys = (end - first) * row_bytes
        yield Sweep(1, int(rows[0]), "load", 1, (Move.of(K, READ, keys, keys), Move.of(V, READ, keys, keys)), column)
        if column == 0:
            yield from _blind(seen.blind, row_bytes)
        yield Sweep(1, int(rows[0]), "queries", len(rows), (
            Move.of(Q, READ, _first(seen, rows, column, grid) * row_bytes, asked * row_bytes),
            Move.of(O, READ, nothing, back * scratch_bytes),
            Move.of(STATS, READ, nothing, back * layout.threads_per_row * two),
            Move.of(O, WRITE, last * row_bytes, (asked - last) * scratch_bytes + last * row_bytes),
            Move.of(STATS, WRITE, nothing, asked * two)), column)


def _first(seen, rows: np.ndarray, column: int, grid: Grid) -> np.ndarray:
    """Query rows that are read for the first time: every tile that sees a key sees the first ones."""
    return np.diff(grid.row_edges)[rows] - seen.blind[rows] if column == 0 else np.zeros_like(rows)


def _blind(rows: np.ndarray, row_bytes: int) -> Iterator[Sweep]:
    """Query tiles that see no key: zeros are written, and compulsory counts their Q, though the kernel does not ask for it."""
    for row in np.flatnonzero(rows).tolist():
        held = int(rows[row]) * row_bytes
        yield Sweep(1, row, "blind", 1, (Move.of(Q, READ, held, 0), Move.of(O, WRITE, held, held)), 0)
