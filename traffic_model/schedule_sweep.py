"""Event, Move and Sweep: one tile moved, the same move repeated, and one pass along a row of tiles."""
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from traffic_model.vocabulary import Array, Direction

BY_ROW, BY_COLUMN = {Array.Q, Array.O, Array.STATS}, {Array.K, Array.V}  # S and P have both indices


@dataclass(frozen=True)
class Event:
    """One block of one array, moved once: what the clock calls a step. Bytes are whole numbers, per measure."""

    kernel: int
    array: Array
    direction: Direction
    row: int | None
    column: int | None
    compulsory: int
    requested: int

    @property
    def reread(self) -> bool:
        """The kernel moved it before, or will again: no compulsory bytes, so the compulsory clock stands still."""
        return self.compulsory == 0


Runs = tuple[tuple[int, int], ...]  # (how many blocks in a row, bytes of each)


@dataclass(frozen=True)
class Move:
    """The same movement for every block of a sweep, with its bytes block by block as runs."""

    array: Array
    direction: Direction
    compulsory: Runs
    requested: Runs

    @classmethod
    def of(cls, array: Array, direction: Direction, compulsory, requested) -> "Move":
        """From bytes per block, shape [blocks]; a plain number is a sweep of one block."""
        return cls(array, direction, encode(np.atleast_1d(compulsory)), encode(np.atleast_1d(requested)))


@dataclass(frozen=True)
class Sweep:
    """One pass along a row of blocks: at each of the first `blocks` columns every move in turn. `stage` names what the kernel does.

    With a `column` it is a pass down that column instead, over `blocks` rows from `row` on.
    """

    kernel: int
    row: int
    stage: str
    blocks: int
    moves: tuple[Move, ...]
    column: int | None = None

    def events(self) -> Iterator[Event]:
        bytes_of = [(move, decode(move.compulsory), decode(move.requested)) for move in self.moves]
        for block in range(self.blocks):
            row, column = (self.row, block) if self.column is None else (self.row + block, self.column)
            for move, compulsory, requested in bytes_of:
                yield Event(self.kernel, move.array, move.direction, None if move.array in BY_COLUMN else row,
                            None if move.array in BY_ROW else column, compulsory[block], requested[block])


def encode(values: np.ndarray) -> Runs:
    """Equal neighbours become one (count, value): a row of a full mask is one run, a row of a causal mask a few."""
    starts = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist()]
    return tuple((end - start, int(values[start])) for start, end in zip(starts, [*starts[1:], len(values)]))


def decode(runs: Runs) -> list[int]:
    """The inverse of `encode`."""
    return [value for count, value in runs for _ in range(count)]
