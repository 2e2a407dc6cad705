"""Instructions of compute capability 9.0 alone: wgmma, bulk tensor copies, mbarriers.

A warpgroup is four warps. Its accumulator is a matrix of 64 rows: warp w keeps rows 16·w … 16·w + 15; the lane 4·g + t of a warp keeps
of rows g and g + 8 the columns 8·n + 2·t and 8·n + 2·t + 1, as elements 4·n, 4·n + 1 (row g) and 4·n + 2, 4·n + 3 (row g + 8).
As the left operand of the next product the same lane gives the same elements, two to a register: so p needs no exchange of lanes.

Operands in shared memory are tiles of 64 columns, 128 bytes a row, whose 16-byte chunks are exchanged: chunk c of row r lies where chunk
c XOR (r mod 8) would. A wider matrix is several such tiles one behind the other. Tiles start at multiples of 1,024 bytes.
"""
from numba import uint32, uint64

from numba_kernels.ptx.assembly import instruction, on_array
from numba_kernels.ptx.common import PTX_TYPES

ROW_BYTES = 128  # of a tile
TILE_COLUMNS = 64
GROUP_ROWS = 64  # of the accumulator of a warpgroup
DEPTH = 16  # elements along the inner dimension that one wgmma multiplies
SWIZZLE_128 = 1 << 62
EIGHT_ROWS = (8 * ROW_BYTES >> 4) << 32  # from one group of 8 rows to the next, in units of 16 bytes
ADDRESS_MASK = 0x3FFFF


def start_scores(keys: int, head_dim: int, dtype: str, negated: bool, q_tile_bytes: int, k_tile_bytes: int):
    """(s, 0, q, k): starts s = q kᵀ, or −q kᵀ, and returns at once. q [64, d] and k [keys, d] are descriptors, s is an accumulator.

    d / 16 times wgmma.mma_async.m64n(keys)k16; both operands come from shared memory, the first one overwrites s. *_tile_bytes: from one
    tile of 64 columns to the next.
    """
    kind = PTX_TYPES[dtype]
    lines = []
    for step in range(head_dim // DEPTH):
        tile, inside = divmod(step * DEPTH, TILE_COLUMNS)
        q_on, k_on = ((tile * tile_bytes + inside * 2) >> 4 for tile_bytes in (q_tile_bytes, k_tile_bytes))
        lines.append(f"add.s64 q, {{0}}, {q_on}; add.s64 k, {{1}}, {k_on}; "
                     f"wgmma.mma_async.sync.aligned.m64n{keys}k16.f32.{kind}.{kind} {{{{{{registers}}}}}}, q, k, "
                     f"{int(step > 0)}, {-1 if negated else 1}, 1, 0, 0;")
    return on_array(_group(lines), keys // 2, (uint64, uint64))


def start_output(keys: int, head_dim: int, dtype: str):
    """(o, 0, p, v): starts o += p v and returns at once. p [64, keys] in registers, two elements each, v [keys, d] a descriptor.

    keys / 16 times wgmma.mma_async.m64n(d)k16; v is read across its rows.
    """
    kind = PTX_TYPES[dtype]
    lines = [f"add.s64 v, {{0}}, {step * DEPTH * ROW_BYTES >> 4}; "
             f"wgmma.mma_async.sync.aligned.m64n{head_dim}k16.f32.{kind}.{kind} {{{{{{registers}}}}}}, "
             f"{{{{{', '.join(f'{{operands[{4 * step + n}]}}' for n in range(4))}}}}}, v, 1, 1, 1, 1;" for step in range(keys // DEPTH)]
    return on_array(_group(lines), head_dim // 2, (uint64,), reads=keys // 4)


def _group(lines: list[str]) -> str:
    """Products that are waited for together."""
    return "{{ .reg .b64 q, k, v; wgmma.fence.sync.aligned; " + " ".join(lines) + " wgmma.commit_group.sync.aligned; }}"


def settle(length: int, groups_left: int):
    """(accumulator, 0): waits until at most this many started groups are unfinished; the accumulator may be read from here on."""
    return on_array(f"wgmma.wait_group.sync.aligned {groups_left};", length)


def descriptor(address, tile_bytes):
    """What wgmma wants to know of an operand in shared memory. tile_bytes: from 64 columns to the next 64, where it is read across rows."""
    return uint64(SWIZZLE_128 | EIGHT_ROWS | tile_bytes >> 4 << 16) | uint64((address & ADDRESS_MASK) >> 4)


# (barrier, arrivals): prepares a barrier of 8 bytes in shared memory.
make_barrier = instruction("mbarrier.init.shared::cta.b64 [$0], $1;", None, (uint32, uint32))
# Barriers just made can be seen by the copy engine.
show_barriers = instruction("fence.mbarrier_init.release.cluster; fence.proxy.async;")
# (barrier): one arrival.
arrive = instruction("mbarrier.arrive.shared::cta.b64 _, [$0];", None, (uint32,))
# (barrier, bytes): one arrival, and so many bytes to wait for.
expect = instruction("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", None, (uint32, uint32))
# (barrier, parity): waits until the phase of this parity, 0 for the first, is complete.
wait = instruction("{ .reg .pred done; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra AGAIN; }",
                   None, (uint32, uint32))
# (target, map, column, row, head, barrier): starts a copy of a box of [heads, rows, columns] into shared memory, zeros outside the array.
copy_box = instruction("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4}], [$5];",
                       None, (uint32, uint64, uint32, uint32, uint32, uint32))
# (map): a tensor map that the host wrote into HBM can be read by the copy engine.
trust_map = instruction("fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", None, (uint64,))


def more_registers(count: int):
    """From here on every thread of the warpgroup has so many."""
    return instruction(f"setmaxnreg.inc.sync.aligned.u32 {count};")


def fewer_registers(count: int):
    """From here on every thread of the warpgroup has only so many; the others are free for another warpgroup."""
    return instruction(f"setmaxnreg.dec.sync.aligned.u32 {count};")


# (number, threads): the named barrier, waited at and only arrived at.
meet = instruction("bar.sync $0, $1;", None, (uint32, uint32))
pass_on = instruction("bar.arrive $0, $1;", None, (uint32, uint32))
