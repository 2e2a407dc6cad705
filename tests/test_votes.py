"""Votes == model, on a machine without a GPU: the lanes of a warp as calls that start again, each time knowing one warp operation more."""
from collections import defaultdict
from itertools import product

import pytest
from warp_patterns import patterns

from numba_kernels import votes
from traffic_model import Array, Cell, Direction, Measure, Space
from traffic_model.warps import MEASURES, Access

COUNTED = Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS


class Waits(Exception):
    """A lane has come to a warp operation that not all have come to."""


class Warp:
    """What votes.py takes from `cuda`, for the lanes that take part."""

    def __init__(self, lanes):
        self.lanes, self.mask = lanes, sum(1 << lane for lane in lanes)

    def tallies(self, book) -> list[list[int]]:
        """Of every lane, once all have called book(tally, 0, element). lanes: {lane: element}."""
        self.heard = []  # of every warp operation so far: {value: mask of the lanes that said it}
        while True:
            self.said, tallies = defaultdict(int), []
            for lane, element in self.lanes.items():
                self.laneid, self.operation, tally = lane, 0, [0] * len(COUNTED)
                try:
                    book(tally, 0, element)
                    tallies.append(tally)
                except Waits:
                    pass
            if not self.said:
                return tallies
            assert not tallies  # else a lane is through while others wait for it
            self.heard.append(self.said)

    def _all(self, lanes, value):
        assert lanes == self.mask
        if self.operation == len(self.heard):
            self.said[value] |= 1 << self.laneid
            raise Waits
        self.operation += 1
        return self.heard[self.operation - 1]

    def jit(self, **how):
        return lambda function: function

    def activemask(self):
        return self.mask

    def popc(self, bits):
        return int(bits).bit_count()

    def match_any_sync(self, lanes, value):
        return self._all(lanes, int(value))[int(value)]

    def ballot_sync(self, lanes, true):
        return self._all(lanes, bool(true)).get(True, 0)

    def any_sync(self, lanes, true):
        return self.ballot_sync(lanes, true) != 0


def voted(space, direction, size, lanes, monkeypatch) -> dict:
    """What the votes of one warp access come to, by measure."""
    warp = Warp({lane: element for lane, element in enumerate(lanes) if element is not None})
    monkeypatch.setattr(votes, "cuda", warp)
    monkeypatch.setattr(votes, "int64", int)
    return dict(zip(COUNTED, map(sum, zip(*warp.tallies(votes.vote(space, direction, size, COUNTED))))))


@pytest.mark.parametrize(("space", "direction", "size"), list(product(Space, Direction, (2, 4, 8, 16))))
def test_votes_are_what_is_predicted(space, direction, size, monkeypatch):
    for name, lanes in patterns(size).items():
        access = Access(Cell(Array.S, space, direction), size, 0, lanes, 1)
        counted = voted(space, direction, size, lanes, monkeypatch)
        assert {m: counted[m] for m in MEASURES[space]} == {m: access.bytes(m) for m in MEASURES[space]}, name
        assert counted[Measure.REQUESTED] == access.bytes(Measure.REQUESTED)
