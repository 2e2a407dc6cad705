"""Fused attention on Hopper's tensor cores."""
import math

from numba import float32, int64, uint32, uint64

from numba_kernels.device import cuda
from numba_kernels.ptx import hopper
from numba_kernels.ptx.common import global_address, shared_address
from numba_kernels.tensor_rows import MINUS_INFINITY, rows

LOG2_E = float32(math.log2(math.e))
CELLS = 10


def hopper_text(layout, keys_seen, ports):
    tallies, start, flush, copy, start_scores, start_output, write_pair, pack = ports
    Q_READ, K_READ, V_READ, O_WRITE, Q_FILL, K_FILL, V_FILL, Q_USE, K_USE, V_USE = range(CELLS)
    d, block_q, block_k, stages, groups = layout.head_dim, layout.block_q, layout.block_k, layout.stages, layout.groups
    query_bytes, key_bytes, barriers = layout.query_bytes, layout.key_bytes, layout.barriers
    q_tile, k_tile = block_q * hopper.ROW_BYTES, block_k * hopper.ROW_BYTES
    column_tiles = d // hopper.TILE_COLUMNS
    turns, heads_fastest = layout.turns and groups > 1, layout.heads_fastest
    scores, columns = block_k // 2, d // 2  # elements of s and of o that a lane keeps
    halves = block_k // 4
    device = cuda.jit(device=True, forceinline=True)
    descriptor = device(hopper.descriptor)
    settle_first, settle_scores, settle_output = (hopper.settle(*a) for a in ((scores, 0), (scores, 1), (columns, 0)))
    give_registers, take_registers = hopper.fewer_registers(24), hopper.more_registers(layout.consumer_registers)
    meet, pass_on, wait, arrive, expect = hopper.meet, hopper.pass_on, hopper.wait, hopper.arrive, hopper.expect
    make_barrier, show_barriers, trust_map = hopper.make_barrier, hopper.show_barriers, hopper.trust_map
    hide, softmax, rescale, normaliser = rows(block_k, d, keys_seen)

    def fused_tensor_core(Q, K, V, O, counts, N, M, queries_per_kv, scale):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        memory = (shared_address(cuda.shared.array(0, uint32)) + uint32(1023)) & uint32(0xFFFFFC00)
        Q_full = memory + uint32(barriers)
        K_full = Q_full + uint32(8)
        V_full = K_full + uint32(8 * stages)
        K_empty = V_full + uint32(8 * stages)
        V_empty = K_empty + uint32(8 * stages)
        K_tiles = memory + uint32(query_bytes)
        V_tiles = K_tiles + uint32(stages * key_bytes)

        thread = cuda.threadIdx.x
        group = thread // 128
        if heads_fastest:
            query_tile = cuda.gridDim.y - 1 - cuda.blockIdx.y
            head = cuda.blockIdx.z * cuda.gridDim.x + cuda.blockIdx.x
        else:
            query_tile = cuda.blockIdx.x
            head = cuda.blockIdx.z * cuda.gridDim.y + cuda.blockIdx.y
        first_query = query_tile * block_q
        tiles = (keys_seen(min(N, first_query + block_q) - 1, N, M) + block_k - 1) // block_k

        if thread == 0:
            make_barrier(Q_full, 1)
            for stage in range(stages):
                make_barrier(K_full + uint32(8 * stage), 1)
                make_barrier(V_full + uint32(8 * stage), 1)
                make_barrier(K_empty + uint32(8 * stage), 4 * groups)
                make_barrier(V_empty + uint32(8 * stage), 4 * groups)
            show_barriers()
        cuda.syncthreads()

        if group == 0:
            give_registers()
            if thread == 0 and tiles > 0:
                Q_map, K_map, V_map = global_address(Q), global_address(K), global_address(V)
                trust_map(Q_map)
                trust_map(K_map)
                trust_map(V_map)
                expect(Q_full, query_bytes)
                for c in range(column_tiles):
                    copy(tally, Q_READ, Q_FILL, memory + uint32(c * q_tile), Q_map, c * 64, first_query, head, Q_full,
                         min(N - first_query, block_q), block_q)
                kv_head = head // queries_per_kv
                stage = 0
                parity = 1
                for first_key in range(0, tiles * block_k, block_k):
                    wait(K_empty + uint32(8 * stage), parity)
                    expect(K_full + uint32(8 * stage), key_bytes)
                    for c in range(column_tiles):
                        copy(tally, K_READ, K_FILL, K_tiles + uint32(stage * key_bytes + c * k_tile), K_map, c * 64, first_key, kv_head,
                             K_full + uint32(8 * stage), min(M - first_key, block_k), block_k)
                    wait(V_empty + uint32(8 * stage), parity)
                    expect(V_full + uint32(8 * stage), key_bytes)
                    for c in range(column_tiles):
                        copy(tally, V_READ, V_FILL, V_tiles + uint32(stage * key_bytes + c * k_tile), V_map, c * 64, first_key, kv_head,
                             V_full + uint32(8 * stage), min(M - first_key, block_k), block_k)
                    stage += 1
                    if stage == stages:
                        stage = 0
                        parity = 1 - parity
            flush(tally, counts)
        else:
            take_registers()
            s = cuda.local.array(scores, float32)
            o = cuda.local.array(columns, float32)
            p = cuda.local.array(halves, uint32)
            m = cuda.local.array(2, float32)
            l = cuda.local.array(2, float32)
            alpha = cuda.local.array(2, float32)
            for r in range(2):
                m[r] = MINUS_INFINITY
                l[r] = float32(0)
            for n in range(columns):
                o[n] = float32(0)
            lane = cuda.laneid
            signals = lane == 0
            first_row = first_query + (group - 1) * 64
            row = first_row + thread // 32 % 4 * 16 + lane // 4
            steps = scale * LOG2_E
            q = descriptor(memory + uint32((group - 1) * 64 * 128), q_tile)
            unmasked = keys_seen(first_row, N, M)
            mine = uint32(group)
            other = uint32(group % groups + 1)
            if turns and group == groups:
                pass_on(other, 128 * 2)
            if tiles > 0:
                wait(Q_full, 0)
                wait(K_full, 0)
                if turns:
                    meet(mine, 128 * 2)
                start_scores(tally, Q_USE, K_USE, s, q, descriptor(K_tiles, k_tile))
                if turns:
                    pass_on(other, 128 * 2)
                settle_first(s, 0)
                if signals:
                    arrive(K_empty)
                if unmasked < block_k:
                    hide(s, 0, row, 0, N, M)
                softmax(s, 0, m, l, alpha, 0, steps)
                for n in range(halves):
                    p[n] = pack(s[2 * n], s[2 * n + 1])
                before = 0
                before_parity = 0
                stage = 1 % stages
                parity = 1 // stages
                if tiles > 1:
                    wait(K_full + uint32(8 * stage), parity)
                for first_key in range(block_k, tiles * block_k, block_k):
                    if turns:
                        meet(mine, 128 * 2)
                    start_scores(tally, Q_USE, K_USE, s, q, descriptor(K_tiles + uint32(stage * key_bytes), k_tile))
                    wait(V_full + uint32(8 * before), before_parity)
                    start_output(tally, V_USE, o, p, descriptor(V_tiles + uint32(before * key_bytes), k_tile))
                    if turns:
                        pass_on(other, 128 * 2)
                    settle_scores(s, 0)
                    if signals:
                        arrive(K_empty + uint32(8 * stage))
                    if unmasked < first_key + block_k:
                        hide(s, 0, row, first_key, N, M)
                    softmax(s, 0, m, l, alpha, 0, steps)
                    multiplied = before
                    before = stage
                    before_parity = parity
                    stage += 1
                    if stage == stages:
                        stage = 0
                        parity = 1 - parity
                    if first_key + block_k < tiles * block_k:
                        wait(K_full + uint32(8 * stage), parity)
                    settle_output(o, 0)
                    if signals:
                        arrive(V_empty + uint32(8 * multiplied))
                    rescale(o, 0, alpha, 0)
                    for n in range(halves):
                        p[n] = pack(s[2 * n], s[2 * n + 1])
                wait(V_full + uint32(8 * before), before_parity)
                start_output(tally, V_USE, o, p, descriptor(V_tiles + uint32(before * key_bytes), k_tile))
                settle_output(o, 0)
            if turns and group == 1:
                meet(mine, 128 * 2)
            for r in range(2):
                normalise = normaliser(l, r)
                if row + 8 * r < N:
                    place = global_address(O) + uint64(2 * ((head * N + row + 8 * r) * d + lane % 4 * 2))
                    for n in range(0, columns, 4):
                        write_pair(tally, O_WRITE, place + uint64(n * 4), o[n + 2 * r] * normalise, o[n + 2 * r + 1] * normalise)
            flush(tally, counts)

    return fused_tensor_core
