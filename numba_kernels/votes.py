"""Warp votes: what one access of one warp names, counted on the GPU by the lanes that execute it together.

Of the lanes that name the same bytes (or the same sector) the lowest adds for all, so that the sum over lanes is the measure. Arrays
are taken to start at a multiple of 256 bytes, as Tilescope's do, and a shared array in bank 0: an index then tells sector and bank.
"""
from collections.abc import Callable

from numba import int64, uint32

from numba_kernels.device import cuda
from traffic_model.layout.common import WARP
from traffic_model.vocabulary import SECTOR, WAVEFRONT, WORD, Direction, Measure, Space


def vote(space: Space, direction: Direction, size: int, measures: tuple[Measure, ...]) -> Callable:
    """book(tally, cell, index) for an access of `size` bytes; tally holds `measures` of every cell side by side."""
    every = len(measures)
    requested, distinct, sectors, wavefronts = map(measures.index, (Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS,
                                                                   Measure.WAVEFRONTS))
    elements_per_sector = SECTOR // size
    elements_per_word = max(1, WORD // size)
    words_per_bank_row = WAVEFRONT // max(size, WORD)  # an element of several words counts as one
    wide = min(WARP, words_per_bank_row)  # lanes of a part, all of which shared memory serves together
    parts = WARP // wide
    least = 1 if parts == 1 else 0  # wavefronts of a part, in which there may be no lane
    part_of = cuda.jit(device=True, forceinline=True)(_part_of(wide, direction))

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
        same = cuda.match_any_sync(lanes, int64(index))
        if same & below == 0:
            tally[cell * every + distinct] += size
        part = part_of(lanes, same)
        word = int64(index) // elements_per_word
        if elements_per_word > 1 or parts > 1:  # which lanes name the same word, and are served together
            same = cuda.match_any_sync(lanes, word * parts + part)
        in_my_bank = cuda.match_any_sync(lanes, word % words_per_bank_row * parts + part)
        words = cuda.popc(uint32(in_my_bank & cuda.ballot_sync(lanes, same & below == 0)))  # signed, lane 31 would count 33 times
        total = 0
        for each in range(parts):
            most, of_part = least, words if part == each else 0
            while cuda.any_sync(lanes, of_part > most):
                most += 1
            total += most
        if lanes & below == 0:
            tally[cell * every + wavefronts] += total * WAVEFRONT

    return book_hbm if space == Space.HBM else book_shared


def _part_of(wide, direction):
    """Two parts of a load are served as the first of them where every lane names what its neighbour does, or the lane two further on."""
    pair = (1 << 2 * wide) - 1

    def its_own(lanes, same):
        return cuda.laneid // wide

    def joined(lanes, same):
        lane = cuda.laneid
        mine = lane // wide
        first = mine - mine % 2
        beside = cuda.ballot_sync(lanes, lanes >> (lane ^ 1) & ~(same >> (lane ^ 1)) & 1 != 0)  # lanes that name another than these do
        beyond = cuda.ballot_sync(lanes, lanes >> (lane ^ 2) & ~(same >> (lane ^ 2)) & 1 != 0)
        if beside >> first * wide & pair == 0 or beyond >> first * wide & pair == 0:
            return first
        return mine

    def only_one(lanes, same):
        return 0

    return only_one if wide == WARP else joined if direction == Direction.READ else its_own
