"""Ports of the tensor-core kernels: each performs one instruction, or a few that belong together, and books the bytes that they name.

An async copy is an HBM read and a write to shared memory: of 16 bytes a lane on Ampere; on Hopper of a box by one thread, which books the
rows that lie inside the array as read and the whole box as written. ldmatrix reads 16 bytes a lane. An operand that wgmma reads from shared
memory by descriptor is booked once per product, by one thread of the warpgroup.
"""
from collections.abc import Callable
from typing import NamedTuple

from numba import uint32

from numba_kernels.device import cuda
from numba_kernels.ports import OFF, gpu_counters
from numba_kernels.ptx import ampere, common, hopper
from numba_kernels.spec import KernelSpec

ELEMENT_BYTES = 2
PAIR_BYTES = 2 * ELEMENT_BYTES
WARPGROUP = 128
BOTH_SIGNS = uint32(0x80008000)  # of the two elements of a register


class HopperPorts(NamedTuple):
    """What the Hopper kernel needs.

    copy(tally, hbm_cell, shared_cell, target, map, first_row, head, length, rows, barrier): one thread starts copies of a tile of `rows`
    rows, of which those below `length` exist, and has the barrier expect them.
    start_scores(tally, q_cell, k_cell, s, q, k), start_output(tally, v_cell, o, p, v): a warpgroup starts a product.
    write_pair(tally, cell, address, low, high): two neighbouring elements of a row to HBM. pack(low, high): as one register.
    """

    tallies: int
    start: Callable
    flush: Callable
    copy: Callable
    start_scores: Callable
    start_output: Callable
    write_pair: Callable
    pack: Callable


class AmperePorts(NamedTuple):
    """What the Ampere kernel needs.

    copy_chunk(tally, hbm_cell, shared_cell, target, source, size): a lane starts a copy of 16 bytes, of which `size` exist; zeros follow.
    close_group(), settle_copies(): ends a group of copies; waits for all of them.
    load_queries, load_keys, load_values(tally, cell, fragments, at, address): four matrices by ldmatrix, those of V transposed.
    multiply(sum, at, a0 … a3, b0, b1), write_pair, pack: as above and as in numba_kernels/ptx/ampere.py.
    """

    tallies: int
    start: Callable
    flush: Callable
    copy_chunk: Callable
    close_group: Callable
    settle_copies: Callable
    load_queries: Callable
    load_keys: Callable
    load_values: Callable
    multiply: Callable
    write_pair: Callable
    pack: Callable


def hopper_ports(spec: KernelSpec, counting: str) -> HopperPorts:
    """Device functions for the layout, dtype and sign of the spec."""
    layout, dtype, counted = spec.layout, spec.dtype, counting != OFF
    d, keys, column_tiles = layout.head_dim, layout.block_k, layout.head_dim // hopper.TILE_COLUMNS
    q_bytes, k_bytes = hopper.GROUP_ROWS * d * ELEMENT_BYTES, keys * d * ELEMENT_BYTES
    q_tile, k_tile = layout.block_q * hopper.ROW_BYTES, keys * hopper.ROW_BYTES
    multiply_keys, multiply_values = hopper.start_scores(keys, d, dtype, spec.negated, q_tile, k_tile), hopper.start_output(keys, d, dtype)
    row_bytes, tile_columns, expect, copy_box = hopper.ROW_BYTES, hopper.TILE_COLUMNS, hopper.expect, hopper.copy_box

    def copy(tally, hbm_cell, shared_cell, target, map, first_row, head, length, rows, barrier):
        expect(barrier, rows * row_bytes * column_tiles)
        for c in range(column_tiles):
            if counted:
                tally[hbm_cell] += min(length - first_row, rows) * row_bytes
                tally[shared_cell] += rows * row_bytes
            copy_box(target + uint32(c * rows * row_bytes), map, c * tile_columns, first_row, head, barrier)

    def start_scores(tally, q_cell, k_cell, s, q, k):
        if counted and cuda.threadIdx.x % WARPGROUP == 0:
            tally[q_cell] += q_bytes
            tally[k_cell] += k_bytes
        multiply_keys(s, 0, q, k)

    def start_output(tally, v_cell, o, p, v):
        if counted and cuda.threadIdx.x % WARPGROUP == 0:
            tally[v_cell] += k_bytes
        multiply_values(o, 0, p, v)

    products = map(cuda.jit(device=True, forceinline=True), (copy, start_scores, start_output))
    return HopperPorts(*gpu_counters(counting, len(spec.cells), spec.threads), *products, *_output(dtype, counted))


def ampere_ports(spec: KernelSpec, counting: str) -> AmperePorts:
    """Device functions for the dtype and sign of the spec."""
    device, counted, negated = cuda.jit(device=True, forceinline=True), counting != OFF, spec.negated
    chunk_bytes, start_copy = ampere.CHUNK_BYTES, ampere.copy_chunk

    def copy_chunk(tally, hbm_cell, shared_cell, target, source, size):
        if counted:
            tally[hbm_cell] += size
            tally[shared_cell] += chunk_bytes
        start_copy(target, source, size)

    def load(instruction):
        def load(tally, cell, fragments, at, address):
            if counted:
                tally[cell] += chunk_bytes
            instruction(fragments, at, address)

        return device(load)

    load_keys, load_values = load(ampere.load_matrices), load(ampere.load_transposed)

    def load_queries(tally, cell, fragments, at, address):
        load_keys(tally, cell, fragments, at, address)
        if negated:
            for n in range(4):
                fragments[at + n] ^= BOTH_SIGNS

    return AmperePorts(*gpu_counters(counting, len(spec.cells), spec.threads), device(copy_chunk), ampere.close_group,
                       ampere.settle_copies(0), device(load_queries), load_keys, load_values, ampere.multiply(spec.dtype),
                       *_output(spec.dtype, counted))


def _output(dtype: str, counted: bool) -> tuple[Callable, Callable]:
    pack, store_pair = common.pack(dtype), common.store_pair

    def write_pair(tally, cell, address, low, high):
        if counted:
            tally[cell] += PAIR_BYTES
        store_pair(address, pack(low, high))

    return cuda.jit(device=True, forceinline=True)(write_pair), pack
