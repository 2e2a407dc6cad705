"""What the fused kernel moves, in order: a query tile, then every key and value tile it sees, then its output tile."""
from collections.abc import Iterator

import numpy as np

from traffic_model.layout import FusedLayout
from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid, overlap
from traffic_model.schedule_sweep import Move, Sweep
from traffic_model.vocabulary import Array, Direction
from traffic_model.walk import key_tiles_seen


def sweeps(problem: AttentionProblem, layout: FusedLayout, grid: Grid) -> Iterator[Sweep]:
    """One kernel, row after row of blocks. Bytes of one head; K and V tiles that an earlier query tile loaded are re-reads."""
    row_bytes = problem.head_dim * problem.element_bytes
    keys_loaded = np.array([min(key_tiles_seen(problem, layout.block_q, layout.block_k, first) * layout.block_k, problem.kv_len)
                            for first in range(0, problem.seq_len, layout.block_q)])
    touched = 0
    for row, (first, end) in enumerate(zip(grid.row_edges, grid.row_edges[1:])):
        loaded = keys_loaded[first // layout.block_q:-(-end // layout.block_q)]
        reach = max(touched, int(loaded.max()))
        keys = overlap(loaded, grid.column_edges)
        fresh = overlap([reach], grid.column_edges) - overlap([touched], grid.column_edges)
        blocks = int(np.count_nonzero(keys))
        queries = (end - first) * row_bytes
        yield Sweep(1, row, "query", 1, (Move.of(Array.Q, Direction.READ, queries, queries),))
        if blocks:
            moved = fresh[:blocks] * row_bytes, keys[:blocks] * row_bytes
            yield Sweep(1, row, "keys", blocks, (Move.of(Array.K, Direction.READ, *moved), Move.of(Array.V, Direction.READ, *moved)))
        yield Sweep(1, row, "output", 1, (Move.of(Array.O, Direction.WRITE, queries, queries),))
        touched = reach
