"""Source and Access: an access in a kernel's text, and the warp accesses it makes; what they name, as `--counting warps` counts it.

Arrays start 256-byte aligned and shared memory in bank 0, so that an element's index tells its sector and its bank.
"""
from functools import lru_cache
from typing import NamedTuple

from traffic_model.ledger import Cell
from traffic_model.vocabulary import SECTOR, WAVEFRONT, WORD, Measure, Space
from traffic_model.warps.banks import wavefronts

Lanes = tuple[int | None, ...]  # of a warp: elements from the base of the access to the lane's own, None where it does not take part


class Access(NamedTuple):
    """Warp accesses that are alike: each is what a warp does for one source access in one iteration.

    size: bytes of an element. base: index of the element that the lowest of them starts from. times: how many there are in the launch.
    """

    cell: Cell
    size: int
    base: int
    lanes: Lanes
    times: int

    @property
    def elements(self) -> Lanes:
        """The index that each lane names in the lowest of them."""
        return tuple(None if lane is None else self.base + lane for lane in self.lanes)

    def bytes(self, measure: Measure) -> int:
        """Of one of them. Raises KeyError for a measure that its space does not have."""
        match measure, self.cell.space:
            case Measure.REQUESTED, _:
                return requested(self.lanes) * self.size
            case Measure.DISTINCT, _:
                return distinct(self.lanes) * self.size
            case Measure.SECTORS, Space.HBM:
                return self.sectors * SECTOR
            case Measure.WAVEFRONTS, Space.SHARED:
                return self.wavefronts * WAVEFRONT
        raise KeyError(measure)

    @property
    def sectors(self) -> int:
        """Different 32-byte sectors."""
        return sectors(self.lanes, self.place, self.size)

    @property
    def place(self) -> int:
        """Where in its sector the base lies, in elements."""
        return self.base % (SECTOR // self.size)

    @property
    def wavefronts(self) -> int:
        """How often shared memory takes a word from each bank. The base matters within a word alone: otherwise it renames the banks."""
        return wavefronts(self.lanes, self.base % max(1, WORD // self.size), self.size, self.cell.direction)

    @property
    def fewest(self) -> int:
        """The fewest sectors, or wavefronts, that could hold as many different bytes."""
        return -(-distinct(self.lanes) * self.size // (SECTOR if self.cell.space == Space.HBM else WAVEFRONT))


class Source(NamedTuple):
    """One access in a kernel's text: its cell, and the warp accesses it makes in a launch, those alike together. There may be none."""

    cell: Cell
    accesses: tuple[Access, ...]


@lru_cache(4096)
def requested(lanes: Lanes) -> int:
    """Lanes that take part."""
    return len(lanes) - lanes.count(None)


@lru_cache(4096)
def distinct(lanes: Lanes) -> int:
    """Different elements."""
    return len(_named(lanes))


@lru_cache(4096)
def sectors(lanes: Lanes, base: int, size: int) -> int:
    """Different sectors, for elements of `size` bytes from the element `base`."""
    return len({(base + lane) * size // SECTOR for lane in _named(lanes)})


def _named(lanes: Lanes) -> set[int]:
    return set(lanes) - {None}
