"""How the lanes of a warp spread over rows and columns, and the warp accesses that follow."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np

from traffic_model.ledger import Cell
from traffic_model.warps.access import Access, Lanes, Source
from traffic_model.warps.bases import Bases

Shape = tuple[tuple[int, int], ...]  # (row, column) of each lane


def lines(rows: int, columns: int) -> Shape:
    """Lanes one after the other along the columns, then the rows."""
    return tuple((lane // columns, lane % columns) for lane in range(rows * columns))


ROW = lines(1, 32)


@dataclass(frozen=True)
class Axis:
    """The rows, or the columns, of the accesses at one place in the source.

    lanes: of a warp along it; step: elements from one to the next. taking: {how many of them take part: where the first one stands}.
    """

    lanes: int
    step: int
    taking: dict[int, Bases]

    @classmethod
    def of(cls, starts: Sequence[int], lanes: int, apart: int, limit: int, stride: int, period: int, times: np.ndarray | int = 1) -> Self:
        """Accesses whose lane k stands at start + k · apart and takes part below `limit`, a place being `stride` elements.

        times: how often each start comes.
        """
        starts = np.asarray(starts, np.int64)
        times = np.broadcast_to(times, starts.shape)
        taking = (starts[:, None] + apart * np.arange(lanes) < limit).sum(axis=1)
        found = {int(n): Bases.of(starts[taking == n] * stride, times[taking == n], period) for n in np.unique(taking) if n > 0}
        return cls(lanes, apart * stride, found)

    @classmethod
    def together(cls, places: int, lanes: int, stride: int, period: int) -> Self:
        """So many lanes that all name the same, at each of these places in turn."""
        return cls(lanes, 0, {lanes: Bases.steps(stride, places, period)})


def offsets(shape: Shape, row_step: int, column_step: int, taking: Sequence[int]) -> Lanes:
    """Where each lane's element lies from that of row 0, column 0. taking: how many columns take part in each row."""
    return tuple(row * row_step + column * column_step if column < taking[row] else None for row, column in shape)


def spread(cell: Cell, size: int, lanes: Lanes, bases: Bases) -> Iterator[Access]:
    """Accesses of these lanes from all these bases."""
    for times, lowest in bases.at.values():
        yield Access(cell, size, lowest, lanes, times)


def grid(cell: Cell, size: int, shape: Shape, outside: Bases, rows: Axis, columns: Axis) -> Source:
    """Accesses over all rows and all columns, for every base outside."""
    found = []
    for (down, row_bases), (across, column_bases) in product(rows.taking.items(), columns.taking.items()):
        taking = [across] * down + [0] * (rows.lanes - down)
        found += spread(cell, size, offsets(shape, rows.step, columns.step, taking), outside * row_bases * column_bases)
    return Source(cell, tuple(found))
