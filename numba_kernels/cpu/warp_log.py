"""Warp log: what is done with the log of a warp's accesses. Generated sources call these functions.

The log is an int64 array with 33 columns: for each lane the index that it accesses, -1 if it does not take part, and last the number of
the access in the table of sites. Each interval has ROWS rows of its own.
"""
import numba
import numpy as np

from traffic_model.layout.common import WARP as LANES
from traffic_model.vocabulary import BANKS, SECTOR, WAVEFRONT

ROWS = 1 << 17
SECTOR_BITS = SECTOR.bit_length() - 1
compiled = numba.njit(nogil=True)


def workspace(loops: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(log, follow, used) for a table of loops (numba_kernels/cpu/steps.py), every log with the step outside its loops. Memory that is
    not used is not touched."""
    outside = loops[loops[:, 1] < 0]
    rows = len(outside) * ROWS
    log, follow = np.empty((rows, LANES + 1), np.int64), np.empty((rows, loops[:, 1].max(initial=0) + 1), np.int64)
    used = np.zeros(len(outside), np.int64)
    for loop in outside:
        opened.py_func(log, follow, used, 0, loop)
    return log, follow, used


@compiled
def opened(log, follow, used, step, loop):
    """Opens the next step of a loop after `step`, with a row for each access directly in it. loop: its row in the table.

    Raises MemoryError when the rows of this log are used up.
    """
    number, place, site, sites = loop[0], loop[1], loop[2], loop[3]
    first = number * ROWS + used[number]
    used[number] += max(sites, 1)
    if used[number] > ROWS:
        raise MemoryError
    for row in range(first, number * ROWS + used[number]):
        for lane in range(LANES):
            log[row, lane] = -1
        log[row, LANES] = site + row - first
        for other in range(follow.shape[1]):
            follow[row, other] = 0
    if place >= 0:
        follow[step, place] = first


@compiled
def tallied(log, used, number, sites, counts):
    """Adds the bytes requested, distinct, in sectors and in wavefronts of every warp access in a log to its cell, and empties the log.

    sites: (cell, bytes of an element, 1 in shared memory and 0 in HBM) of each access; counts: [cells, 4]. In shared memory
    elements are fp32, so that each is one bank's word: wider ones would be served in parts (numba_kernels/votes.py).
    """
    named = np.empty(LANES, np.int64)  # the lanes' indices in order
    banks = np.empty(BANKS, np.int64)  # different words in each
    for row in range(number * ROWS, number * ROWS + used[number]):
        lanes = 0
        for lane in range(LANES):
            index = log[row, lane]
            if index >= 0:
                place = lanes
                while place > 0 and named[place - 1] > index:
                    named[place] = named[place - 1]
                    place -= 1
                named[place] = index
                lanes += 1
                log[row, lane] = -1
        if lanes > 0:
            cell, size, shared = sites[log[row, LANES]]
            distinct, sectors, wavefronts = 0, 0, 0
            banks[:] = 0
            for lane in range(lanes):
                index, before = named[lane], named[lane - 1] if lane > 0 else -1
                if index != before:
                    distinct += 1
                    sectors += index * size >> SECTOR_BITS != before * size >> SECTOR_BITS
                    banks[index & BANKS - 1] += 1
                    wavefronts = max(wavefronts, banks[index & BANKS - 1])
            counts[cell, 0] += lanes * size
            counts[cell, 1] += distinct * size
            if shared:
                counts[cell, 3] += wavefronts * WAVEFRONT
            else:
                counts[cell, 2] += sectors * SECTOR


@compiled
def kept(log, used, number, first_thread, trace):
    """Appends every warp access in a log to the trace, and empties the log.

    trace[0] holds the rows in use, the warp that is wanted (−1 for all) and how often a block has run an interval; every other row the
    last of these, the warp, a row of the log and the indices of its 32 lanes. Raises MemoryError when the trace is full.
    """
    if first_thread == 0:
        trace[0, 2] += 1
    for row in range(number * ROWS, number * ROWS + used[number]):
        lanes = 0
        for lane in range(LANES):
            lanes += log[row, lane] >= 0
        if lanes > 0 and (trace[0, 1] < 0 or trace[0, 1] == first_thread // LANES):
            trace[0, 0] += 1
            if trace[0, 0] == len(trace):
                raise MemoryError
            at = trace[0, 0]
            trace[at, 0], trace[at, 1], trace[at, 2] = trace[0, 2], first_thread // LANES, row
            for lane in range(LANES):
                trace[at, 3 + lane] = log[row, lane]
        for lane in range(LANES):
            log[row, lane] = -1
