"""Shadow: what is remembered of every element of an array while a kernel is checked. Generated sources call these functions.

An element's shadow holds its last write (epoch, thread, access), the first two threads that read it in the latest epoch that read it
(epoch, thread, access, thread, access) and one that read it in an earlier block (thread, access). Epochs count barriers over all blocks,
threads are numbered over all blocks; the number of an access is that of a row in the table of accesses.
"""
import numba
import numpy as np

COLUMNS = 10
KINDS = OUTSIDE, UNWRITTEN, READ_WRITTEN, WRITE_WRITTEN, WRITE_READ = range(5)
FAULTS = 64  # rows for them; each combination of kind and accesses is kept once
compiled = numba.njit(nogil=True)


@compiled
def fault(faults, kind, access, thread, index, other, other_thread):
    """Writes a fault down unless one of that kind between these accesses is known or no room is left. faults[0, 0]: how many there are."""
    for row in range(1, faults[0, 0] + 1):
        if faults[row, 0] == kind and faults[row, 1] == access and faults[row, 4] == other:
            return
    if faults[0, 0] + 1 < len(faults):
        faults[0, 0] += 1
        row = faults[0, 0]
        faults[row, 0], faults[row, 1], faults[row, 2], faults[row, 3] = kind, access, thread, index
        faults[row, 4], faults[row, 5] = other, other_thread


@compiled
def outside(faults, access, thread, index, size):
    """Whether an index does not lie in an array of this size, which is a fault. access: its row in the table: its number, whether an
    index may count from the end, whether the array is in shared memory, and the threads of a block."""
    if (-size if access[1] else 0) <= index < size:
        return False
    fault(faults, OUTSIDE, access[0], thread, index, -1, -1)
    return True


@compiled
def within(faults, access, thread, index, size):
    """The index, or 0 if it is outside."""
    return 0 if outside(faults, access, thread, index, size) else index


@compiled
def shadowed_read(shadow, faults, access, thread, epoch, born, begin, index, size):
    """Checks a read of element `index` of what begins at `begin` in the array, and returns an index that can be read.

    epoch: the present one; born: the one that the block began with, before which its shared memory did not exist.
    """
    if outside(faults, access, thread, index, size):
        return np.uint64(0)
    place = index + size if index < 0 else index
    if begin + place >= len(shadow):  # an outer index is outside, which is known already
        return np.uint64(0)
    element, number, threads = shadow[begin + place], access[0], access[3]
    block = thread // threads
    if access[2] and element[0] < born:
        fault(faults, UNWRITTEN, number, thread, index, -1, -1)
    elif element[0] > 0 and element[1] != thread and (element[0] == epoch or element[1] // threads != block):
        fault(faults, READ_WRITTEN, number, thread, index, element[2], element[1])
    if element[3] != epoch:
        if element[3] > 0 and element[4] // threads != block:
            element[8], element[9] = element[4] + 1, element[5]
        element[3], element[4], element[5], element[6] = epoch, thread, number, 0
    elif element[4] != thread and element[6] == 0:
        element[6], element[7] = thread + 1, number
    return np.uint64(place)


@compiled
def shadowed_write(shadow, faults, access, thread, epoch, born, begin, index, size):
    """The same for a write."""
    if outside(faults, access, thread, index, size):
        return np.uint64(0)
    place = index + size if index < 0 else index
    if begin + place >= len(shadow):
        return np.uint64(0)
    element, number, threads = shadow[begin + place], access[0], access[3]
    block, first = thread // threads, born if access[2] else 1
    if element[0] >= first and element[1] != thread and (element[0] == epoch or element[1] // threads != block):
        fault(faults, WRITE_WRITTEN, number, thread, index, element[2], element[1])
    if element[3] >= first and element[4] != thread and (element[3] == epoch or element[4] // threads != block):
        fault(faults, WRITE_READ, number, thread, index, element[5], element[4])
    elif element[3] == epoch and element[6] > 0 and element[6] - 1 != thread:
        fault(faults, WRITE_READ, number, thread, index, element[7], element[6] - 1)
    elif not access[2] and element[8] > 0 and (element[8] - 1) // threads != block:
        fault(faults, WRITE_READ, number, thread, index, element[9], element[8] - 1)
    element[0], element[1], element[2] = epoch, thread, number
    return np.uint64(place)
