"""Tiles: what the choice of query tile and key tile costs the fused kernel."""
from functools import partial

from app import tiles
from app.charts import tiles as chart
from app.figures.figure import Figure, Sources
from app.settings import Settings
from traffic_model.units import decimal_bytes, milliseconds, percent, ratio


def figure(settings: Settings, sources: Sources, view: str = chart.BYTES) -> Figure:
    """view: one of VIEWS of the chart. sources: not asked, nothing here is measured."""
    found = tiles.tiles(settings)
    title = chart.claim(found, view, settings)
    current = next(r for r in found if r.items() >= settings.tiling.record().items())
    legal = sum(r["legal"] for r in found)
    return Figure(
        f"tiles-{view.lower()}", title, settings.caption, "predicted, fused kernel", settings,
        lambda look: chart.tiles(found, view, settings, tiles.hiding_warps(settings), look, settings.caption), found,
        note=f"{title}. A larger query tile re-reads K and V less often and takes more shared memory.",
        alt=f"Grid of query tile by key tile at N = {settings.n:,}, {legal} of {len(found)} tilings legal. {settings.tiling} requests "
            f"{decimal_bytes(current['requested_bytes'])}, {ratio(current['ratio'])} what three ideal kernels move, is predicted to take "
            f"{milliseconds(current['ms'])} and to be resident with {percent(current['occupancy'])} of all warps.")


time, occupancy = (partial(figure, view=view) for view in (chart.TIME, chart.OCCUPANCY))
