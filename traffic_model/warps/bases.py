"""Bases: where the warp accesses of one shape start, as far as it matters.

What an access names in HBM depends on where in a sector it starts and on nothing else about its place; in shared memory on nothing at all.
An index is a sum of parts that vary independently (of the head, the row, the column), so the accesses of a whole launch are counted by
counting each part and multiplying, whatever their number.
"""
from dataclasses import dataclass
from math import gcd
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Bases:
    """at: {index modulo `period`: (how many start there, the lowest of their indices)}."""

    period: int
    at: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, indices: np.ndarray, times: np.ndarray | int, period: int) -> Self:
        """Each of these indices so many times."""
        times = np.broadcast_to(times, indices.shape)
        indices, times = indices[times > 0], times[times > 0]
        if not indices.size:
            return cls(period, {})
        order = np.argsort((indices % period).astype(np.uint8), kind="stable")
        indices, times = indices[order], times[order]
        places = indices % period
        first = np.flatnonzero(np.diff(places, prepend=-1))
        summed, lowest = np.add.reduceat(times, first), np.minimum.reduceat(indices, first)
        return cls(period, dict(zip(places[first].tolist(), zip(summed.tolist(), lowest.tolist()))))

    @classmethod
    def steps(cls, step: int, count: int, period: int, times: int = 1) -> Self:
        """0, step, 2·step, … (count − 1)·step, each so many times."""
        turn = period // gcd(step, period)
        return cls._of_pairs(period, ((k * step % period, (-(-(count - k) // turn) * times, k * step))
                                      for k in range(min(turn, count)) if times))

    @classmethod
    def repeated(cls, index: int, times: int) -> Self:
        """One index in shared memory."""
        return cls._of_pairs(1, [(0, (times, index))] if times else [])

    def __mul__(self, other: "Bases") -> "Bases":
        """Every sum of an index here and one there."""
        return self._of_pairs(self.period, (((a + b) % self.period, (m * n, i + j))
                                            for a, (m, i) in self.at.items() for b, (n, j) in other.at.items()))

    def __add__(self, other: "Bases") -> "Bases":
        """The indices of both."""
        return self._of_pairs(self.period, [*self.at.items(), *other.at.items()])

    @classmethod
    def _of_pairs(cls, period, pairs):
        at = {}
        for place, (times, lowest) in pairs:
            before, low = at.get(place, (0, lowest))
            at[place] = (before + times, min(low, lowest))
        return cls(period, at)
