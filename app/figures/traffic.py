"""Traffic: bytes against sequence length, predicted and counted, and what of them crosses to DRAM."""
from functools import lru_cache

from app import dram, records
from app.charts.claims import traffic_claim
from app.charts.traffic import fitted_slope, provenance, traffic
from app.figures.figure import Figure, Sources
from app.settings import Settings
from traffic_model.units import decimal_bytes

KEPT = 256  # DRAM lines
_crossing: dict[Settings, list[dict]] = {}


def figure(settings: Settings, sources: Sources, without_dram: bool = False) -> Figure:
    """without_dram: leave out what takes up to a second to model."""
    here, counted = records.predicted(settings, [settings.n]), records.counted(matching(settings, sources))
    line, at, edge = curve(settings.at(1)), records.totals(here), records.memory_edge(settings)
    crossing = [] if without_dram else crossing_curve(settings.at(1))
    leaves = dram.leaves_l2(crossing)
    value = lambda algorithm, measure: decimal_bytes(at[algorithm, measure, "predicted"][settings.n])
    title = traffic_claim(at, settings.n)
    slope = fitted_slope(records.totals(line)["fused", "requested", "predicted"])
    return Figure(
        "traffic", title, settings.caption, provenance(counted), settings,
        lambda look: traffic(line, here, counted, edge, crossing, leaves, look, settings.caption), [*line, *here, *counted, *crossing],
        note=f"{title}. Compulsory bytes are what each kernel must move once; what fused requests beyond them grows as N to the "
             f"{slope:.2f} and is the work of the caches{_until(leaves)}.",
        alt=f"HBM bytes against sequence length on logarithmic axes. At N = {settings.n:,} naive must move {value('naive', 'compulsory')} "
            f"and requests {value('naive', 'requested')}; fused must move {value('fused', 'compulsory')} and requests "
            f"{value('fused', 'requested')}.")


@lru_cache(256)
def curve(settings: Settings) -> list[dict]:
    """The chart's lines. Call it with `settings.at(1)`: they do not depend on the current N."""
    return records.predicted(settings, records.LENGTHS)


def crossing_curve(settings: Settings) -> list[dict]:
    """The chart's DRAM line, likewise; it takes up to a second, and is kept."""
    if settings not in _crossing:
        found = dram.modelled(settings, records.LENGTHS)
        if len(_crossing) >= KEPT:
            _crossing.pop(next(iter(_crossing)), None)
        _crossing[settings] = found
    return _crossing[settings]


def is_modelled(settings: Settings) -> bool:
    """Whether the DRAM line of `settings.at(1)` is there already."""
    return settings in _crossing


def matching(settings: Settings, sources: Sources) -> list[dict]:
    """Recorded runs, then live ones, whose settings but for N are these, if they counted."""
    alike = records.of_shape(settings)
    return [run for run in sources.runs if run.get("ledger") and alike(run)]


def _until(leaves: float | None) -> str:
    return f", until K and V leave L2 near N = {leaves:,.0f}" if leaves else ""
