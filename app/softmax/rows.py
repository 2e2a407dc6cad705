"""Rows to look at: four keys that fit a blackboard, and rows of real inputs, each as they come and at their worst."""
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from numba_kernels.run import make_inputs
from numba_kernels.storage import decode, encode
from traffic_model import AttentionProblem

HAND_TILE, REAL_TILES = 2, 16
LATE_SCORE, LATE_TILE = 8.0, 13  # of the one large score, and which tile holds it, where there are so many


class Size(StrEnum):
    HAND = "by hand"
    REAL = "real row"


class Scores(StrEnum):
    USUAL = "as they come"
    LATE = "a large late maximum"
    EQUAL = "all equal"
    MASKED = "fully masked"


@dataclass(frozen=True)
class Row:
    """One query row: query [d], keys [M, d], values [M, columns], fp32; `tile` keys a tile; the row sees all keys or, masked, none."""

    query: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    scale: float
    tile: int
    masked: bool = False

    @cached_property
    def scores(self) -> np.ndarray:
        """scale · q·k in fp32, −∞ where masked. Shape [M]."""
        return self._masked(np.float32(self.scale) * (self.keys @ self.query))

    @cached_property
    def exact_scores(self) -> np.ndarray:
        """The same in float64 of the stored inputs."""
        return self._masked(self.scale * (self.keys.astype(np.float64) @ self.query))

    @property
    def tiles(self) -> list[np.ndarray]:
        """The scores tile by tile; the last tile may be shorter."""
        return [self.scores[first:first + self.tile] for first in range(0, len(self.keys), self.tile)]

    @property
    def ends(self) -> list[int]:
        """Keys up to the end of each tile."""
        return [min(first + self.tile, len(self.keys)) for first in range(0, len(self.keys), self.tile)]

    def _masked(self, scores: np.ndarray) -> np.ndarray:
        return np.full_like(scores, -np.inf) if self.masked else scores


HAND = {Scores.USUAL: (2, 1, 3, 0), Scores.LATE: (2, 1, 0, 5), Scores.EQUAL: (1, 1, 1, 1), Scores.MASKED: (2, 1, 3, 0)}
HAND_VALUES = ((10, 0), (0, 10), (0, 10), (10, 0))  # every row sums to 10, so any weighted mean of them does too


def hand(scores: Scores) -> Row:
    """Four keys in two tiles, head size 1 with q = 1, so that a key is its score; two columns of V."""
    keys = np.array(HAND[scores], np.float32)[:, None]
    return Row(np.ones(1, np.float32), keys, np.array(HAND_VALUES, np.float32), 1.0, HAND_TILE, scores == Scores.MASKED)


def real(scores: Scores, problem: AttentionProblem, tile: int, seed: int) -> Row:
    """Query row 0 of seeded normal inputs, as `python -m numba_kernels run --seed` makes them for one head of so many keys: the keys of
    `problem`, at most REAL_TILES tiles of them. Made worse where asked: one key turned along q, or q = 0."""
    count = min(problem.kv_len, REAL_TILES * tile)
    one_head = replace(problem, seq_len=count, kv_len=count, heads=1, kv_heads=1, batch=1, mask="full")
    query, keys, values = (decode(array[0, 0], problem.dtype) for array in map(make_inputs(one_head, seed).get, "QKV"))
    query = query[0]
    if scores == Scores.EQUAL:
        query = np.zeros_like(query)
    if scores == Scores.LATE:
        place = late_key(count, tile)
        keys[place] = decode(encode(query * (LATE_SCORE / (problem.scale * (query @ query))), problem.dtype), problem.dtype)
    return Row(query, keys, values, problem.scale, tile, scores == Scores.MASKED)


def late_key(count: int, tile: int) -> int:
    """Where the large score stands: in the middle of tile LATE_TILE, or of the last one."""
    tiles = -(-count // tile)
    first = (min(LATE_TILE, tiles) - 1) * tile
    return (first + min(first + tile, count) - 1) // 2
