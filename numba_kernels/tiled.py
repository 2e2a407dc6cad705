"""Tiled attention: three kernels like naive, but each tile of an input is read from HBM once and reused from shared memory.

    S = scale · Q Kᵀ        a block per Br×Bc tile of S
    P = softmax(S)          a block per row, two passes over S
    O = P V                 a block per Br×d tile of O, walking the keys

A thread computes a small block of S or O in registers (see traffic_model/layout/blocked.py for who computes what). The S tile leaves
through shared memory, so that lanes write consecutive elements. Tiles that no row sees are skipped; pairs that the mask hides are
neither read from nor stored in HBM. Arrays are contiguous: Q, O [heads, N, d], K, V [kv heads, M, d], S, P [heads, N, M].
"""
import math

from numba import float32, int64

from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec
from traffic_model.layout import TiledLayout
from traffic_model.ledger import Cell
from traffic_model.masks import MASKS
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

LOWEST = float32(-3.4028234663852886e38)  # of finite numbers: to begin with, so that a score of −∞ has weight e^(−∞ − m) = 0, never NaN
Q, K, V, S, P, O, STATS = Array
HBM, SHARED, READ, WRITE = *Space, *Direction
SCORES_CELLS = (Cell(Q, HBM, READ), Cell(K, HBM, READ), Cell(S, HBM, WRITE), Cell(Q, SHARED, WRITE), Cell(K, SHARED, WRITE),
                Cell(S, SHARED, WRITE), Cell(Q, SHARED, READ), Cell(K, SHARED, READ), Cell(S, SHARED, READ))
SOFTMAX_CELLS = (Cell(S, HBM, READ), Cell(P, HBM, WRITE), Cell(STATS, SHARED, WRITE), Cell(STATS, SHARED, READ))
OUTPUT_CELLS = (Cell(P, HBM, READ), Cell(V, HBM, READ), Cell(O, HBM, WRITE), Cell(P, SHARED, WRITE), Cell(V, SHARED, WRITE),
                Cell(P, SHARED, READ), Cell(V, SHARED, READ))


def kernels(problem: AttentionProblem, layout: TiledLayout) -> list[KernelSpec]:
    """The three launches in order."""
    sizes = (("N", problem.seq_len), ("M", problem.kv_len))
    grouped = (*sizes, ("queries_per_kv", problem.heads // problem.kv_heads))
    steps = [(scores, SCORES_CELLS, "QKS", (*grouped, ("scale", problem.scale))), (softmax, SOFTMAX_CELLS, "SP", sizes),
             (output, OUTPUT_CELLS, "PVO", grouped)]
    return [KernelSpec(text, layout, MASKS[problem.mask], problem.dtype, cells, launch, tuple(arrays), scalars)
            for (text, cells, arrays, scalars), launch in zip(steps, layout.launches(problem))]


def scores(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    Q_READ, K_READ, S_WRITE, Q_FILL, K_FILL, S_PUT, Q_USE, K_USE, S_GET = range(len(SCORES_CELLS))
    d, block_q, block_k, threads = layout.head_dim, layout.block_q, layout.block_k, layout.threads
    rows, keys, warp_rows, patch_step = layout.rows_per_thread, layout.keys_per_thread, layout.thread_rows // 8, layout.warps * 4
    key_run, key_jump = layout.key_run, (layout.thread_columns - 1) * layout.key_run
    patches, q_stride, k_stride = layout.value_patches, layout.query_stride, layout.key_stride
    Q_tile, K_tile, S_tile = 0, layout.k_tile, 0
    pair = math.gcd(d, 2)  # two steps along d at once, where d is even: more reads under way

    def scores(Q, K, S, counts, N, M, queries_per_kv, scale):
        """S[i, j] = scale · Q[i] · K[j] for one tile of S"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        s = cuda.local.array((rows, keys), float32)
        q = cuda.local.array(rows, float32)
        k = cuda.local.array(keys, float32)
        load = cuda.local.array(patches, float32)

        thread = cuda.threadIdx.x
        lane = thread % 32
        warp = thread // 32
        row = (warp % warp_rows * 8 + lane // 2 % 2 + lane // 8 * 2) * rows
        column = warp // warp_rows * 4 + lane % 2 + lane // 4 % 2 * 2
        patch_row = warp * 4 + lane // 8
        patch_c = lane % 8
        query_tiles = (N + block_q - 1) // block_q
        first_query = cuda.blockIdx.x % query_tiles * block_q
        key_tile = cuda.blockIdx.x // query_tiles * block_k
        head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        kv_head = head // queries_per_kv * M

        seen = keys_seen(min(N, first_query + block_q) - 1, N, M)
        for first_key in range(key_tile, min(seen, key_tile + block_k), block_k):  # once, or never if no row sees the tile
            for i in range(patch_row, block_q, patch_step):
                for n in range(patches):
                    load[n] = float32(0)
                    if first_query + i < N and patch_c + 8 * n < d:
                        load[n] = hbm.read(tally, Q_READ, Q, (head * N + first_query + i) * d + patch_c + 8 * n)
                for n in range(patches):
                    if patch_c + 8 * n < d:
                        shared.write(tally, Q_FILL, tiles, Q_tile + (patch_c + 8 * n) * q_stride + i, scale * load[n])
            for j in range(patch_row, block_k, patch_step):
                for n in range(patches):
                    load[n] = float32(0)
                    if first_key + j < M and patch_c + 8 * n < d:
                        load[n] = hbm.read(tally, K_READ, K, (kv_head + first_key + j) * d + patch_c + 8 * n)
                for n in range(patches):
                    if patch_c + 8 * n < d:
                        shared.write(tally, K_FILL, tiles, K_tile + (patch_c + 8 * n) * k_stride + j, load[n])
            cuda.syncthreads()
            for r in range(rows):
                for n in range(keys):
                    s[r, n] = float32(0)
            for first_c in range(0, d, pair):
                for c in range(first_c, first_c + pair):
                    for r in range(rows):
                        q[r] = shared.read(tally, Q_USE, tiles, Q_tile + c * q_stride + row + r)
                    for n in range(keys):
                        k[n] = shared.read(tally, K_USE, tiles, K_tile + c * k_stride + column * key_run + n + n // key_run * key_jump)
                    for r in range(rows):
                        for n in range(keys):
                            s[r, n] += q[r] * k[n]
            cuda.syncthreads()
            for r in range(rows):
                for n in range(keys):
                    j = column * key_run + n + n // key_run * key_jump
                    shared.write(tally, S_PUT, tiles, S_tile + (row + r) * k_stride + j, s[r, n])
            cuda.syncthreads()
            for element in range(thread, block_q * block_k, threads):
                i = first_query + element // block_k
                j = first_key + element % block_k
                if i < N and j < keys_seen(i, N, M):
                    x = shared.read(tally, S_GET, tiles, S_tile + element // block_k * k_stride + element % block_k)
                    hbm.write(tally, S_WRITE, S, (head * N + i) * M + j, x)
        flush(tally, counts)

    return scores


def softmax(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    S_READ, P_WRITE, STATS_PUT, STATS_GET = range(len(SOFTMAX_CELLS))
    threads, levels = layout.softmax_threads, layout.softmax_threads.bit_length() - 1

    def softmax(S, P, counts, N, M):
        """P[i] = exp(S[i] − m) / ℓ: m and ℓ in one online pass, joined over the block in a tree; P in a second pass"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        stats = cuda.shared.array(0, float32)
        thread = cuda.threadIdx.x
        i = cuda.blockIdx.x
        row = ((cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y) * N + i) * M
        keys = keys_seen(i, N, M)
        m = LOWEST
        l = float32(0)
        whole = keys // threads * threads
        for rest in range(2):  # first the rounds that need every thread, so that a warp's lanes stay together however the loop is unrolled
            for j in range(rest * whole + thread, keys if rest else whole, threads):
                s = hbm.read(tally, S_READ, S, row + j)
                if s > m:
                    l *= math.exp(m - s)
                    m = s
                l += math.exp(s - m)
        for level in range(levels):
            shared.write(tally, STATS_PUT, stats, thread, m)
            shared.write(tally, STATS_PUT, stats, threads + thread, l)
            cuda.syncthreads()
            other = thread ^ (1 << level)
            m_other = shared.read(tally, STATS_GET, stats, other)
            l_other = shared.read(tally, STATS_GET, stats, threads + other)
            cuda.syncthreads()
            top = max(m, m_other)
            l = l * math.exp(m - top) + l_other * math.exp(m_other - top)
            m = top
        for rest in range(2):
            for j in range(rest * whole + thread, keys if rest else whole, threads):
                hbm.write(tally, P_WRITE, P, row + j, math.exp(hbm.read(tally, S_READ, S, row + j) - m) / l)
        flush(tally, counts)

    return softmax


def output(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    P_READ, V_READ, O_WRITE, P_FILL, V_FILL, P_USE, V_USE = range(len(OUTPUT_CELLS))
    d, block_q, block_k = layout.head_dim, layout.block_q, layout.block_k
    rows, columns, warp_rows, patch_step = layout.rows_per_thread, layout.columns_per_thread, layout.thread_rows // 8, layout.warps * 4
    column_run, column_jump = layout.column_run, (layout.thread_columns - 1) * layout.column_run
    key_patches, patches, p_stride, v_stride = block_k // 8, layout.value_patches, layout.query_stride, layout.value_stride
    P_tile, V_tile = 0, layout.v_tile

    def output(P, V, O, counts, N, M, queries_per_kv):
        """O[i, c] = Σⱼ P[i, j] · V[j, c] for one tile of O"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tiles = cuda.shared.array(0, float32)
        o = cuda.local.array((rows, columns), float32)
        p = cuda.local.array(rows, float32)
        v = cuda.local.array(columns, float32)
        p_load = cuda.local.array(key_patches, float32)
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
        kv_head = head // queries_per_kv * M
        for r in range(rows):
            for n in range(columns):
                o[r, n] = float32(0)

        for first_key in range(0, keys_seen(min(N, first_query + block_q) - 1, N, M), block_k):
            cuda.syncthreads()
            for i in range(patch_row, block_q, patch_step):
                sees = keys_seen(first_query + i, N, M) if first_query + i < N else 0
                for n in range(key_patches):
                    j = first_key + patch_c + 8 * n
                    p_load[n] = float32(0)
                    if j < sees:
                        p_load[n] = hbm.read(tally, P_READ, P, (head * N + first_query + i) * M + j)
                for n in range(key_patches):
                    shared.write(tally, P_FILL, tiles, P_tile + (patch_c + 8 * n) * p_stride + i, p_load[n])
            for j in range(patch_row, block_k, patch_step):
                for n in range(patches):
                    v_load[n] = float32(0)
                    if first_key + j < M and patch_c + 8 * n < d:
                        v_load[n] = hbm.read(tally, V_READ, V, (kv_head + first_key + j) * d + patch_c + 8 * n)
                for n in range(patches):
                    shared.write(tally, V_FILL, tiles, V_tile + j * v_stride + patch_c + 8 * n, v_load[n])
            cuda.syncthreads()
            for first_j in range(0, block_k, 2):
                for j in range(first_j, first_j + 2):
                    for r in range(rows):
                        p[r] = shared.read(tally, P_USE, tiles, P_tile + j * p_stride + row + r)
                    for n in range(columns):
                        c = column * column_run + n + n // column_run * column_jump
                        v[n] = shared.read(tally, V_USE, tiles, V_tile + j * v_stride + c)
                    for r in range(rows):
                        for n in range(columns):
                            o[r, n] += p[r] * v[n]

        for r in range(rows):
            for n in range(columns):
                c = column * column_run + n + n // column_run * column_jump
                if first_query + row + r < N and c < d:
                    hbm.write(tally, O_WRITE, O, (head * N + first_query + row + r) * d + c, o[r, n])
        flush(tally, counts)

    return output
