"""Memory against sequence length: three kernels keep S and P whole, which no other array matches for long."""
import math

from app.charts.claims import TIE
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, Look
from traffic_model.units import decimal_bytes, decimal_tick, percent, ratio, sequence_length


def held(curve: list[dict], here: list[dict], ends: dict[str, int], memory: float, look: Look, conditions: str) -> dict:
    """curve, here: records of memory (see app/records.py); ends: the longest N that fits, by algorithm; memory: the GPU's bytes."""
    n = here[0]["n"]
    chart = Chart(look, held_claim(here, memory, n), conditions, "bytes held in GPU memory", "sequence length N",
                  "predicted; fused keeps Q, K, V and O, naive S and P too")
    lines = {a: {r["n"]: r["bytes"] for r in curve if r["algorithm"] == a} for a in ends}
    _axes(chart, lines, memory)
    low, high = (10**v for v in chart.axes["x"]["range"])
    chart.line({low: memory, high: memory}, "ink", DASH, 1 / 12)
    chart.note(low, memory, f"<b>{decimal_bytes(memory)}</b> of memory", "ink", .4, .8, ground=chart.p["ground"])
    chart.upright(n, "muted", FINE)
    for algorithm, points in lines.items():
        chart.line(points, algorithm)
        if low < ends[algorithm] < high:
            chart.dots({ends[algorithm]: memory}, algorithm, [f"{algorithm} fits up to N = {ends[algorithm]:,}"], symbol="x")
            chart.note(ends[algorithm], memory, f"<b>{algorithm}</b> fits to {ends[algorithm]:,}", algorithm, .8, -.9,
                       ground=chart.p["ground"])
    shifts = chart.spread([(points[max(points)], 1.4) for points in lines.values()])
    for (algorithm, points), dy in zip(lines.items(), shifts):
        chart.note(max(points), points[max(points)], f"<b>{algorithm}</b> {decimal_bytes(points[max(points)])}", algorithm, .6, dy)
    chart.rings([(n, r["bytes"], r["algorithm"]) for r in here], [_hover(r) for r in here])
    for r in here:
        above = r["algorithm"] == "naive"
        chart.note(n, r["bytes"], decimal_bytes(r["bytes"]), r["algorithm"], -.8 if above else .8, .8 if above else -.9,
                   "right" if above else "left", ground=chart.p["ground"])
    return chart.described()


def held_claim(here: list[dict], memory: float, n: int) -> str:
    """The title. here: records at n."""
    naive, fused = (next(r for r in here if r["algorithm"] == algorithm) for algorithm in ("naive", "fused"))
    if fused["bytes"] > memory:
        return f"At N = {n:,} neither order fits into {decimal_bytes(memory)}"
    if naive["bytes"] > memory:
        return f"At N = {n:,} naive needs {ratio(naive['bytes'] / memory)} the GPU's memory, fused {percent(fused['bytes'] / memory)} of it"
    if naive["bytes"] > fused["bytes"] * (1 + TIE):
        return f"At N = {n:,} naive holds {ratio(naive['bytes'] / fused['bytes'])} the bytes of fused, and grows as N²"
    return f"At N = {n:,} S and P are not what fills the memory"


def _hover(r: dict) -> str:
    return f"{r['algorithm']}, N = {r['n']:,}: {decimal_bytes(r['bytes'])}, of which S and P {decimal_bytes(r['matrix_bytes'])}"


def _axes(chart: Chart, lines: dict, memory: float) -> None:
    """Over the whole prediction, so they stand still while N moves."""
    lengths = list(lines["fused"])
    chart.log_axis("x", lengths[0] * .87, lengths[-1] * 1.06, {4**k: sequence_length(4**k) for k in range(4, 10)})
    low, high = min(map(min, (v.values() for v in lines.values()))), max(memory, *map(max, (v.values() for v in lines.values())))
    decades = range(math.ceil(math.log10(low / 3)), math.floor(math.log10(high * 2)) + 1, 2)
    chart.log_axis("y", low / 3, high * 4, {10**k: decimal_tick(k) for k in decades})
