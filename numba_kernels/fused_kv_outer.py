"""Fused attention in the first paper's order: key/value tiles outside, query tiles inside, one block per head.

Each K and V tile is read once, but every query tile comes by again for each of them: its Q is read again, and its running output o
and statistics m, ℓ go to HBM and come back as fp32 scratch. Only batch × heads multiprocessors have work. For key j of a tile:

    s  = scale · q · K_tile[j]
    m' = max(m, s)                     α = exp(m − m'), which is 1 unless the maximum moved
    ℓ  = α ℓ + exp(s − m')
    o  = α o + exp(s − m') V_tile[j]

The last visit of a query tile writes O = o / ℓ in the storage type. Above d = 96 a row is shared by several threads, each with a
slice of q and o; they exchange their parts of a score through shared memory. Tiles that no row sees are skipped; partly masked ones
are processed whole, a hidden key adding nothing. Arrays are contiguous: Q, O and o [heads, N, d], K, V [kv heads, M, d],
STATS [heads, N, 2].
"""
import math

from numba import float32, int64

from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.ledger import Cell
from traffic_model.masks import MASKS
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

MINUS_INFINITY = float32(-math.inf)
Q, K, V, S, P, O, STATS = Array
HBM, SHARED, READ, WRITE = *Space, *Direction
WHOLE_ROW_CELLS = (Cell(Q, HBM, READ), Cell(K, HBM, READ), Cell(V, HBM, READ), Cell(O, HBM, READ), Cell(O, HBM, WRITE),
                   Cell(STATS, HBM, READ), Cell(STATS, HBM, WRITE),
                   Cell(K, SHARED, WRITE), Cell(V, SHARED, WRITE), Cell(K, SHARED, READ), Cell(V, SHARED, READ))
SPLIT_ROW_CELLS = (*WHOLE_ROW_CELLS, Cell(S, SHARED, WRITE), Cell(S, SHARED, READ))


def kernels(problem: AttentionProblem, layout: FusedKvOuterLayout) -> list[KernelSpec]:
    """The one launch."""
    sizes = (("N", problem.seq_len), ("M", problem.kv_len), ("queries_per_kv", problem.heads // problem.kv_heads), ("scale", problem.scale))
    cells = SPLIT_ROW_CELLS if layout.threads_per_row > 1 else WHOLE_ROW_CELLS
    return [KernelSpec(fused_kv_outer, layout, MASKS[problem.mask], problem.dtype, cells, launch, (*"QKVO", "o", "STATS"), sizes,
                       scratch=("o", "STATS")) for launch in layout.launches(problem)]


def fused_kv_outer(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    (Q_READ, K_READ, V_READ, O_READ, O_WRITE, STATS_READ, STATS_WRITE, K_FILL, V_FILL, K_USE, V_USE,
     S_PUT, S_GET) = range(len(SPLIT_ROW_CELLS))
    d, rows, keys, parts = layout.head_dim, layout.block_q, layout.block_k, layout.threads_per_row
    threads, slice_size, row_size = layout.threads, layout.slice_elements, layout.row_elements
    K_tile, V_tile, S_parts, tile_size = 0, layout.v_tile, layout.partial_scores, layout.v_tile

    def fused_kv_outer(Q, K, V, O, o_scratch, STATS, counts, N, M, queries_per_kv, scale):
        """O = softmax(scale · Q Kᵀ) V for one head"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        q = cuda.local.array(slice_size, float32)
        o = cuda.local.array(slice_size, float32)

        thread = cuda.threadIdx.x
        row = thread % rows
        part = thread // rows
        first_c = part * slice_size
        head = cuda.blockIdx.y * cuda.gridDim.x + cuda.blockIdx.x
        kv_head = head // queries_per_kv * M

        for first_key in range(0, keys_seen(N - 1, N, M), keys):
            cuda.syncthreads()
            for element in range(thread, tile_size, threads):
                j = first_key + element // row_size
                c = element % row_size
                k = float32(0)
                v = float32(0)
                if j < M and c < d:
                    k = hbm.read(tally, K_READ, K, (kv_head + j) * d + c)
                    v = hbm.read(tally, V_READ, V, (kv_head + j) * d + c)
                shared.write(tally, K_FILL, tiles, K_tile + element, k)
                shared.write(tally, V_FILL, tiles, V_tile + element, v)
            cuda.syncthreads()

            for first_query in range(0, N, rows):
                tile_sees = keys_seen(min(N, first_query + rows) - 1, N, M)
                i = first_query + row
                q_row = head * N + i
                if first_key < tile_sees:
                    m = MINUS_INFINITY
                    l = float32(0)
                    if i < N and first_key > 0:
                        m = scratch.read(tally, STATS_READ, STATS, 2 * q_row)
                        l = scratch.read(tally, STATS_READ, STATS, 2 * q_row + 1)
                    for c in range(slice_size):
                        q[c] = float32(0)
                        o[c] = float32(0)
                        if i < N and first_c + c < d:
                            q[c] = hbm.read(tally, Q_READ, Q, q_row * d + first_c + c)
                            if first_key > 0:
                                o[c] = scratch.read(tally, O_READ, o_scratch, q_row * d + first_c + c)
                    sees = keys_seen(i, N, M)
                    for j in range(keys):
                        s = float32(0)
                        for c in range(slice_size):
                            s += q[c] * shared.read(tally, K_USE, tiles, K_tile + j * row_size + first_c + c)
                        if parts > 1:
                            now = S_parts + j % 2 * threads  # two halves in turn, so that one barrier a key is enough
                            shared.write(tally, S_PUT, tiles, now + thread, s)
                            cuda.syncthreads()
                            s = float32(0)
                            for other in range(parts):
                                s += shared.read(tally, S_GET, tiles, now + other * rows + row)
                        s *= scale
                        visible = first_key + j < sees and s != MINUS_INFINITY  # a score of −∞ adds nothing, as a hidden one
                        if visible and s > m:  # a new maximum: rescale what was summed under the old one
                            alpha = math.exp(m - s)
                            l *= alpha
                            for c in range(slice_size):
                                o[c] *= alpha
                            m = s
                        p = math.exp(s - m) if visible else float32(0)
                        l += p
                        for c in range(slice_size):
                            o[c] += p * shared.read(tally, V_USE, tiles, V_tile + j * row_size + first_c + c)

                    if i < N:
                        last = first_key + keys >= tile_sees
                        normalise = float32(1) / l if sees > 0 else float32(0)
                        for c in range(slice_size):
                            if first_c + c < d:
                                if last:
                                    hbm.write(tally, O_WRITE, O, q_row * d + first_c + c, o[c] * normalise)
                                else:
                                    scratch.write(tally, O_WRITE, o_scratch, q_row * d + first_c + c, o[c])
                        if part == 0:
                            scratch.write(tally, STATS_WRITE, STATS, 2 * q_row, m)
                            scratch.write(tally, STATS_WRITE, STATS, 2 * q_row + 1, l)
                elif first_key == 0 and i < N:  # a tile that sees no key at all
                    for c in range(slice_size):
                        if first_c + c < d:
                            hbm.write(tally, O_WRITE, O, q_row * d + first_c + c, float32(0))
        flush(tally, counts)

    return fused_kv_outer
