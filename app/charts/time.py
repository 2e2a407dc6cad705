"""Milliseconds against sequence length, from runs on a GPU, beside the least that three ideal kernels would need."""
import math

import plotly.graph_objects as go

from app.charts.claims import time_claim
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, Look
from traffic_model.units import milliseconds, sequence_length


def time(records: list[dict], floor: dict[int, float], copy_gb_per_s: float | None, n: int, look: Look, conditions: str) -> go.Figure:
    """records: timed records (see app/records.py); floor: the unfused floor's ms by N; n: the sidebar's length."""
    series = by_algorithm(records)
    sources = "; ".join(sorted({r["source"] for r in records}))
    nearest = nearest_length(records, n)
    chart = Chart(look, time_claim(medians(series), floor, nearest), conditions, "sequence length N",
                  f"timed: median, whiskers 10–90 %; {sources}")
    _axes(chart, records, floor)
    if floor:
        chart.line(floor, "model", DASH, 1 / 8)
    chart.upright(nearest, "muted", FINE)
    for algorithm, points in series.items():
        times = {x: r["median_ms"] for x, r in points.items()}
        chart.dots(times, algorithm, [_hover(r) for r in points.values()], lines=True,
                   whiskers={x: (r["p10_ms"], r["p90_ms"]) for x, r in points.items()})
    _labels(chart, series, floor, copy_gb_per_s)
    return chart.figure()


def by_algorithm(records: list[dict]) -> dict[str, dict[int, dict]]:
    """{algorithm: {n: record}}."""
    return {a: {r["n"]: r for r in records if r["algorithm"] == a} for a in dict.fromkeys(r["algorithm"] for r in records)}


def medians(series: dict[str, dict[int, dict]]) -> dict[str, dict[int, float]]:
    return {algorithm: {n: r["median_ms"] for n, r in points.items()} for algorithm, points in series.items()}


def nearest_length(records: list[dict], n: int) -> int:
    """The length nearest to n on a log scale at which the most algorithms were timed."""
    counts = {}
    for r in records:
        counts[r["n"]] = counts.get(r["n"], 0) + 1
    common = [m for m, count in counts.items() if count == max(counts.values())]
    return min(common, key=lambda m: abs(math.log(m / n)))


def _axes(chart: Chart, records: list[dict], floor: dict[int, float]) -> None:
    lengths = [r["n"] for r in records]
    ms = [*floor.values(), *(r[p] for r in records for p in ("p10_ms", "p90_ms"))]
    first, last = math.floor(math.log2(min(lengths))), math.ceil(math.log2(max(lengths)))
    chart.log_axis("x", min(lengths) * .8, max(lengths) * 1.25, {2**k: sequence_length(2**k) for k in range(first, last + 1)})
    low, high = min(ms) / 3, max(ms) * 3
    decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    chart.log_axis("y", low, high, {10.0**k: _tick(k) for k in decades})


def _tick(k: int) -> str:
    """10^k milliseconds: 10 µs, 100 ms, 1 s."""
    power = k + 3
    return f"{10 ** (power % 3)} {('µs', 'ms', 's')[power // 3]}" if power >= 0 else f"{10.0 ** power:g} µs"


def _labels(chart: Chart, series: dict, floor: dict[int, float], copy_gb_per_s: float | None) -> None:
    ends = {}
    for algorithm, points in series.items():
        x, last = [*points.items()][-1]
        ends[algorithm] = (x, last["median_ms"], f"<b>{algorithm}</b><br>{milliseconds(last['median_ms'])} at {sequence_length(x)}")
    if floor:
        x, y = [*floor.items()][-1]
        ends["model"] = (x, y, f"<b>unfused floor</b><br>three kernels' compulsory<br>bytes ÷ {copy_gb_per_s / 1000:.3g} TB/s copied")
    for (role, (x, y, text)), dy in zip(ends.items(), chart.spread([y for _, y, _ in ends.values()], gap=3.4)):
        chart.note(x, y, text, role, .7, dy)


def _hover(r: dict) -> str:
    return (f"{r['algorithm']}, timed<br>N = {r['n']:,}: median {milliseconds(r['median_ms'])} of {r['samples']} samples<br>"
            f"10–90 %: {milliseconds(r['p10_ms'])} to {milliseconds(r['p90_ms'])}<br>{r['source']}")
