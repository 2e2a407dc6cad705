"""Votes == model, on a machine without a GPU: the lanes of a warp as threads that wait for each other at every warp operation."""
import threading

import pytest
from warp_patterns import patterns

from numba_kernels import votes
from traffic_model import Array, Cell, Direction, Measure, Space
from traffic_model.warps import MEASURES, Access

COUNTED = Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS


class Warp(threading.local):
    """What votes.py takes from `cuda`, for the lanes that take part. Each thread sets its own laneid."""

    def __init__(self, lanes, meeting, said):
        self.mask, self.meeting, self.said = sum(1 << lane for lane in lanes), meeting, said

    def _all(self, lanes, value):
        assert lanes == self.mask
        self.said[self.laneid] = value
        self.meeting.wait()
        heard = dict(self.said)
        self.meeting.wait()
        return heard

    def jit(self, **how):
        return lambda function: function

    def activemask(self):
        return self.mask

    def popc(self, bits):
        return int(bits).bit_count()

    def match_any_sync(self, lanes, value):
        return sum(1 << lane for lane, other in self._all(lanes, int(value)).items() if other == value)

    def ballot_sync(self, lanes, true):
        return sum(1 << lane for lane, other in self._all(lanes, bool(true)).items() if other)

    def any_sync(self, lanes, true):
        return any(self._all(lanes, bool(true)).values())


def voted(space, size, lanes, monkeypatch) -> dict:
    """What the votes of one warp access come to, by measure."""
    taking_part = {lane: element for lane, element in enumerate(lanes) if element is not None}
    warp, tally = Warp(taking_part, threading.Barrier(len(taking_part)), {}), [[0] * len(COUNTED) for _ in lanes]
    monkeypatch.setattr(votes, "cuda", warp)
    monkeypatch.setattr(votes, "int64", int)
    book = votes.vote(space, size, COUNTED)

    def run(lane, element):
        warp.laneid = lane
        book(tally[lane], 0, element)

    threads = [threading.Thread(target=run, args=each) for each in taking_part.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return dict(zip(COUNTED, map(sum, zip(*tally))))


@pytest.mark.parametrize("size", (2, 4, 8, 16))
@pytest.mark.parametrize("space", Space)
def test_votes_are_what_is_predicted(space, size, monkeypatch):
    for name, lanes in patterns(size).items():
        access = Access(Cell(Array.S, space, Direction.READ), size, 0, lanes, 1)
        counted = voted(space, size, lanes, monkeypatch)
        assert {m: counted[m] for m in MEASURES[space]} == {m: access.bytes(m) for m in MEASURES[space]}, name
        assert counted[Measure.REQUESTED] == access.bytes(Measure.REQUESTED)
