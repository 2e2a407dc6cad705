"""Warp log: what is done with the log of a warp's accesses. The functions are copied into the generated source.

The log is an int64 array with 33 columns: for each lane the index that it accesses, -1 if it does not take part, and last the number of
the access in the table of sites. Each interval has ROWS rows of its own.
"""
import numpy as np

LANES = 32
ROWS = 1 << 17


def workspace(logs: int, loops: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(log, follow, used) for this many logs of this many loops. Memory that is not used is not touched."""
    return np.empty((logs * ROWS, LANES + 1), np.int64), np.empty((logs * ROWS, max(loops, 1)), np.int64), np.zeros(logs, np.int64)


def begun(log, follow, used, loops):
    """Opens the step outside all loops in every log, unless an earlier call has. loops: the table of loops (numba_kernels/cpu/steps.py)."""
    for row in range(len(loops)):
        if loops[row, 1] < 0 and used[loops[row, 0]] == 0:
            opened(log, follow, used, 0, loops[row])


def opened(log, follow, used, step, loop):
    """Opens the next step of a loop after `step`, with a row for each access directly in it. loop: its row in the table.

    Raises MemoryError when the rows of this log are used up.
    """
    number, place, site, sites = loop[0], loop[1], loop[2], loop[3]
    first = number * 131072 + used[number]
    used[number] += max(sites, 1)
    if used[number] > 131072:
        raise MemoryError
    for row in range(first, number * 131072 + used[number]):
        for lane in range(32):
            log[row, lane] = -1
        log[row, 32] = site + row - first
        for other in range(follow.shape[1]):
            follow[row, other] = 0
    if place >= 0:
        follow[step, place] = first


def tallied(log, used, number, sites, counts):
    """Adds the bytes requested, distinct, in sectors and in wavefronts of every warp access in a log to its cell, and empties the log.

    sites: (cell, bytes of an element, 1 in shared memory and 0 in HBM) of each access; counts: [cells, 4].
    """
    named = np.empty(32, np.int64)  # the lanes' indices in order
    banks = np.empty(32, np.int64)  # different words in each
    for row in range(number * 131072, number * 131072 + used[number]):
        lanes = 0
        for lane in range(32):
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
            cell, size, shared = sites[log[row, 32]]
            distinct, sectors, wavefronts = 0, 0, 0
            banks[:] = 0
            for lane in range(lanes):
                index, before = named[lane], named[lane - 1] if lane > 0 else -1
                if index != before:
                    distinct += 1
                    sectors += index * size >> 5 != before * size >> 5
                    banks[index & 31] += 1
                    wavefronts = max(wavefronts, banks[index & 31])
            counts[cell, 0] += lanes * size
            counts[cell, 1] += distinct * size
            if shared:
                counts[cell, 3] += wavefronts * 128
            else:
                counts[cell, 2] += sectors * 32


def begins(view, array):
    """Elements of the array before the view's first one."""
    return (view.ctypes.data - array.ctypes.data) // array.itemsize
