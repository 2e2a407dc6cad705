"""Visits: how often a kernel of tiles comes to each block of the grid, in rows of Q and rows of K."""
from dataclasses import dataclass

import numpy as np

from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid
from traffic_model.walk import key_tiles_seen


@dataclass(frozen=True)
class Visits:
    """Per block of the grid, shape [rows, columns]; a block of several tiles sums over its tiles. A tile is ragged in its true size.

    query_rows: query rows over all visits;  key_rows: key rows over all visits;
    returns:    query rows over all visits but the first of each query tile;  lasts: query rows over the last visit of each.
    blind:      query rows of tiles that visit no key tile, shape [rows].
    """

    query_rows: np.ndarray
    key_rows: np.ndarray
    returns: np.ndarray
    lasts: np.ndarray
    blind: np.ndarray

    @property
    def columns(self) -> list[int]:
        """How many columns, from the first on, each row of the grid visits."""
        return np.count_nonzero(self.query_rows, axis=1).tolist()


def visits(problem: AttentionProblem, block_q: int, block_k: int, grid: Grid) -> Visits:
    """The visits of query tiles to the key tiles that each sees, in whatever order."""
    firsts = range(0, problem.seq_len, block_q)
    rows = np.array([min(block_q, problem.seq_len - first) for first in firsts])
    seen = np.array([key_tiles_seen(problem, block_q, block_k, first) for first in firsts])
    edges = np.array([-(-edge // block_k) for edge in grid.column_edges])  # in key tiles
    many = np.clip(seen[:, None] - edges[:-1], 0, np.diff(edges))
    keys = np.minimum(np.minimum(seen * block_k, problem.kv_len)[:, None], grid.column_edges)
    last = (edges[:-1] < seen[:, None]) & (seen[:, None] <= edges[1:])
    first = (edges[:-1] == 0) & (seen[:, None] > 0)
    starts = np.array(grid.row_edges[:-1]) // block_q
    gathered = lambda per_tile: np.add.reduceat(per_tile, starts, axis=0)
    return Visits(gathered(many * rows[:, None]), gathered(np.diff(keys, axis=1)), gathered((many - first) * rows[:, None]),
                  gathered(last * rows[:, None]), gathered(np.where(seen == 0, rows, 0)))
