"""One step of ring attention: the fused kernel on one K/V block, its result combined with that of the steps before.

The text is fused's (numba_kernels/fused.py) but for its end, and for a block that is first and last it compiles to the same machine code.
A block that is not the first finds m', ℓ' and o' of the blocks before in HBM, as fp32 scratch, and is put together with them:

    top = max(m, m')                   α = 2^(m' − top)         β = 2^(m − top)
    ℓ   = β ℓ + α ℓ'                   o = β o + α o'

One that is not the last leaves them there for the next, o not yet divided. A row's m and ℓ are read and written by its first thread alone,
which tells the others through shared memory (STATS). Arrays as in fused, and o [heads, N, d], STATS [heads, N, 2].
"""
import math

from numba import float32, int64

from numba_kernels import fused
from numba_kernels.device import cuda
from numba_kernels.fused import LOG2_E, MINUS_INFINITY
from numba_kernels.spec import KernelSpec
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

O_READS = Cell(Array.O, Space.HBM, Direction.READ)
STATS_READS = Cell(Array.STATS, Space.HBM, Direction.READ)
STATS_WRITES = Cell(Array.STATS, Space.HBM, Direction.WRITE)


def kernel(problem: AttentionProblem, layout: FusedRingLayout) -> KernelSpec:
    """The launch for the queries of one GPU and the block it has."""
    spec, = fused.kernels(problem, layout)
    return spec._replace(text=fused_ring, cells=cells(layout), arrays=(*"QKVO", "o", "STATS"), scratch=("o", "STATS"))


def cells(layout: FusedRingLayout) -> tuple[Cell, ...]:
    """What is counted: fused's, and what the running results come and go by."""
    resumed = () if layout.first else (O_READS, STATS_READS)
    return (*fused.CELLS, *resumed, *(() if layout.last else (STATS_WRITES,)))


def fused_ring(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    (Q_READ, K_READ, V_READ, O_WRITE, Q_FILL, K_FILL, V_FILL, P_PUT, STATS_PUT, Q_USE, K_USE, V_USE, P_GET, STATS_GET,
     O_READ, STATS_READ) = range(len(fused.CELLS) + 2)
    first, last, STATS_WRITE = layout.first, layout.last, len(cells(layout)) - 1
    d, block_q, block_k = layout.head_dim, layout.block_q, layout.block_k
    rows, keys, columns = layout.rows_per_thread, layout.keys_per_thread, layout.columns_per_thread
    thread_columns, warp_rows, patch_step = layout.thread_columns, layout.thread_rows // 8, layout.warps * 4
    key_run, key_jump = layout.key_run, (thread_columns - 1) * layout.key_run
    column_run, column_jump = layout.column_run, (thread_columns - 1) * layout.column_run
    patches, q_stride, k_stride, v_stride = layout.value_patches, layout.query_stride, layout.key_stride, layout.value_stride
    Q_tile, K_tile, P_tile, V_tile, stats = 0, layout.k_tile, layout.k_tile, layout.v_tile, layout.stats
    pair = math.gcd(d, 2)  # two steps along d at once, where d is even: more reads under way

    def fused_ring(Q, K, V, O, o_scratch, STATS, counts, N, M, queries_per_kv, scale):
        """One K/V block's part of O[i] = softmax(scale · Q[i] Kᵀ) V for the query rows of one block"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        s = cuda.local.array((rows, keys), float32)
        o = cuda.local.array((rows, columns), float32)
        m = cuda.local.array(rows, float32)
        l = cuda.local.array(rows, float32)
        left = cuda.local.array(rows, float32)
        k = cuda.local.array(keys, float32)
        v = cuda.local.array(columns, float32)
        k_load = cuda.local.array(patches, float32)
        v_load = cuda.local.array(patches, float32)

        thread = cuda.threadIdx.x
        lane = thread % 32
        warp = thread // 32
        row = (warp % warp_rows * 8 + lane // 2 % 2 + lane // 8 * 2) * rows
        column = warp // warp_rows * 4 + lane % 2 + lane // 4 % 2 * 2
        patch_row = warp * 4 + lane // 8
        patch_c = lane % 8
        first_query = cuda.blockIdx.x * block_q
        head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        q_head = head * N
        kv_head = head // queries_per_kv * M

        for i in range(patch_row, block_q, patch_step):
            for n in range(patches):
                c = patch_c + 8 * n
                if c < d:
                    q = float32(0)
                    if first_query + i < N:
                        q = hbm.read(tally, Q_READ, Q, (q_head + first_query + i) * d + c)
                    shared.write(tally, Q_FILL, tiles, Q_tile + c * q_stride + i, scale * LOG2_E * q)
        for r in range(rows):
            m[r] = MINUS_INFINITY
            l[r] = float32(0)
            for n in range(columns):
                o[r, n] = float32(0)

        for first_key in range(0, keys_seen(min(N, first_query + block_q) - 1, N, M), block_k):
            cuda.syncthreads()
            for j in range(patch_row, block_k, patch_step):
                for n in range(patches):
                    c = patch_c + 8 * n
                    k_load[n] = float32(0)
                    v_load[n] = float32(0)
                    if first_key + j < M and c < d:
                        k_load[n] = hbm.read(tally, K_READ, K, (kv_head + first_key + j) * d + c)
                        v_load[n] = hbm.read(tally, V_READ, V, (kv_head + first_key + j) * d + c)
                for n in range(patches):
                    c = patch_c + 8 * n
                    if c < d:
                        shared.write(tally, K_FILL, tiles, K_tile + c * k_stride + j, k_load[n])
                    shared.write(tally, V_FILL, tiles, V_tile + j * v_stride + c, v_load[n])
            cuda.syncthreads()

            for r in range(rows):
                for n in range(keys):
                    s[r, n] = float32(0)
            for first_c in range(0, d, pair):
                for c in range(first_c, first_c + pair):
                    for r in range(rows):
                        left[r] = shared.read(tally, Q_USE, tiles, Q_tile + c * q_stride + row + r)
                    for n in range(keys):
                        k[n] = shared.read(tally, K_USE, tiles, K_tile + c * k_stride + column * key_run + n + n // key_run * key_jump)
                    for r in range(rows):
                        for n in range(keys):
                            s[r, n] += left[r] * k[n]
            if first_key + block_k > keys_seen(first_query, N, M):
                for r in range(rows):
                    sees = keys_seen(first_query + row + r, N, M) - first_key
                    for n in range(keys):
                        if column * key_run + n + n // key_run * key_jump >= sees:
                            s[r, n] = MINUS_INFINITY

            for r in range(rows):
                top = s[r, 0]
                for n in range(1, keys):
                    top = max(top, s[r, n])
                shared.write(tally, STATS_PUT, tiles, stats + column * block_q + row + r, top)
            cuda.syncthreads()
            for r in range(rows):
                top = m[r]
                for other in range(thread_columns):
                    top = max(top, shared.read(tally, STATS_GET, tiles, stats + other * block_q + row + r))
                safe = top if top > MINUS_INFINITY else float32(0)  # nothing seen yet: 2^(−∞ − 0) = 0 where −∞ − −∞ is NaN
                alpha = math.exp2(m[r] - safe)
                m[r] = top
                l[r] *= alpha
                for n in range(columns):
                    o[r, n] *= alpha
                for n in range(keys):
                    s[r, n] = math.exp2(s[r, n] - safe)
                    l[r] += s[r, n]
            for n in range(keys):
                for r in range(rows):
                    j = column * key_run + n + n // key_run * key_jump
                    shared.write(tally, P_PUT, tiles, P_tile + j * block_q + row + r, s[r, n])
            cuda.syncthreads()
            for first_j in range(0, block_k, 2):
                for j in range(first_j, first_j + 2):
                    for r in range(rows):
                        left[r] = shared.read(tally, P_GET, tiles, P_tile + j * block_q + row + r)
                    for n in range(columns):
                        c = column * column_run + n + n // column_run * column_jump
                        v[n] = shared.read(tally, V_USE, tiles, V_tile + j * v_stride + c)
                    for r in range(rows):
                        for n in range(columns):
                            o[r, n] += left[r] * v[n]

        cuda.syncthreads()
        for r in range(rows):
            shared.write(tally, STATS_PUT, tiles, stats + column * block_q + row + r, l[r])
            l[r] = float32(0)
        cuda.syncthreads()
        for other in range(thread_columns):
            for r in range(rows):
                l[r] += shared.read(tally, STATS_GET, tiles, stats + other * block_q + row + r)
        if not first:
            cuda.syncthreads()
            if column == 0:
                for r in range(rows):
                    m_before = MINUS_INFINITY
                    l_before = float32(0)
                    if first_query + row + r < N:
                        m_before = scratch.read(tally, STATS_READ, STATS, 2 * (q_head + first_query + row + r))
                        l_before = scratch.read(tally, STATS_READ, STATS, 2 * (q_head + first_query + row + r) + 1)
                    shared.write(tally, STATS_PUT, tiles, stats + row + r, m_before)
                    shared.write(tally, STATS_PUT, tiles, stats + block_q + row + r, l_before)
            cuda.syncthreads()
            for r in range(rows):
                before = shared.read(tally, STATS_GET, tiles, stats + row + r)
                top = max(m[r], before)
                safe = top if top > MINUS_INFINITY else float32(0)
                alpha = math.exp2(before - safe)
                beta = math.exp2(m[r] - safe)
                m[r] = top
                l[r] = beta * l[r] + alpha * shared.read(tally, STATS_GET, tiles, stats + block_q + row + r)
                for n in range(columns):
                    c = column * column_run + n + n // column_run * column_jump
                    o[r, n] *= beta
                    if first_query + row + r < N and c < d:
                        o[r, n] += alpha * scratch.read(tally, O_READ, o_scratch, (q_head + first_query + row + r) * d + c)
        for r in range(rows):
            i = first_query + row + r
            normalise = float32(1) / l[r] if keys_seen(i, N, M) > 0 else float32(0)
            for n in range(columns):
                c = column * column_run + n + n // column_run * column_jump
                if i < N and c < d:
                    if last:
                        hbm.write(tally, O_WRITE, O, (q_head + i) * d + c, o[r, n] * normalise)
                    else:
                        scratch.write(tally, O_WRITE, o_scratch, (q_head + i) * d + c, o[r, n])
            if not last:
                if column == 0 and i < N:
                    scratch.write(tally, STATS_WRITE, STATS, 2 * (q_head + i), m[r])
                    scratch.write(tally, STATS_WRITE, STATS, 2 * (q_head + i) + 1, l[r])
        flush(tally, counts)

    return fused_ring
