"""Warp accesses of the tiled kernels (numba_kernels/tiled.py): a line for each of their accesses, in the order of their cells."""
from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, STATS, WRITE, K, P, Q, S, V
from traffic_model.layout import TiledLayout
from traffic_model.layout.blocked import PATCH_COLUMNS, PATCH_ROWS
from traffic_model.layout.common import WARP
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.walk import visited, visitors, walk
from traffic_model.warps.access import Source
from traffic_model.warps.bases import Bases
from traffic_model.warps.blocked import Blocked, patch_columns, patch_rows
from traffic_model.warps.lanes import spread
from traffic_model.warps.visible import in_matrix, in_tile


def sources(problem: AttentionProblem, layout: TiledLayout) -> list[list[Source]]:
    """Of each launch, in order."""
    return [_scores(problem, layout), _softmax(problem, layout), _output(problem, layout)]


def _scores(problem: AttentionProblem, layout: TiledLayout) -> list[Source]:
    d, block_q, block_k, stride, k_tile = problem.head_dim, layout.block_q, layout.block_k, layout.key_stride, layout.k_tile
    tiles, b = walk(problem, block_q, block_k).tiles, Blocked(problem, layout)
    leaving = (max(1, WARP // block_k), min(WARP, block_k))  # rows and keys of the S tile that a warp writes to HBM at once
    return [
        b.load(Q, visited(problem, block_q, block_k)), b.load(K, visitors(problem, block_q, block_k)),
        in_matrix(Cell(S, HBM, WRITE), problem, *leaving),
        b.fill(Q, 0, tiles, patch_rows(block_q, 1), patch_columns(d, layout.query_stride)),
        b.fill(K, k_tile, tiles, patch_rows(block_k, 1), patch_columns(d, stride)),
        b.put(S, 0, tiles, b.rows(stride), b.keys(1)),
        b.use_rows(Q, 0, tiles, d, layout.query_stride),
        b.use_columns(K, k_tile, tiles, d, stride, b.keys(1)),
        in_tile(Cell(S, SHARED, READ), problem, layout, *leaving),
    ]


def _softmax(problem: AttentionProblem, layout: TiledLayout) -> list[Source]:
    first_pass = second_pass = in_matrix(Cell(S, HBM, READ), problem, 1, WARP)
    levels = range(layout.softmax_threads.bit_length() - 1)
    return [first_pass, second_pass, in_matrix(Cell(P, HBM, WRITE), problem, 1, WARP),
            *(_exchange(Cell(STATS, SHARED, WRITE), problem, layout, 0) for _ in levels),
            *(_exchange(Cell(STATS, SHARED, READ), problem, layout, 1 << level) for level in levels)]


def _exchange(cell: Cell, problem: AttentionProblem, layout: TiledLayout, bit: int) -> Source:
    """Maxima, then sums, a number per thread of a row: each names that of the thread whose own number differs in this bit."""
    warps = Bases.steps(WARP, 2 * layout.softmax_threads // WARP, 1, problem.query_heads * problem.seq_len)
    return Source(cell, tuple(spread(cell, SHARED_BYTES, tuple(lane ^ bit for lane in range(WARP)), warps)))


def _output(problem: AttentionProblem, layout: TiledLayout) -> list[Source]:
    block_q, block_k, p_stride, v_stride, v_tile = layout.block_q, layout.block_k, layout.query_stride, layout.value_stride, layout.v_tile
    tiles, b = walk(problem, block_q, block_k).tiles, Blocked(problem, layout)
    return [
        in_matrix(Cell(P, HBM, READ), problem, PATCH_ROWS, PATCH_COLUMNS), b.load(V, visitors(problem, block_q, block_k)), b.store(),
        b.fill(P, 0, tiles, patch_rows(block_q, 1), patch_columns(block_k, p_stride)),
        b.fill(V, v_tile, tiles, patch_rows(block_k, v_stride), patch_columns(layout.value_columns, 1)),
        b.use_rows(P, 0, tiles, block_k, p_stride),
        b.use_columns(V, v_tile, tiles, block_k, v_stride, b.columns(1)),
    ]
