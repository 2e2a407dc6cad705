"""Grid: the blocks that S and P are drawn in, and how much of a set of rows falls into each."""
from dataclasses import dataclass

import numpy as np

from traffic_model.tiling import Tiling

MOST_BLOCKS = 256  # along one side; beyond it neighbouring tiles are drawn as one block


@dataclass(frozen=True)
class Grid:
    """The blocks that S and P are drawn in: `row_edges` in queries, `column_edges` in keys, the ragged last block in true size.

    A block is one tile, or `tiles_per_block` (down, across) tiles when there would be more than MOST_BLOCKS along a side.
    """

    row_edges: tuple[int, ...]
    column_edges: tuple[int, ...]
    tiles_per_block: tuple[int, int]

    @classmethod
    def of(cls, seq_len: int, kv_len: int, tiling: Tiling) -> "Grid":
        down, rows = _edges(seq_len, tiling.block_q)
        across, columns = _edges(kv_len, tiling.block_k)
        return cls(rows, columns, (down, across))


def overlap(lengths, edges: tuple[int, ...]) -> np.ndarray:
    """How much of the prefixes [0, length) falls into each column, summed over `lengths`. Shape [columns]."""
    return np.diff(np.minimum.outer(np.asarray(lengths, np.int64), np.asarray(edges, np.int64)).sum(axis=0))


def _edges(length: int, tile: int) -> tuple[int, tuple[int, ...]]:
    tiles_per_block = -(-length // (tile * MOST_BLOCKS))
    return tiles_per_block, (*range(0, length, tile * tiles_per_block), length)
