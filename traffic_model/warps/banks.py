"""Banks: how shared memory serves one warp access, in wavefronts, each of which takes at most one word from every bank.

Elements of 8 and 16 bytes are served in parts, of as many lanes as fill the banks: two halves of a warp, four quarters. Two neighbouring
parts of a load are served together where every lane names what its neighbour names, or every lane what the lane two further on does, lanes
that take no part left out: the registers that come back are then packed
(https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228/2). The parts of a store never are. An H200
counts so in every access that was put to it: tests/test_accesses.py.
"""
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from traffic_model.layout.common import WARP
from traffic_model.vocabulary import WAVEFRONT, WORD, Direction

NEIGHBOURS = 1, 2  # how far apart the lanes are that can share registers


@lru_cache(4096)
def wavefronts(lanes: tuple[int | None, ...], base: int, size: int, direction: Direction) -> int:
    """The most different words in one bank, of every part of the warp. lanes: elements of `size` bytes, from the element `base` on."""
    unit = max(size, WORD)  # whole words, or a whole element where it has several
    return sum(_most([(base + lane) * size // unit for lane in part], WAVEFRONT // unit) for part in parts(lanes, size, direction))


def parts(lanes: tuple[int | None, ...], size: int, direction: Direction) -> Iterator[set[int]]:
    """Different elements that lanes which are served together name. A part of which no lane takes part is none."""
    wide = min(WARP, WAVEFRONT // size)
    for first in range(0, len(lanes), 2 * wide):
        pair = lanes[first:first + 2 * wide]
        joined = wide < WARP and direction == Direction.READ and any(_shared(pair, apart) for apart in NEIGHBOURS)
        served = [pair] if joined else [pair[:wide], pair[wide:]]
        yield from (named for part in served if (named := set(part) - {None}))


def _shared(lanes, apart):
    others = [lanes[lane ^ apart] if lane ^ apart < len(lanes) else None for lane in range(len(lanes))]
    return all(None in pair or pair[0] == pair[1] for pair in zip(lanes, others))


def _most(units, banks):
    return max(Counter(unit % banks for unit in set(units)).values())
