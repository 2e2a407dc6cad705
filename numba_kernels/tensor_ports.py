"""Ports of the tensor-core kernels: each performs one instruction, or a few that belong together, and books the bytes that it moves."""
from typing import NamedTuple
from collections.abc import Callable

from numba_kernels.device import cuda
from numba_kernels.ports import OFF, gpu_counters
from numba_kernels.ptx import ampere, common, hopper


class HopperPorts(NamedTuple):
    """What a Hopper kernel needs.

    copy(tally, hbm_cell, shared_cell, target, map, column, row, head, barrier, rows_there): one thread starts a bulk copy.
    start_scores(tally, q_cell, k_cell, s, q, k), start_output(tally, v_cell, o, p, v): a warpgroup starts a product.
    write_pair(tally, cell, address, low, high): two neighbouring elements of a row to HBM.
    """

    tallies: int
    start: Callable
    flush: Callable
    copy: Callable
    start_scores: Callable
    start_output: Callable
    write_pair: Callable
    pack: Callable


def hopper_ports(spec, counting: str) -> HopperPorts:
    layout = spec.layout
    device = cuda.jit(device=True, forceinline=True)
    counters = gpu_counters(counting, len(spec.cells), spec.threads)
    keys, d = layout.block_k, layout.head_dim
    q_tile, k_tile = layout.block_q * hopper.ROW_BYTES, keys * hopper.ROW_BYTES
    multiply_keys = hopper.start_scores(keys, d, spec.dtype, spec.negated, q_tile, k_tile)
    multiply_values = hopper.start_output(keys, d, spec.dtype)
    q_bytes, k_bytes = hopper.GROUP_ROWS * d * 2, keys * d * 2
    box_columns_bytes = hopper.ROW_BYTES
    pack = common.pack(spec.dtype)
    counted = counting != OFF

    def copy(tally, hbm_cell, shared_cell, target, map, column, row, head, barrier, rows_there, rows):
        if counted:
            tally[hbm_cell] += rows_there * box_columns_bytes
            tally[shared_cell] += rows * box_columns_bytes
        hopper.copy_box(target, map, column, row, head, barrier)

    def start_scores(tally, q_cell, k_cell, s, q, k):
        if counted and cuda.threadIdx.x % 128 == 0:
            tally[q_cell] += q_bytes
            tally[k_cell] += k_bytes
        multiply_keys(s, 0, q, k)

    def start_output(tally, v_cell, o, p, v):
        if counted and cuda.threadIdx.x % 128 == 0:
            tally[v_cell] += k_bytes
        multiply_values(o, 0, p, v)

    def write_pair(tally, cell, address, low, high):
        if counted:
            tally[cell] += 4
        common.store_pair(address, pack(low, high))

    return HopperPorts(*counters, *map(device, (copy, start_scores, start_output, write_pair)), pack)


class AmperePorts(NamedTuple):
    tallies: int
    start: Callable
    flush: Callable
    copy_chunk: Callable
    close_group: Callable
    settle_copies: Callable
    load_matrices: Callable
    load_transposed: Callable
    multiply: Callable
    write_pair: Callable
    pack: Callable


def ampere_ports(spec, counting: str) -> AmperePorts:
    device = cuda.jit(device=True, forceinline=True)
    counters = gpu_counters(counting, len(spec.cells), spec.threads)
    pack = common.pack(spec.dtype)
    counted = counting != OFF

    def copy_chunk(tally, hbm_cell, shared_cell, target, source, size):
        if counted:
            tally[hbm_cell] += size
            tally[shared_cell] += 16
        ampere.copy_chunk(target, source, size)

    def load_matrices(tally, cell, fragments, at, address):
        if counted:
            tally[cell] += 16
        ampere.load_matrices(fragments, at, address)

    def load_transposed(tally, cell, fragments, at, address):
        if counted:
            tally[cell] += 16
        ampere.load_transposed(fragments, at, address)

    def write_pair(tally, cell, address, low, high):
        if counted:
            tally[cell] += 4
        common.store_pair(address, pack(low, high))

    return AmperePorts(*counters, device(copy_chunk), ampere.close_group, ampere.settle_copies(0), device(load_matrices), device(load_transposed),
                       ampere.multiply(spec.dtype), device(write_pair), pack)
