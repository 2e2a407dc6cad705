"""Fused attention on the tensor cores of compute capability 8.0 and up: mma.sync, operands by ldmatrix, copies by cp.async.

A block of four warps owns `block_q` query rows, a warp 16 or 32 of them, and walks the key/value tiles that the last row sees. While a tile
is multiplied the next one is on its way into the other half of shared memory. Per tile, for every 16 rows of a warp:

    s  = q Kᵀ                          K by ldmatrix; q is kept in registers where the head is short, else read again
    softmax                            in registers (numba_kernels/tensor_rows.py)
    o  = α o + p V                     p is s, rounded to the storage type, still in registers; V by ldmatrix, transposed on the way

and at the end O = o / ℓ. Tiles are as in numba_kernels/ptx/hopper.py: 64 columns wide, chunks of 16 bytes exchanged within a row, so that
neither the copies nor ldmatrix find two chunks in one bank. Partly masked tiles are processed whole.
"""
import math

from numba import float32, int64, uint32, uint64

from numba_kernels.device import cuda
from numba_kernels.ptx.common import global_address, shared_address
from numba_kernels.tensor_rows import MINUS_INFINITY, rows

LOG2_E = float32(math.log2(math.e))
ROW = 128  # bytes of a row of a tile


def fused_tensor_core_ampere(layout, keys_seen, ports):
    tallies, start, flush, copy_chunk, close_group, settle_copies, *loads, multiply, write_pair, pack = ports
    load_queries, load_keys, load_values = loads
    Q_READ, K_READ, V_READ, O_WRITE, Q_FILL, K_FILL, V_FILL, Q_USE, K_USE, V_USE = range(10)
    d, block_q, block_k, heads_fastest = layout.head_dim, layout.block_q, layout.block_k, layout.heads_fastest
    bands, kept, fill_rows = layout.bands, layout.keeps_queries, layout.threads // 8
    query_bytes, key_bytes = layout.query_tile_bytes, layout.key_tile_bytes
    column_tiles, steps = d // 64, d // 16
    scores, columns = block_k // 2, d // 2  # elements of s and of o that a lane has of a band
    fragments = 4 * steps if kept else 4  # registers of q that a lane has of a band
    q_length, s_length, o_length, lane_rows = bands * fragments, bands * scores, bands * columns, bands * 2
    p_length = s_length // 2
    hide, maximum, exponentials, rescale, normaliser = rows(block_k, d, keys_seen)

    def fused_tensor_core(Q, K, V, O, counts, N, M, heads, queries_per_kv, scale):
        """O[i] = softmax(scale · Q[i] Kᵀ) V for the query rows of one block"""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        q = cuda.local.array(q_length, uint32)
        s = cuda.local.array(s_length, float32)
        p = cuda.local.array(p_length, uint32)
        o = cuda.local.array(o_length, float32)
        b = cuda.local.array(4, uint32)
        m = cuda.local.array(lane_rows, float32)
        l = cuda.local.array(lane_rows, float32)
        alpha = cuda.local.array(lane_rows, float32)

        Q_tile = shared_address(cuda.shared.array(0, uint32))
        K_tiles = Q_tile + uint32(query_bytes)
        V_tiles = K_tiles + uint32(2 * key_bytes)
        thread = cuda.threadIdx.x
        lane = thread % 32
        warp_row = thread // 32 * bands * 16
        Q_rows = Q_tile + uint32(warp_row * ROW)
        fill_row, fill_chunk = thread // 8, thread % 8
        fill = fill_row * ROW + (fill_chunk ^ fill_row % 8) * 16
        # where this lane's chunks for ldmatrix lie: of q, and of v transposed; of k. Of other columns: exclusive or
        left = uint32(lane % 16 * ROW + (lane // 16 ^ lane % 8) * 16)
        right = uint32((lane % 8 + lane // 16 * 8) * ROW + (lane // 8 % 2 ^ lane % 8) * 16)
        if heads_fastest:
            first_query = (cuda.gridDim.y - 1 - cuda.blockIdx.y) * block_q
            head = cuda.blockIdx.z * cuda.gridDim.x + cuda.blockIdx.x
        else:
            first_query = cuda.blockIdx.x * block_q
            head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        row = first_query + warp_row + lane // 4
        Q_head = global_address(Q) + uint64(head * N * d * 2)
        K_head = global_address(K) + uint64(head // queries_per_kv * M * d * 2)
        V_head = global_address(V) + uint64(head // queries_per_kv * M * d * 2)
        keys = keys_seen(min(N, first_query + block_q) - 1, N, M)

        for i in range(0, block_q, fill_rows):
            for c in range(column_tiles):
                there = first_query + fill_row + i < N
                source = Q_head + uint64(((first_query + fill_row + i if there else 0) * d + c * 64) * 2 + fill_chunk * 16)
                copy_chunk(tally, Q_READ, Q_FILL, Q_tile + uint32(fill + c * block_q * ROW + i * ROW), source, 16 if there else 0)
        if keys > 0:
            for i in range(0, block_k, fill_rows):
                for c in range(column_tiles):
                    there = fill_row + i < M
                    offset = uint64(((fill_row + i if there else 0) * d + c * 64) * 2 + fill_chunk * 16)
                    target = uint32(fill + c * block_k * ROW + i * ROW)
                    copy_chunk(tally, K_READ, K_FILL, K_tiles + target, K_head + offset, 16 if there else 0)
                    copy_chunk(tally, V_READ, V_FILL, V_tiles + target, V_head + offset, 16 if there else 0)
        close_group()
        for r in range(bands * 2):
            m[r] = MINUS_INFINITY
            l[r] = float32(0)
        for n in range(bands * columns):
            o[n] = float32(0)
        if kept:
            settle_copies()
            cuda.syncthreads()
            for band in range(bands):
                for step in range(steps):
                    load_queries(tally, Q_USE, q, (band * steps + step) * 4, Q_rows + uint32(band * 16 * ROW) + (left ^ uint32(step * 32)))

        stage = 0
        for first_key in range(0, keys, block_k):
            settle_copies()
            cuda.syncthreads()
            if first_key + block_k < keys:
                for i in range(0, block_k, fill_rows):
                    for c in range(column_tiles):
                        j = first_key + block_k + fill_row + i
                        there = j < M
                        offset = uint64(((j if there else 0) * d + c * 64) * 2 + fill_chunk * 16)
                        target = uint32(fill + c * block_k * ROW + i * ROW + (1 - stage) * key_bytes)
                        copy_chunk(tally, K_READ, K_FILL, K_tiles + target, K_head + offset, 16 if there else 0)
                        copy_chunk(tally, V_READ, V_FILL, V_tiles + target, V_head + offset, 16 if there else 0)
                close_group()

            K_tile = K_tiles + uint32(stage * key_bytes)
            V_tile = V_tiles + uint32(stage * key_bytes)
            for n in range(s_length):
                s[n] = float32(0)
            for step in range(steps):
                at = step * 4 if kept else 0
                tile, chunk = step // 4, uint32(step % 4 * 32)
                if not kept:
                    for band in range(bands):
                        place = uint32(tile * block_q * ROW + band * 16 * ROW)
                        load_queries(tally, Q_USE, q, band * 4, Q_rows + place + (left ^ chunk))
                for j in range(0, block_k, 16):
                    load_keys(tally, K_USE, b, 0, K_tile + uint32(tile * block_k * ROW + j * ROW) + (right ^ chunk))
                    for band in range(bands):
                        f = band * fragments + at
                        n = band * scores + j // 2
                        multiply(s, n, q[f], q[f + 1], q[f + 2], q[f + 3], b[0], b[1])
                        multiply(s, n + 4, q[f], q[f + 1], q[f + 2], q[f + 3], b[2], b[3])
            if first_key + block_k > keys_seen(first_query + warp_row, N, M):
                for band in range(bands):
                    hide(s, band * scores, row + band * 16, first_key, N, M)
            for band in range(bands):
                if maximum(s, band * scores, m, l, alpha, band * 2, scale * LOG2_E):
                    rescale(o, band * columns, alpha, band * 2)
                exponentials(s, band * scores, m, l, band * 2, scale * LOG2_E)
            for n in range(p_length):
                p[n] = pack(s[2 * n], s[2 * n + 1])
            for j in range(0, block_k, 16):
                for c in range(0, d, 16):
                    place = uint32(c // 64 * block_k * ROW + j * ROW)
                    load_values(tally, V_USE, b, 0, V_tile + place + (left ^ uint32(c % 64 * 2)))
                    for band in range(bands):
                        f = (band * scores + j // 2) // 2
                        n = band * columns + c // 2
                        multiply(o, n, p[f], p[f + 1], p[f + 2], p[f + 3], b[0], b[1])
                        multiply(o, n + 4, p[f], p[f + 1], p[f + 2], p[f + 3], b[2], b[3])
            stage = 1 - stage

        settle_copies()
        for band in range(bands):
            for r in range(2):
                i = row + band * 16 + r * 8
                scaling = normaliser(l, band * 2 + r)
                if i < N:
                    place = global_address(O) + uint64(((head * N + i) * d + lane % 4 * 2) * 2)
                    for n in range(0, columns, 4):
                        at = band * columns + n + 2 * r
                        write_pair(tally, O_WRITE, place + uint64(4 * n), o[at] * scaling, o[at + 1] * scaling)
        flush(tally, counts)

    return fused_tensor_core
