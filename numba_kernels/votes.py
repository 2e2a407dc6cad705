"""Warp votes: what one access of one warp names, counted on the GPU by the lanes that execute it together.

Of the lanes that name the same bytes (or the same sector) the lowest adds for all, so that the sum over lanes is the measure. Arrays
are taken to start at a multiple of 256 bytes, as Tilescope's do, and a shared array in bank 0: an index then tells sector and bank.
"""
from collections.abc import Callable

from numba import int64, uint32

from numba_kernels.device import cuda
from traffic_model.vocabulary import BANKS, SECTOR, WAVEFRONT, Measure, Space


def vote(space: Space, size: int, measures: tuple[Measure, ...]) -> Callable:
    """book(tally, cell, index) for an access of `size` bytes; tally holds `measures` of every cell side by side."""
    every = len(measures)
    requested, distinct, sectors, wavefronts = map(measures.index, (Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS,
                                                                   Measure.WAVEFRONTS))
    elements_per_sector = SECTOR // size

    def book_hbm(tally, cell, index):
        tally[cell * every + requested] += size
        lanes, below = cuda.activemask(), (1 << cuda.laneid) - 1
        if cuda.match_any_sync(lanes, int64(index)) & below == 0:
            tally[cell * every + distinct] += size
        if cuda.match_any_sync(lanes, int64(index) // elements_per_sector) & below == 0:
            tally[cell * every + sectors] += SECTOR

    def book_shared(tally, cell, index):
        tally[cell * every + requested] += size
        lanes, below = cuda.activemask(), (1 << cuda.laneid) - 1
        first = cuda.match_any_sync(lanes, int64(index)) & below == 0
        if first:
            tally[cell * every + distinct] += size
        in_my_bank = cuda.match_any_sync(lanes, int64(index) % BANKS)
        words = cuda.popc(uint32(in_my_bank & cuda.ballot_sync(lanes, first)))  # signed, lane 31 would count 33 times
        most = 1
        while cuda.any_sync(lanes, words > most):
            most += 1
        if lanes & below == 0:
            tally[cell * every + wavefronts] += most * WAVEFRONT

    return book_hbm if space == Space.HBM else book_shared
