"""Warp accesses of the fused kernel (numba_kernels/fused.py): a line for each of its accesses, in the order of its cells."""
import numpy as np

from traffic_model.cells import STATS, K, P, Q, V
from traffic_model.layout import FusedLayout
from traffic_model.problem import AttentionProblem
from traffic_model.walk import visitors, walk
from traffic_model.warps.access import Source
from traffic_model.warps.blocked import Blocked, patch_columns, patch_rows


def sources(problem: AttentionProblem, layout: FusedLayout) -> list[list[Source]]:
    """Of the one launch."""
    d, block_q, block_k = problem.head_dim, layout.block_q, layout.block_k
    q_stride, k_stride, v_stride, k_tile, v_tile = layout.query_stride, layout.key_stride, layout.value_stride, layout.k_tile, layout.v_tile
    w, visits, b = walk(problem, block_q, block_k), visitors(problem, block_q, block_k), Blocked(problem, layout)
    once, rows = np.ones(-(-problem.seq_len // block_q), np.int64), b.rows(1)
    exchanges = w.tiles + w.query_tiles  # a maximum per visit, at the end a sum
    return [[
        b.load(Q, once), b.load(K, visits), b.load(V, visits), b.store(),
        b.fill(Q, 0, w.query_tiles, patch_rows(block_q, 1), patch_columns(d, q_stride)),
        b.fill(K, k_tile, w.tiles, patch_rows(block_k, 1), patch_columns(d, k_stride)),
        b.fill(V, v_tile, w.tiles, patch_rows(block_k, v_stride), patch_columns(layout.value_columns, 1)),
        b.put(P, k_tile, w.tiles, rows, b.keys(block_q)),
        b.put(STATS, layout.stats, exchanges, rows, b.threads(block_q)),
        b.use_rows(Q, 0, w.tiles, d, q_stride),
        b.use_columns(K, k_tile, w.tiles, d, k_stride, b.keys(1)),
        b.use_columns(V, v_tile, w.tiles, block_k, v_stride, b.columns(1)),
        b.use_rows(P, k_tile, w.tiles, block_k, block_q),
        b.use_rows(STATS, layout.stats, exchanges, layout.thread_columns, block_q),
    ]]
