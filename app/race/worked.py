"""Worked: what the threads of an executed run held while they went from key tile to key tile, put back into rows and keys.

All arrays are of one head, NaN where a tile was not walked and −∞ where a score is hidden: scores and weights [N, M]; m, alpha and l
[N, key tiles] after each tile; o [N, key tiles, d], the output so far, before it is divided by l.
"""
import math
from dataclasses import dataclass

import numpy as np

from numba_kernels.executions import Execution
from traffic_model.layout.common import WARP
from traffic_model.warps.blocked import INTERLEAVED, WARP_ROWS

SCORES_READY, WEIGHTS_READY, TILE_BEGINS, WALK_ENDS = 2, 3, 0, 4  # barriers of the fused kernel, in the order of its text
EACH_TILE = 3  # of them met in one tile


@dataclass(frozen=True, eq=False)
class Worked:
    m: np.ndarray
    alpha: np.ndarray
    l: np.ndarray
    o: np.ndarray
    s: np.ndarray | None = None
    p: np.ndarray | None = None


def worked(algorithm: str, run: Execution) -> Worked | None:
    """None for kernels that keep nothing from key tile to key tile: their S and P are in HBM."""
    return {"fused": _fused, "fused_kv_outer": _kv_outer}.get(algorithm, lambda run: None)(run)


def _fused(run: Execution) -> Worked:
    """m, ℓ and s as the registers had them, s and m turned from powers of two to powers of e."""
    p, layout = run.problem, run.specs[0].layout
    tiles, padded = (-(-length // block) for length, block in ((p.kv_len, layout.block_k), (p.seq_len, layout.block_q)))
    new = lambda *shape: np.full((padded * layout.block_q, *shape), np.nan, np.float32)
    s, weights = new(tiles * layout.block_k), new(tiles * layout.block_k)
    m, alpha, l, o = new(tiles), new(tiles), new(tiles), new(tiles, layout.value_columns)
    rows, keys, columns = _places(layout)
    for block in range(run.specs[0].blocks):
        seen = p.keys_seen(min(p.seq_len, (block + 1) * layout.block_q) - 1)
        held = run.watch(block, (SCORES_READY, WEIGHTS_READY, TILE_BEGINS, WALK_ENDS), EACH_TILE * tiles + 1)
        mine = block * layout.block_q + rows
        for tile in range(-(-seen // layout.block_k)):
            begins, scored, weighted, ends = range(EACH_TILE * tile, EACH_TILE * tile + 4)
            s[mine[:, :, None], tile * layout.block_k + keys[:, None]] = held["s"][scored] * math.log(2)
            weights[mine[:, :, None], tile * layout.block_k + keys[:, None]] = held["s"][weighted]
            m[mine, tile] = held["m"][weighted] * math.log(2)
            alpha[mine, tile] = _kept_share(held["m"][begins] * math.log(2), m[mine, tile])
            l[mine, tile] = 0
            np.add.at(l, (mine, tile), held["l"][weighted])  # each thread of a row has summed its own keys
            o[mine[:, :, None], tile, columns[:, None]] = held["o"][ends]
    n, d = p.seq_len, p.head_dim
    return Worked(m[:n], alpha[:n], l[:n], o[:n, :, :d], s[:n, :p.kv_len], weights[:n, :p.kv_len])


def _places(layout) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each thread the rows, keys and output columns that it computes in its block's tile: [threads, how many]."""
    lane_rows, lane_columns = np.tile(INTERLEAVED, (layout.warps, 1)).T
    warps, warp_rows = np.repeat(range(layout.warps), WARP), layout.thread_rows // WARP_ROWS
    rows = (warps % warp_rows * WARP_ROWS + lane_rows)[:, None] * layout.rows_per_thread + range(layout.rows_per_thread)
    column = (warps // warp_rows * 4 + lane_columns)[:, None]
    spread = lambda count, run: column * run + np.arange(count) + np.arange(count) // run * (layout.thread_columns - 1) * run
    return rows, spread(layout.keys_per_thread, layout.key_run), spread(layout.columns_per_thread, layout.column_run)


def _kv_outer(run: Execution) -> Worked:
    """m, ℓ and o as they lay in HBM whenever the block began with the next key tile, and at the end."""
    p, layout = run.problem, run.specs[0].layout
    tiles = -(-p.kv_len // layout.block_k)
    held = run.watch(0, (TILE_BEGINS,), tiles)
    states = lambda name, last: np.moveaxis(np.concatenate([held[name][1:], last[None]]).reshape(tiles, p.seq_len, -1), 0, 1)
    stats, o = states("STATS", run.arrays["STATS"]), states("o_scratch", run.arrays["o"])
    seen = np.array([p.keys_seen(min(p.seq_len, row - row % layout.block_q + layout.block_q) - 1) for row in range(p.seq_len)])
    walked = np.arange(tiles) * layout.block_k < seen[:, None]
    last = (np.arange(tiles) + 1) * layout.block_k >= seen[:, None]  # then o is not kept: O is written
    m, l = (np.where(walked, stats[:, :, which], np.float32(np.nan)) for which in range(2))
    before = np.concatenate([np.full((p.seq_len, 1), -np.inf, np.float32), m[:, :-1]], axis=1)
    return Worked(m, _kept_share(before, m), l, np.where((walked & ~last)[:, :, None], o, np.float32(np.nan)))


def _kept_share(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """α = e to the m before − m; 0 while nothing has been seen."""
    return np.where(np.isnan(after), after, np.exp(before - np.where(after > -np.inf, after, 0)))
