"""What the Warp page shows: the warp accesses of a rung, one of them lane by lane, and whether a traced run makes the same ones."""
from dataclasses import replace
from typing import NamedTuple

from app import hosting
from app.race.rungs import Rung
from app.settings import Settings
from numba_kernels.traces import trace
from traffic_model.layout import LAYOUTS
from traffic_model.ledger import Cell
from traffic_model.units import decimal_bytes, plural
from traffic_model.vocabulary import SECTOR, WAVEFRONT, Measure, Space
from traffic_model.warps import SOURCES, Access
from traffic_model.warps.explain import Kind, cell_of, count, kinds, lanes

TRACED = 128  # queries and keys of a traced run: its first block then meets whole tiles


class Shown(NamedTuple):
    """One kind of warp access. number: its place among `kinds` kinds, the most frequent first, from 1; padded: as the kernel lays its tile
    out, or with that tile's rows directly one after the other."""

    rung: Rung
    kernel: str
    kind: Kind
    number: int
    kinds: int
    padded: bool

    @property
    def access(self) -> Access:
        return self.kind.access if self.padded else self.kind.unpadded

    @property
    def shared(self) -> bool:
        return self.access.cell.space == Space.SHARED


def accesses(rung: Rung, settings: Settings) -> list[str]:
    """Every access that the rung's kernels make: "K hbm read", in the order of their text."""
    sources = SOURCES[rung.algorithm](settings.problem, LAYOUTS[rung.algorithm].resolve(settings.problem, settings.tiling, settings.gpu))
    return list(dict.fromkeys(str(source.cell) for kernel in sources for source in kernel if source.accesses))


def shown(rung: Rung, settings: Settings, access: str, number: int = 1, padded: bool = True) -> Shown:
    """One kind of this access; the last kind there is where `number` is larger, and as it is laid out where there is no padding."""
    layout = LAYOUTS[rung.algorithm].resolve(settings.problem, settings.tiling, settings.gpu)
    kernel, found = kinds(rung.algorithm, settings.problem, layout, cell_of(access))
    number = min(number, len(found))
    kind = found[number - 1]
    return Shown(rung, kernel, kind, number, len(found), padded or kind.unpadded is None)


def records(chosen: Shown) -> list[dict]:
    """A record per lane that takes part: what it names, in the layout that is shown."""
    return [dict(algorithm=chosen.rung.algorithm, kernel=chosen.kernel, access=str(chosen.access.cell), padded=chosen.padded,
                 kind="predicted") | lane for lane in lanes(chosen.access)]


def summary(chosen: Shown) -> dict:
    """Lanes that take part, whether in shared memory, how many sectors or wavefronts, the fewest that would do, those without padding (None
    where there is none), and each measure: {"measure", "bytes", "of": the product it comes from}."""
    access, (name, number) = chosen.access, count(chosen.access)
    taking, different = len(lanes(access)), access.bytes(Measure.DISTINCT) // access.size
    measure = lambda name, of: dict(measure=str(name), bytes=access.bytes(name), of=of)
    last, unit = (Measure.WAVEFRONTS, WAVEFRONT) if chosen.shared else (Measure.SECTORS, SECTOR)
    return dict(lanes=taking, shared=chosen.shared, number=number, fewest=access.fewest, padded=chosen.padded,
                unpadded=chosen.kind.unpadded and count(chosen.kind.unpadded)[1],
                measures=[measure(Measure.REQUESTED, f"{plural(taking, 'lane')} × {access.size} B"),
                          measure(Measure.DISTINCT, f"{plural(different, 'element')} × {access.size} B"),
                          measure(last, f"{plural(number, name.removesuffix('s'))} × {unit} B")])


def traced(rung: Rung, settings: Settings, access: str) -> str:
    """Runs the rung's first block on the cpu backend, at a length at which that is quick, and says whether what its warps did there is what
    was predicted: the same lanes, as far apart, with as many sectors or wavefronts.

    Raises Refusal where the host wants no kernel to run.
    """
    hosting.require_kernels()
    problem = replace(settings.problem, seq_len=TRACED, kv_len=TRACED, heads=1, kv_heads=1, batch=1)
    layout, cell = LAYOUTS[rung.algorithm].resolve(problem, settings.tiling, settings.gpu), cell_of(access)
    launches = zip(layout.launches(problem), SOURCES[rung.algorithm](problem, layout))
    kernel, sources = next((launch.name, sources) for launch, sources in launches if any(s.cell == cell and s.accesses for s in sources))
    made = [each for each in trace(rung.algorithm, problem, settings.tiling, settings.gpu, kernel)
            if Cell(each.array, each.space, each.direction) == cell]
    expected = {(_apart(a.lanes), count(a)[1]) for source in sources if source.cell == cell for a in source.accesses}
    unit = WAVEFRONT if cell.space == Space.SHARED else SECTOR
    as_predicted = sum((_apart(each.elements), (each.wavefronts or each.sectors) // unit) in expected for each in made)
    bytes_requested = decimal_bytes(sum(each.requested for each in made))
    alike = "all as predicted" if as_predicted == len(made) else f"{as_predicted:,} as predicted"
    return (f"Traced on this machine (cpu), N = {TRACED}, one head, block 0 of {kernel}: {len(made):,} warp accesses to {cell}, "
            f"{bytes_requested} requested, {alike}.")


def _apart(elements: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Each lane's distance from the lowest."""
    low = min(element for element in elements if element is not None)
    return tuple(None if element is None else element - low for element in elements)
