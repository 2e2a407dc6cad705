"""Instructions of compute capability 8.0 and up: mma.sync, ldmatrix, cp.async.

A fragment is a small matrix spread over the lanes of a warp; lane 4·g + t keeps, two elements to a register:

    left, 16 × 16:    of rows g and g + 8 the columns 2·t, 2·t + 1: registers 0 and 1; and 8 columns further: registers 2 and 3
    right, 16 × 8:    of column g the rows 2·t, 2·t + 1: register 0; and 8 rows further: register 1
    sum, 16 × 8:      of rows g and g + 8 the columns 2·t, 2·t + 1: elements 0, 1 and 2, 3, in fp32

So s, two elements to a register, is the left fragment of the next product: p needs no exchange of lanes.
"""
from numba import uint32, uint64

from numba_kernels.ptx.assembly import instruction, on_array
from numba_kernels.ptx.common import PTX_TYPES

CHUNK_BYTES = 16


def multiply(dtype: str):
    """(sum, at, a0, a1, a2, a3, b0, b1): adds a 16 × 16 times 16 × 8 product to the four elements of the sum from `at` on."""
    kind = PTX_TYPES[dtype]
    return on_array(f"mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 "
                    "{{{registers}}}, {{{0}, {1}, {2}, {3}}}, {{{4}, {5}}}, {{{registers}}};", 4, (uint32,) * 6)


# (fragments, at, address): four 8 × 8 matrices, a register of each lane for each; lane i names row i mod 8 of matrix i // 8.
load_matrices = on_array("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{registers}}}, [{0}];", 4, (uint32,), uint32, updates=False)
# The same, each matrix transposed.
load_transposed = on_array("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{{registers}}}, [{0}];", 4, (uint32,), uint32, updates=False)
# (target, source, bytes): starts a copy of 16 bytes from HBM to shared memory; zeros behind the first `bytes` of them.
copy_chunk = instruction("cp.async.cg.shared.global [$0], [$1], 16, $2;", None, (uint32, uint64, uint32))
# The copies that this thread has started form a group.
close_group = instruction("cp.async.commit_group;")


def settle_copies(groups_left: int):
    """Waits until at most so many groups of this thread's copies are unfinished."""
    return instruction(f"cp.async.wait_group {groups_left};")
