"""Query tile × key tile of the fused kernel: requested bytes, predicted time or occupancy, and which tilings are legal."""
import math

from app.charts.claims import tiles_bytes_claim, tiles_occupancy_claim, tiles_time_claim
from app.charts.colours import ink_on, mix
from app.charts.figure import Chart
from app.charts.frame import LETTER, LINE
from app.charts.look import FINE, Look
from app.settings import Settings
from traffic_model import TILE_SIZES
from traffic_model.io_complexity import tie_tile
from traffic_model.units import binary_bytes, decimal_bytes, milliseconds, percent

BYTES, TIME, OCCUPANCY = VIEWS = ("Bytes", "Time", "Occupancy")
PALEST = .2  # of a tile whose time counts, so that it is told from one whose does not
HALF_STEP, HALF = 2**.5, 2**.48  # tiles double from one to the next: the axes are logarithmic


def tiles(records: list[dict], view: str, settings: Settings, hiding: int, look: Look, conditions: str) -> dict:
    """records: see app/tiles.py; view: one of VIEWS; hiding: the warps that hide latency."""
    heading = {BYTES: "fused requested ÷ three-kernel compulsory bytes", TIME: "predicted time, and what binds",
               OCCUPANCY: "resident warps, and what stops the next block"}[view]
    limit = binary_bytes(settings.gpu.shared_limit_bytes)
    chart = Chart(look, claim(records, view, settings), conditions, f"query tile Br ↑   {heading}", "key tile Bc →",
                  f"frame: current   hatched: over {limit} of shared memory")
    for name in "xy":
        chart.log_axis(name, TILE_SIZES[0] / HALF_STEP, TILE_SIZES[-1] * HALF_STEP, {size: str(size) for size in TILE_SIZES})
        chart.axes[name] |= dict(showgrid=False, showline=False, ticks="")
    legal = [r for r in records if r["legal"]]
    for r in records:
        if r["legal"]:
            fill, text = _filled(chart, r, view, legal)
            chart.cell(*_sides(r), fill, _hover(r))
            chart.note(r["block_k"], r["block_q"], text, dx=0, xanchor="center", color=ink_on(fill), ground=fill)
        else:
            chart.cell(*_sides(r), chart.p["line"], f"{r['block_q']}×{r['block_k']} needs {binary_bytes(r['shared_bytes'])}", hatched=True)
            chart.note(r["block_k"], r["block_q"], binary_bytes(r["shared_bytes"]), xanchor="center", ground=chart.p["ground"])
    chart.frame(*_sides(settings.tiling.record()), "ink")
    {BYTES: _bytes_margin, TIME: _time_margin, OCCUPANCY: _occupancy_margin}[view](chart, settings, hiding)
    return chart.described()


def claim(records: list[dict], view: str, settings: Settings) -> str:
    """The title."""
    current = next(r for r in records if (r["block_q"], r["block_k"]) == (settings.tiling.block_q, settings.tiling.block_k))
    legal = [r for r in records if r["legal"]]
    if view == BYTES:
        return tiles_bytes_claim([(r["block_q"], r["ratio"]) for r in legal])
    return {TIME: tiles_time_claim, OCCUPANCY: tiles_occupancy_claim}[view](current, legal)


def _sides(r: dict) -> tuple[tuple[float, float], tuple[float, float]]:
    return tuple((r[side] / HALF, r[side] * HALF) for side in ("block_k", "block_q"))


def _filled(chart: Chart, r: dict, view: str, legal: list[dict]) -> tuple[str, str]:
    """A tile's colour and text. Bytes: towards naive's colour where fused requests more than three kernels move, four times at most."""
    panel, fused = chart.p["panel"], chart.p["fused"]
    if view == BYTES:
        octaves, below = math.log2(r["ratio"]) / 2, decimal_bytes(r["requested_bytes"])
        fill, text = mix(panel, chart.p["naive"] if octaves > 0 else fused, abs(octaves)), _times(r["ratio"])
    elif view == TIME:
        fastest = min((each["ms"] for each in legal if each["hidden"]), default=math.inf)
        fill = mix(panel, fused, max(PALEST, 1 - math.log2(r["ms"] / fastest))) if r["hidden"] else panel
        text, below = milliseconds(r["ms"]), r["binds"] if r["hidden"] else f"{r['warps']} warps"
    else:
        fill = mix(panel, fused, r["occupancy"] / max(each["occupancy"] for each in legal))
        text, below = percent(r["occupancy"]), r["limits"].replace(" and ", "<br>").replace("shared memory", "shared")
    wide, tall = (chart.look.plot[side] / len(TILE_SIZES) for side in "xy")
    lines = below.split("<br>")
    fits = LINE * (1 + len(lines)) < tall and max(map(len, lines)) * LETTER < wide
    return fill, f"<b>{text}</b><br>{below}" if fits else f"<b>{text}</b>"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}×"


def _bytes_margin(chart: Chart, settings: Settings, hiding: int) -> None:
    """What the colours mean, above and below the tie."""
    tie, edge = tie_tile("fused", settings.problem), TILE_SIZES[-1] * HALF_STEP
    low, high = (10**v for v in chart.axes["y"]["range"])
    if low < tie < high:
        chart.line({TILE_SIZES[0] / HALF_STEP: tie, edge: tie}, "ink", FINE, 1 / 12)
        chart.note(edge, tie, f"<b>Br = d/2 = {tie:g}</b>: a tie<br>for long sequences", "ink", .6, 0)
    at = max(low * HALF_STEP, min(high / HALF_STEP, tie))
    if at * 4 < high:
        chart.note(edge, at * 4, "<b>requests less</b><br>than three ideal<br>kernels move", "fused", .6, 0)
    if at / 2 > low:
        chart.note(edge, max(at / 4, low * HALF_STEP), "<b>requests more</b><br>than they move", "naive", .6, 0)


def _time_margin(chart: Chart, settings: Settings, hiding: int) -> None:
    edge = TILE_SIZES[-1] * HALF_STEP
    chart.note(edge, 128, "<b>the bluer, the faster</b><br>named: the part of<br>the GPU that binds", "fused", .6, 0)
    chart.note(edge, 32, f"<b>grey: under {hiding} warps</b><br>latency shows, and<br>time will be longer", "muted", .6, 0)


def _occupancy_margin(chart: Chart, settings: Settings, hiding: int) -> None:
    text = f"<b>of {settings.gpu.warps_per_multiprocessor} warps</b><br>a multiprocessor<br>could hold; at least,<br>by launch bounds"
    chart.note(TILE_SIZES[-1] * HALF_STEP, 64, text, "muted", .6, 0)


def _hover(r: dict) -> str:
    return (f"{r['block_q']}×{r['block_k']} tiles, predicted<br>requests {decimal_bytes(r['requested_bytes'])}, {_times(r['ratio'])} what "
            f"three ideal kernels move<br>{milliseconds(r['ms'])}, bound by {r['binds']}<br>{r['warps']} resident warps, "
            f"{percent(r['occupancy'])}: {r['limits']} in the way of more<br>{binary_bytes(r['shared_bytes'])} of shared memory")
