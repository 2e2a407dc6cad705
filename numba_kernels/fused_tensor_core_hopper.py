"""Fused attention on Hopper: wgmma, bulk tensor copies, and warpgroups that take turns.

A block takes query tiles of `block_q` rows, one after the other, and walks the key/value tiles that a tile's last row sees. Its first
warpgroup only starts copies: Q once, then K and V tiles into a ring of `stages`, waiting on a barrier until everyone has read a tile before
it is overwritten; so the next tile's Q and K come while the output of this one is still written. Each other warpgroup owns 64 query rows.
For each key tile j:

    s  = q Kⱼᵀ                         starts; q and K come from shared memory
    o += p Vⱼ₋₁                        starts behind it: p of the tile before, in registers, V from shared memory
    m' = max(m, s)                     while that product goes on (numba_kernels/tensor_rows.py)
    o  = α o                           once it is done
    p  = 2^(s − m')                    rounded to the storage type

and at the end o += p V of the last tile, O = o / ℓ. Products are started in turns: while one warpgroup has the tensor cores the others
have the special function units. Tiles are described in numba_kernels/ptx/hopper.py, each has a barrier for its arrival and one for when it
has been read. Partly masked tiles are processed whole; what lies outside the arrays arrives as zeros.

At d = 128 that product takes so long that the exponentials, too, are made before it is waited for. At d = 64 they come after it, where
the rounding fills the gaps between them. The next K tile is waited for in between: the assembler moves a wait for a product forward over
arithmetic, but not over a branch.

Measured on an H200, 16 heads, bf16, full, N = 16,384: 513 TFLOP/s at d = 64 and 658 at d = 128, where a large matrix product reaches 793
(app/results/compared.py has the table). What bounds it, by Nsight Compute: at d = 128 the tensor cores are busy 83 % of the time; at d = 64
nothing is, the tensor cores 57 %, the special function units 59 %, the issue slots 45 %: warps wait out the latencies of their own chains
("wait" is 2.2 of the 6.8 cycles that a warp spends per instruction), and registers hold no more than three of them per scheduler. Tried
without gain: three stages, key tiles of 64, some of the exponentials by a polynomial on the other units. A block per query tile was 2 to
8 % slower at N = 2,048 and 4,096, since each block's first copies were waited for.
"""
import math

from numba import float32, int32, int64, uint32, uint64

from numba_kernels.device import cuda
from numba_kernels.ptx import hopper
from numba_kernels.ptx.common import global_address, shared_address
from numba_kernels.tensor_rows import EVERYONE, MINUS_INFINITY, rows

LOG2_E = float32(math.log2(math.e))
make_barrier, show_barriers, arrive, expect, wait = (hopper.make_barrier, hopper.show_barriers, hopper.arrive, hopper.expect, hopper.wait)
trust_map, meet, pass_on = hopper.trust_map, hopper.meet, hopper.pass_on
ROW_BYTES, TILE_COLUMNS, GROUP_ROWS = hopper.ROW_BYTES, hopper.TILE_COLUMNS, hopper.GROUP_ROWS
WARPGROUP = 128  # threads
BARRIER = 8  # bytes


def fused_tensor_core_hopper(layout, keys_seen, ports):
    tallies, start, flush, copy, start_scores, start_output, write_pair, pack = ports
    Q_READ, K_READ, V_READ, O_WRITE, Q_FILL, K_FILL, V_FILL, Q_USE, K_USE, V_USE = range(10)
    d, block_q, block_k, stages, groups = layout.head_dim, layout.block_q, layout.block_k, layout.stages, layout.groups
    q_bytes, k_bytes, barriers, heads_fastest = layout.query_tile_bytes, layout.key_tile_bytes, layout.barriers, layout.heads_fastest
    q_tile, k_tile = block_q * ROW_BYTES, block_k * ROW_BYTES  # from 64 columns to the next 64
    scores, columns, halves = block_k // 2, d // 2, block_k // 4  # registers of a lane: s, o, p
    turns, two_groups, all_stages = groups > 1, 2 * WARPGROUP, BARRIER * stages
    give_registers, take_registers = hopper.fewer_registers(layout.copy_registers), hopper.more_registers(layout.multiply_registers)
    settle_first, settle_scores, settle_output = hopper.settle(scores, 0), hopper.settle(scores, 1), hopper.settle(columns, 0)
    descriptor = cuda.jit(device=True, forceinline=True)(hopper.descriptor)
    hide, maximum, exponentials, rescale, normaliser = rows(block_k, d, keys_seen)
    long_head = d > TILE_COLUMNS

    def place(work, query_tiles, heads):
        """(head, first query row) of a query tile; the longest come first where they differ."""
        if heads_fastest:
            return int32(work % heads), int32((query_tiles - 1 - work // heads) * block_q)
        return int32(work // query_tiles), int32(work % query_tiles * block_q)

    def last_key(first_query, N, M):
        """The end of the last key tile that a query tile walks."""
        return (keys_seen(min(N, first_query + block_q) - 1, N, M) + block_k - 1) // block_k * block_k

    def barrier_of(tile):
        """Where the barrier of a tile's stage lies behind the first stage's."""
        return uint32(tile % stages * BARRIER)

    def parity_of(tile):
        """Of the phase in which a tile is in its stage."""
        return uint32(tile // stages % 2)

    place, last_key, barrier_of, parity_of = map(cuda.jit(device=True, forceinline=True), (place, last_key, barrier_of, parity_of))

    def fused_tensor_core(Q, K, V, O, counts, N, M, heads, queries_per_kv, scale):
        """O[i] = softmax(scale · Q[i] Kᵀ) V for query tiles blockIdx.x, blockIdx.x + gridDim.x, … Q, K and V are tensor maps."""
        tally = cuda.local.array(tallies, int64)
        start(tally)
        Q_tile = shared_address(cuda.shared.array(0, uint32)) + uint32(1023) & uint32(0xFFFFFC00)
        K_tiles = Q_tile + uint32(q_bytes)
        V_tiles = K_tiles + uint32(stages * k_bytes)
        Q_full = Q_tile + uint32(barriers)
        Q_empty = Q_full + uint32(BARRIER)
        K_full = Q_empty + uint32(BARRIER)
        V_full = K_full + uint32(all_stages)
        K_empty = V_full + uint32(all_stages)
        V_empty = K_empty + uint32(all_stages)

        thread = cuda.threadIdx.x
        group = thread // WARPGROUP
        query_tiles = uint32((N + block_q - 1) // block_q)
        heads = uint32(heads)
        if thread == 0:
            make_barrier(Q_full, 1)
            make_barrier(Q_empty, 4 * groups)  # a lane of every warp arrives
            for stage in range(stages):
                make_barrier(K_full + uint32(BARRIER * stage), 1)
                make_barrier(V_full + uint32(BARRIER * stage), 1)
                make_barrier(K_empty + uint32(BARRIER * stage), 4 * groups)
                make_barrier(V_empty + uint32(BARRIER * stage), 4 * groups)
            show_barriers()
        cuda.syncthreads()

        if group == 0:
            give_registers()
            if thread == 0:
                Q_map, K_map, V_map = global_address(Q), global_address(K), global_address(V)
                trust_map(Q_map)
                trust_map(K_map)
                trust_map(V_map)
                tile = uint32(0)  # of all that this block walks
                turn = uint32(0)
                for work in range(int32(cuda.blockIdx.x), int32(query_tiles * heads), int32(cuda.gridDim.x)):
                    head, first_query = place(uint32(work), query_tiles, heads)
                    kv_head = head // queries_per_kv
                    wait(Q_empty, 1 - turn)
                    turn = uint32(1 - turn)
                    copy(tally, Q_READ, Q_FILL, Q_tile, Q_map, first_query, head, N, block_q, Q_full)
                    for first_key in range(0, last_key(first_query, N, M), block_k):
                        at, on, free = barrier_of(tile), uint32(tile % stages * k_bytes), 1 - parity_of(tile)
                        wait(K_empty + at, free)
                        copy(tally, K_READ, K_FILL, K_tiles + on, K_map, first_key, kv_head, M, block_k, K_full + at)
                        wait(V_empty + at, free)
                        copy(tally, V_READ, V_FILL, V_tiles + on, V_map, first_key, kv_head, M, block_k, V_full + at)
                        tile = uint32(tile + 1)
            flush(tally, counts)
        else:
            take_registers()
            s = cuda.local.array(scores, float32)
            o = cuda.local.array(columns, float32)
            p = cuda.local.array(halves, uint32)
            m = cuda.local.array(2, float32)
            l = cuda.local.array(2, float32)
            alpha = cuda.local.array(2, float32)
            signals = cuda.laneid == 0
            steps = scale * LOG2_E
            q = descriptor(Q_tile + uint32((group - 1) * GROUP_ROWS * ROW_BYTES), q_tile)
            mine, next_one = uint32(group), uint32(group % groups + 1)
            if turns and group == groups:
                pass_on(next_one, two_groups)
            tile = uint32(0)
            turn = uint32(0)

            for work in range(int32(cuda.blockIdx.x), int32(query_tiles * heads), int32(cuda.gridDim.x)):
                head, first_query = place(uint32(work), query_tiles, heads)
                first_query = cuda.shfl_sync(EVERYONE, first_query, 0)  # the same in all lanes, which a division hides from the compiler
                keys = int32(last_key(first_query, N, M))
                row = int32(first_query + (thread - WARPGROUP) // 32 * 16 + cuda.laneid // 4)
                unmasked = int32(keys_seen(first_query + (group - 1) * GROUP_ROWS, N, M))
                for r in range(2):
                    m[r] = MINUS_INFINITY
                    l[r] = float32(0)
                for n in range(columns):
                    o[n] = float32(0)
                wait(Q_full, turn)
                turn = uint32(1 - turn)
                if keys > 0:
                    wait(K_full + barrier_of(tile), parity_of(tile))
                    if turns:
                        meet(mine, two_groups)
                    start_scores(tally, Q_USE, K_USE, s, q, descriptor(K_tiles + uint32(tile % stages * k_bytes), k_tile))
                    if turns:
                        pass_on(next_one, two_groups)
                    settle_first(s, 0)
                    if signals:
                        arrive(K_empty + barrier_of(tile))
                    if unmasked < block_k:
                        hide(s, 0, row, 0, N, M)
                    maximum(s, 0, m, l, alpha, 0, steps)
                    exponentials(s, 0, m, l, 0, steps)
                    for n in range(halves):
                        p[n] = pack(s[2 * n], s[2 * n + 1])
                    if block_k < keys:
                        wait(K_full + barrier_of(tile + 1), parity_of(tile + 1))
                    for first_key in range(int32(block_k), keys, int32(block_k)):
                        if turns:
                            meet(mine, two_groups)
                        start_scores(tally, Q_USE, K_USE, s, q, descriptor(K_tiles + uint32((tile + 1) % stages * k_bytes), k_tile))
                        wait(V_full + barrier_of(tile), parity_of(tile))
                        start_output(tally, V_USE, o, p, descriptor(V_tiles + uint32(tile % stages * k_bytes), k_tile))
                        if turns:
                            pass_on(next_one, two_groups)
                        settle_scores(s, 0)
                        if signals:
                            arrive(K_empty + barrier_of(tile + 1))
                        if unmasked < first_key + block_k:
                            hide(s, 0, row, first_key, N, M)
                        grown = maximum(s, 0, m, l, alpha, 0, steps)
                        if long_head:
                            exponentials(s, 0, m, l, 0, steps)
                        if first_key + block_k < keys:
                            wait(K_full + barrier_of(tile + 2), parity_of(tile + 2))
                        settle_output(o, 0)
                        if signals:
                            arrive(V_empty + barrier_of(tile))
                        if grown:
                            rescale(o, 0, alpha, 0)
                        if not long_head:
                            exponentials(s, 0, m, l, 0, steps)
                        for n in range(halves):
                            p[n] = pack(s[2 * n], s[2 * n + 1])
                        tile = uint32(tile + 1)
                    if signals:
                        arrive(Q_empty)
                    wait(V_full + barrier_of(tile), parity_of(tile))
                    start_output(tally, V_USE, o, p, descriptor(V_tiles + uint32(tile % stages * k_bytes), k_tile))
                    settle_output(o, 0)
                    if signals:
                        arrive(V_empty + barrier_of(tile))
                    tile = uint32(tile + 1)
                elif signals:
                    arrive(Q_empty)

                for r in range(2):
                    normalise = normaliser(l, r)
                    if row + 8 * r < N:
                        at_row = global_address(O) + uint64(((head * N + row + 8 * r) * d + cuda.laneid % 4 * 2) * 2)
                        for n in range(0, columns, 4):
                            write_pair(tally, O_WRITE, at_row + uint64(4 * n), o[n + 2 * r] * normalise, o[n + 2 * r + 1] * normalise)
            if turns and group == 1:
                meet(mine, two_groups)  # with the last one's last turn: no barrier is left half full
            flush(tally, counts)

    return fused_tensor_core
