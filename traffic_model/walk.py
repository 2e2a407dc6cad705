"""Walk: which tiles a kernel visits, as sums that every prediction is made of. All are over all heads of the batch."""
from dataclasses import dataclass

import numpy as np

from traffic_model.masks import keys_seen_by
from traffic_model.problem import AttentionProblem


@dataclass(frozen=True)
class Walk:
    """Query tiles and, for each, the key tiles up to the last key that its last row sees.

    query_tiles: number of query tiles.
    tiles:       (query tile, key tile) pairs that are visited.
    query_rows:  query rows over all visits: a tile of h rows visited n times counts n·h; ragged tiles in their true size.
    key_rows:    key rows over all visits, likewise.
    returns:     query rows over all visits but the first of each tile.
    key_tiles:   key tiles that some query tile visits; longest_keys: their rows.
    """

    query_tiles: int
    tiles: int
    query_rows: int
    key_rows: int
    returns: int
    key_tiles: int
    longest_keys: int


def walk(problem: AttentionProblem, block_q: int, block_k: int) -> Walk:
    """The walk of this tiling over this problem."""
    n, m, heads = problem.seq_len, problem.kv_len, problem.query_heads
    rows = np.minimum(block_q, n - np.arange(0, n, block_q))
    visits = visited(problem, block_q, block_k)
    total, most = lambda numbers: int(numbers.sum()) * heads, int(visits.max())
    return Walk(
        query_tiles=len(rows) * heads,
        tiles=total(visits),
        query_rows=total(visits * rows),
        key_rows=total(np.minimum(visits * block_k, m)),
        returns=total(np.maximum(visits - 1, 0) * rows),
        key_tiles=most * heads,
        longest_keys=min(most * block_k, m) * heads)


def visited(problem: AttentionProblem, block_q: int, block_k: int) -> np.ndarray:
    """How many key tiles each query tile visits, shape [query tiles]."""
    n, m = problem.seq_len, problem.kv_len
    ends = np.minimum(np.arange(0, n, block_q) + block_q, n)
    return -(-keys_seen_by(problem.mask, ends - 1, n, m) // block_k)


def visitors(problem: AttentionProblem, block_q: int, block_k: int) -> np.ndarray:
    """How many query tiles visit each key tile, shape [key tiles]."""
    visits = np.sort(visited(problem, block_q, block_k))
    return len(visits) - np.searchsorted(visits, np.arange(-(-problem.kv_len // block_k)), side="right")


def rows_seeing(problem: AttentionProblem, block_q: int, block_k: int) -> np.ndarray:
    """Query rows of the tiles that visit each key tile, shape [key tiles]. The last tile, which may be ragged, is among them if any is."""
    tiles = visitors(problem, block_q, block_k)
    return np.where(tiles, tiles * block_q - -problem.seq_len % block_q, 0)


def key_tiles_seen(problem: AttentionProblem, block_q: int, block_k: int, first_row: int) -> int:
    """Key tiles that the query tile starting at `first_row` visits."""
    last_row = min(first_row + block_q, problem.seq_len) - 1
    return -(-problem.keys_seen(last_row) // block_k)
