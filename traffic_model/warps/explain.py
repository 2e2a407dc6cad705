"""Explain: the kinds of warp access behind one cell, and what one of them is lane by lane."""
from dataclasses import dataclass

from traffic_model.errors import Refusal
from traffic_model.layout import Layout
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import BANKS, SECTOR, WORD, Array, Direction, Measure, Space
from traffic_model.warps import sources_of
from traffic_model.warps.access import Access
from traffic_model.warps.unpadded import unpadded

MOST_SHOWN = 60  # letters of an access that is none


@dataclass(frozen=True)
class Kind:
    """Warp accesses whose lanes are as far apart and name as many sectors or wavefronts.

    unpadded: what they would be without the layout's padding; None in HBM and where there is none.
    """

    access: Access
    unpadded: Access | None

    @property
    def conflicts(self) -> int:
        """Wavefronts above the fewest possible."""
        return self.access.wavefronts - self.access.fewest

    def record(self) -> dict:
        """As a JSON object. Bytes, but for the numbers of sectors or wavefronts, and of bank conflicts."""
        a = self.access
        name, number = count(a)
        conflicts = dict(conflicts=self.conflicts) if a.cell.space == Space.SHARED else {}
        named = dict(requested_bytes=a.bytes(Measure.REQUESTED), distinct_bytes=a.bytes(Measure.DISTINCT)) | {name: number}
        beside = self.unpadded and dict(wavefronts=self.unpadded.wavefronts, lanes=lanes(self.unpadded))
        return dict(warp_accesses=a.times, element_bytes=a.size, **named, fewest=a.fewest, **conflicts, lanes=lanes(a), unpadded=beside)


def kinds(algorithm: str, problem: AttentionProblem, layout: Layout, cell: Cell) -> tuple[str, list[Kind]]:
    """(the kernel's name, the kinds of warp access to this cell, the most frequent first). Raises Refusal if there are none."""
    bare = unpadded(layout) if cell.space == Space.SHARED else None
    sources = sources_of(algorithm, problem, layout)
    twins = sources_of(algorithm, problem, bare) if bare else sources
    kernels, alike = set(), {}
    for launch, mine, theirs in zip(layout.launches(problem), sources, twins):
        for source, twin in zip(mine, theirs):
            for access, other in zip(source.accesses, twin.accesses):
                if access.cell == cell:
                    kernels.add(launch.name)
                    alike.setdefault((access.lanes, access.size, count(access)), []).append((access, other))
    if not alike:
        known = dict.fromkeys(f"'{source.cell}'" for kernel in sources for source in kernel if source.accesses)
        raise Refusal(f"{algorithm} makes no access '{cell}' here; choose {', '.join(known)}.")
    [kernel] = kernels
    found = [Kind(_merged(own), _merged(others) if bare else None) for own, others in (zip(*pairs) for pairs in alike.values())]
    return kernel, sorted(found, key=lambda kind: (-kind.access.times, kind.access.base))


def cell_of(text: str) -> Cell:
    """The cell of "K hbm read". Raises Refusal."""
    try:
        array, space, direction = text.lower().split()
        return Cell(Array(array), Space(space), Direction(direction))
    except ValueError:
        shown = " ".join(text.split())[:MOST_SHOWN]
        raise Refusal(f"access '{shown}' is not an array, a space and a direction, such as 'K hbm read' or 'S shared write'.") from None


def count(access: Access) -> tuple[str, int]:
    """What the hardware moves at once, and how many of them: ("sectors", 4) or ("wavefronts", 2)."""
    return ("sectors", access.sectors) if access.cell.space == Space.HBM else ("wavefronts", access.wavefronts)


def lanes(access: Access) -> list[dict[str, int]]:
    """The lanes that take part: lane, element and byte from the array's start, and which sector or bank that is."""
    where = ("sector", lambda byte: byte // SECTOR) if access.cell.space == Space.HBM else ("bank", lambda byte: byte // WORD % BANKS)
    return [{"lane": lane, "element": element, "byte": element * access.size, where[0]: where[1](element * access.size)}
            for lane, element in enumerate(access.elements) if element is not None]


def _merged(accesses: tuple[Access, ...]) -> Access:
    return min(accesses, key=lambda access: access.base)._replace(times=sum(access.times for access in accesses))

