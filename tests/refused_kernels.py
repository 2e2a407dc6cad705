"""Kernels that the cpu backend must refuse, each at the line that says `refused` and with the reason beside it."""
import math

import numpy as np
from numba import float32, int64

from numba_kernels.device import cuda

SCRATCH = np.zeros(3)
X_READ, Y_WRITE, PUT, GET = range(4)


def barrier_in_thread_branch(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        i = cuda.threadIdx.x
        first = i < 8
        if first:  # refused: a barrier inside `if first`, which depends on the thread (first does since line
            cuda.syncthreads()

    return kernel


def barrier_in_data_loop(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        rounds = hbm.read(tally, X_READ, X, 0)
        for _ in range(n, int64(rounds)):  # refused: which depends on the thread
            cuda.syncthreads()
        flush(tally, counts)

    return kernel


def barrier_in_loop_of_varying_length(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        k = 0
        for step in range(n):
            if step > cuda.threadIdx.x:
                break
            k += 1
        while k > 0:  # refused: a barrier inside `while k > 0`, which depends on the thread
            cuda.syncthreads()
            k -= 1

    return kernel


def break_across_barrier(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        for k in range(n):
            cuda.syncthreads()
            if k == 3:
                break  # refused: `break` would cross a barrier

    return kernel


def continue_across_barrier(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        for _ in range(n):
            if cuda.threadIdx.x > 3:
                continue  # refused: `continue` would cross a barrier
            cuda.syncthreads()

    return kernel


def early_return(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        if cuda.threadIdx.x > 3:
            return  # refused: a thread that returns misses the barriers
        cuda.syncthreads()

    return kernel


def atomic(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        cuda.atomic.add(Y, 0, float32(1))  # refused: cuda.atomic.add is an atomic outside a port

    return kernel


def warp_operation(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        y = cuda.shfl_down_sync(0xFFFFFFFF, n, 1)  # refused: cuda.shfl_down_sync is an intrinsic
        Y[0] = y

    return kernel


def shared_array_in_loop(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        for k in range(n):
            tile = cuda.shared.array(8, float32)  # refused: declares an array in a branch, a loop
            tile[k] = float32(k)

    return kernel


def read_in_while_condition(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        k = 0
        while hbm.read(tally, X_READ, X, k) > 0:  # refused: a port is read in the condition of a while loop
            k += 1
        flush(tally, counts)

    return kernel


def read_late_in_comparison(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        inside = 0 < n < hbm.read(tally, X_READ, X, 0)  # refused: read late in a chained comparison
        Y[0] = float32(inside)
        flush(tally, counts)

    return kernel


def wrong_space(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tile = cuda.shared.array(8, float32)
        hbm.write(tally, Y_WRITE, tile, 0, float32(1))  # refused: tile is no array of the hbm space
        flush(tally, counts)

    return kernel


def port_on_whole_numbers(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tile = cuda.shared.array(8, int64)
        shared.write(tally, PUT, tile, 0, n)  # refused: takes a flat array of float32; tile is int64 of shape (8,)
        flush(tally, counts)

    return kernel


def port_on_a_table(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tile = cuda.shared.array((8, 8), float32)
        Y[0] = shared.read(tally, GET, tile, 0)  # refused: takes a flat array of float32; tile is float32 of shape (8, 8)
        flush(tally, counts)

    return kernel


def own_bump(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        if n > 3:
            tally[X_READ] += 4  # refused: uses tally outside a port
        flush(tally, counts)

    return kernel


def access_after_flush(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        flush(tally, counts)  # refused: between one start(tally) and one flush(tally, counts)
        hbm.write(tally, Y_WRITE, Y, 0, float32(1))

    return kernel


def flush_in_branch(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        if n > 3:
            flush(tally, counts)  # refused: both outside any branch or loop

    return kernel


def cell_from_the_thread(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports

    def kernel(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        hbm.write(tally, cuda.threadIdx.x, Y, 0, float32(1))  # refused: is not a constant from 0 to 3
        flush(tally, counts)

    return kernel


def view_of_the_thread(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        tile = cuda.shared.array(8, float32)
        own = tile[cuda.threadIdx.x:]  # refused: differs from thread to thread
        own[0] = float32(1)

    return kernel


def parameter_changed(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        n += 1  # refused: changes its parameter n
        Y[0] = float32(n)

    return kernel


def foreign_object(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        Y[0] = SCRATCH[0]  # refused: is not among the expressions

    return kernel


def unknown_call(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        Y[0] = sorted(n)  # refused: `sorted` is a builtin_function_or_method

    return kernel


def loop_over_values(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        for k in (1, 2, 3):  # refused: is not among the statements
            Y[k] = math.exp(k)

    return kernel


def coordinate_in_device_function(layout, keys_seen, ports):
    def lane(n):
        return cuda.threadIdx.x + n  # refused: cuda.threadIdx.x is an intrinsic

    def kernel(X, Y, counts, n):
        Y[0] = float32(lane(n))

    return kernel


def lambda_as_device_function(layout, keys_seen, ports):
    double = lambda n: 2 * n  # refused: a lambda cannot be taken over

    def kernel(X, Y, counts, n):
        Y[0] = float32(double(n))

    return kernel


def view_with_gaps(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        even = X[::2]  # refused: a view is a name for a piece
        Y[0] = even[0]

    return kernel


def counts_used(layout, keys_seen, ports):
    def kernel(X, Y, counts, n):
        if n > 3:
            counts[X_READ] = n  # refused: uses counts, which only flush may touch

    return kernel


REFUSED = [barrier_in_thread_branch, barrier_in_data_loop, barrier_in_loop_of_varying_length, break_across_barrier, continue_across_barrier,
           early_return, atomic, warp_operation, shared_array_in_loop, read_in_while_condition, read_late_in_comparison, wrong_space,
           port_on_whole_numbers, port_on_a_table,
           own_bump, access_after_flush, flush_in_branch, cell_from_the_thread, view_of_the_thread, parameter_changed, foreign_object,
           unknown_call, loop_over_values, coordinate_in_device_function,
           lambda_as_device_function, view_with_gaps, counts_used]
