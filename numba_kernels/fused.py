"""Fused attention: one kernel, query tiles outside, key/value tiles inside, online softmax. S and P are never stored.

A block owns `block_q` query rows and walks the key/value tiles that its last row sees. A row's q, its running maximum m, sum ℓ and
unnormalised output o stay in registers; K and V tiles pass through shared memory. For each key j of a tile:

    s  = scale · q · K_tile[j]
    m' = max(m, s)                     α = exp(m − m'), which is 1 unless the maximum moved
    ℓ  = α ℓ + exp(s − m')
    o  = α o + exp(s − m') V_tile[j]

and at the end O = o / ℓ. Above d = 96 a row is shared by several threads, each with a slice of q and o; they exchange their parts of
a score through shared memory and then all hold the same m and ℓ. Tiles that no row sees are skipped; partly masked ones are
processed whole, a hidden key adding nothing (s = −∞, p = 0). Arrays are contiguous: Q, O [heads, N, d], K, V [kv heads, M, d].
"""
import math

from numba import float32, int64

from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec
from traffic_model.layout import FusedLayout
from traffic_model.ledger import Cell
from traffic_model.masks import MASKS
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

MINUS_INFINITY = float32(-math.inf)
HBM, SHARED, READ, WRITE = Space.HBM, Space.SHARED, Direction.READ, Direction.WRITE
WHOLE_ROW_CELLS = (Cell(Array.Q, HBM, READ), Cell(Array.K, HBM, READ), Cell(Array.V, HBM, READ), Cell(Array.O, HBM, WRITE),
                   Cell(Array.K, SHARED, WRITE), Cell(Array.V, SHARED, WRITE), Cell(Array.K, SHARED, READ), Cell(Array.V, SHARED, READ))
SPLIT_ROW_CELLS = (*WHOLE_ROW_CELLS, Cell(Array.S, SHARED, WRITE), Cell(Array.S, SHARED, READ))


def kernels(problem: AttentionProblem, layout: FusedLayout) -> list[KernelSpec]:
    """The one launch."""
    sizes = (("N", problem.seq_len), ("M", problem.kv_len), ("queries_per_kv", problem.heads // problem.kv_heads), ("scale", problem.scale))
    cells = SPLIT_ROW_CELLS if layout.threads_per_row > 1 else WHOLE_ROW_CELLS
    return [KernelSpec(fused, layout, MASKS[problem.mask], cells, launch, layout.shared_bytes, tuple("QKVO"), sizes)
            for launch in layout.launches(problem)]


def fused(layout, keys_seen, ports):
    start, flush, hbm, shared = ports
    Q_READ, K_READ, V_READ, O_WRITE, K_FILL, V_FILL, K_USE, V_USE, S_PUT, S_GET = range(len(SPLIT_ROW_CELLS))
    d, rows, keys, parts = layout.head_dim, layout.block_q, layout.block_k, layout.threads_per_row
    cells = len(SPLIT_ROW_CELLS if parts > 1 else WHOLE_ROW_CELLS)
    threads, slice_size, row_size, tile_size = layout.threads, layout.slice_elements, layout.row_elements, layout.tile_elements
    shared_size = 2 * tile_size + layout.partial_score_elements

    def fused(Q, K, V, O, counts, N, M, queries_per_kv, scale):
        """O[i] = softmax(scale · Q[i] Kᵀ) V for the query rows of one block"""
        tally = cuda.local.array(cells, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        K_tile = tiles[:tile_size]
        V_tile = tiles[tile_size:2 * tile_size]
        S_parts = tiles[2 * tile_size:shared_size]
        q = cuda.local.array(slice_size, float32)
        o = cuda.local.array(slice_size, float32)

        thread = cuda.threadIdx.x
        row = thread % rows
        part = thread // rows
        first_c = part * slice_size
        i = cuda.blockIdx.x * rows + row
        head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        q_row = (head * N + i) * d
        kv_head = head // queries_per_kv * M * d
        for c in range(slice_size):
            q[c] = float32(0)
            o[c] = float32(0)
            if i < N and first_c + c < d:
                q[c] = hbm.read(tally, Q_READ, Q, q_row + first_c + c)
        m = MINUS_INFINITY
        l = float32(0)
        sees = keys_seen(i, N, M)

        for first_key in range(0, keys_seen(min(N, (cuda.blockIdx.x + 1) * rows) - 1, N, M), keys):
            cuda.syncthreads()
            for element in range(thread, tile_size, threads):
                j = first_key + element // row_size
                c = element % row_size
                k = float32(0)
                v = float32(0)
                if j < M and c < d:
                    k = hbm.read(tally, K_READ, K, kv_head + j * d + c)
                    v = hbm.read(tally, V_READ, V, kv_head + j * d + c)
                shared.write(tally, K_FILL, K_tile, element, k)
                shared.write(tally, V_FILL, V_tile, element, v)
            cuda.syncthreads()

            for j in range(keys):
                s = float32(0)
                for c in range(slice_size):
                    s += q[c] * shared.read(tally, K_USE, K_tile, j * row_size + first_c + c)
                if parts > 1:
                    now = j % 2 * threads  # two halves in turn, so that one barrier a key is enough
                    shared.write(tally, S_PUT, S_parts, now + thread, s)
                    cuda.syncthreads()
                    s = float32(0)
                    for other in range(parts):
                        s += shared.read(tally, S_GET, S_parts, now + other * rows + row)
                s *= scale
                visible = first_key + j < sees
                if visible and s > m:  # a new maximum: rescale what was summed under the old one
                    alpha = math.exp(m - s)
                    l *= alpha
                    for c in range(slice_size):
                        o[c] *= alpha
                    m = s
                p = math.exp(s - m) if visible else float32(0)
                l += p
                for c in range(slice_size):
                    o[c] += p * shared.read(tally, V_USE, V_tile, j * row_size + first_c + c)

        if i < N:
            normalise = float32(1) / l if l > float32(0) else float32(0)
            for c in range(slice_size):
                if first_c + c < d:
                    hbm.write(tally, O_WRITE, O, q_row + first_c + c, o[c] * normalise)
        flush(tally, counts)

    return fused
