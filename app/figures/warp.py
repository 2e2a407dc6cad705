"""Warp: one access of one warp, lane by lane."""
from app import warp
from app.charts import warp as chart
from app.charts.claims import warp_claim
from app.figures.figure import Figure, Sources
from app.race.rungs import Rung
from app.settings import Settings
from traffic_model.vocabulary import WORD

OPENING = ("K shared write", "K hbm read")  # the access that is shown first, where the rung makes it


def first(accesses: list[str]) -> str:
    """Which of a rung's accesses is shown first."""
    return next((each for each in OPENING if each in accesses), accesses[0])


def figure(settings: Settings, sources: Sources | None = None, chosen: warp.Shown | None = None) -> Figure:
    """chosen: the access; at first that of `tiled`. sources: not asked, nothing here is measured."""
    chosen = chosen or warp.shown(Rung.TILED, settings, first(warp.accesses(Rung.TILED, settings)))
    lanes, summary = warp.records(chosen), warp.summary(chosen)
    kernel = chosen.rung if chosen.kernel == chosen.rung.algorithm else f"{chosen.rung} {chosen.kernel}"
    widened = " · shared memory holds float32" if summary["shared"] and settings.problem.element_bytes != WORD else ""
    conditions = f"{kernel}, {chosen.access.cell} · {settings.caption}{widened}"
    title, total = warp_claim(summary), summary["measures"]
    return Figure(
        "warp", title, conditions, "predicted, one warp access", settings, lambda look: chart.warp(lanes, summary, look, conditions), lanes,
        note=f"{title}. A warp's lanes ask together, and memory answers in whole units: that is all there is to coalescing and to banks.",
        alt=f"{summary['lanes']} lanes of a warp above the {'banks of shared memory' if summary['shared'] else 'sectors of HBM'} that they "
            f"name, at N = {settings.n:,}. {title}. " + "; ".join(f"{each['measure']}: {each['bytes']:,} bytes" for each in total) + ".")
