"""Milliseconds against sequence length, from runs on a GPU, beside the least that three ideal kernels would need."""
import math
from collections import Counter
from collections.abc import Sequence

import plotly.graph_objects as go

from app.charts.claims import time_claim
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, Look
from app.charts.time_model import draw_model
from app.records import sources
from traffic_model.units import decimal_bytes, milliseconds, sequence_length


def time(records: list[dict], too_large: list[dict], floor: dict[int, float], copy_gb_per_s: float | None, n: int, look: Look,
         conditions: str, model: Sequence[dict] = ()) -> go.Figure:
    """records: timed, too_large: out of memory (see app/records.py); floor: the unfused floor's ms by N; n: the sidebar's length;
    model: predicted times to draw beside them (see app/modelled.py)."""
    series, live = (_by_algorithm(records, when) for when in ("recorded", "live"))
    chart = Chart(look, claim(records, floor, n), conditions, "device time", "sequence length N",
                  f"timed: median, whiskers 10–90 %; {sources(records)}")
    time_axes(chart, [r["n"] for r in records + too_large], [*floor.values(), *(r["ms"] for r in model), *_whiskers(records)],
              30 * 4 ** (len(rows) - 1) if (rows := {r["algorithm"] for r in too_large}) else 3)  # room for rows of crosses
    if floor:
        chart.line(floor, "model", DASH, 1 / 8)
    chart.upright(nearest_length(records, n), "muted", FINE)
    for algorithm, points in series.items():
        times = {x: r["median_ms"] for x, r in points.items()}
        chart.dots(times, algorithm, [_hover(r) for r in points.values()], lines=True,
                   whiskers={x: (r["p10_ms"], r["p90_ms"]) for x, r in points.items()})
    for algorithm, points in live.items():
        times = {x: r["median_ms"] for x, r in points.items()}
        chart.dots(times, algorithm, [_hover(r) for r in points.values()], hollow=True)
    _crosses(chart, too_large)
    if model:
        draw_model(chart, model, nearest_length(records, n))
    _values(chart, series, floor, nearest_length(records, n))
    _labels(chart, series, floor, copy_gb_per_s)
    return chart.figure()


def claim(records: list[dict], floor: dict[int, float], n: int) -> str:
    """The title, at the recorded length nearest to n."""
    series = _by_algorithm(records, "recorded")
    medians = {algorithm: {m: r["median_ms"] for m, r in points.items()} for algorithm, points in series.items()}
    return time_claim(medians, floor, nearest_length(records, n))


def _by_algorithm(records: list[dict], when: str) -> dict[str, dict[int, dict]]:
    """{algorithm: {n: record}}."""
    series = {}
    for r in records:
        if r["when"] == when:
            series.setdefault(r["algorithm"], {})[r["n"]] = r
    return series


def nearest_length(records: list[dict], n: int) -> int:
    """Of the recorded lengths at which the most algorithms were timed, the one nearest to n on a log scale."""
    counts = Counter(m for points in _by_algorithm(records, "recorded").values() for m in points)
    return min((m for m in counts if counts[m] == max(counts.values())), key=lambda m: abs(math.log(m / n)))


def time_axes(chart: Chart, lengths: list[int], ms: list[float], room: float) -> None:
    """From everything that is drawn at any N, so they stand still while N moves; room: a factor above the longest time."""
    first, last = math.floor(math.log2(min(lengths))), math.ceil(math.log2(max(lengths)))
    chart.log_axis("x", min(lengths) * .55, max(lengths) * 1.25, {2**k: sequence_length(2**k) for k in range(first, last + 1)})
    low, high = min(ms) / 5, max(ms) * room
    decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    chart.log_axis("y", low, high, {10.0**k: _tick(k) for k in decades})


def _whiskers(records: list[dict]) -> list[float]:
    return [r[p] for r in records for p in ("p10_ms", "p90_ms")]


def _crosses(chart: Chart, too_large: list[dict]) -> None:
    """A row at the top for each algorithm: × at every N that does not fit into the memory."""
    rows = {}
    for r in too_large:
        rows.setdefault(r["algorithm"], {})[r["n"]] = r
    for row, (algorithm, marks) in enumerate(rows.items()):
        y = chart.below_top(.5 + 1.4 * row)
        hover = [f"{algorithm}, N = {n:,}: out of memory, needs {decimal_bytes(r['needed_bytes'])}<br>{r['source']}"
                 for n, r in marks.items()]
        chart.dots(dict.fromkeys(marks, y), algorithm, hover, symbol="x")
        chart.note(min(marks), y, f"<b>{algorithm}</b> out of memory", algorithm, -.8, 0, "right")


def _tick(k: int) -> str:
    """10^k milliseconds: 10 µs, 100 ms, 1 s."""
    power = k + 3
    return f"{10 ** (power % 3)} {('µs', 'ms', 's')[power // 3]}" if power >= 0 else f"{10.0 ** power:g} µs"


def _values(chart: Chart, series: dict, floor: dict[int, float], n: int) -> None:
    """The milliseconds at n: above the timed lines, below the floor, where rising lines leave room. A line that ends at n has its label."""
    medians = {algorithm: points[n]["median_ms"] for algorithm, points in series.items() if n in points and n < max(points)}
    at_the_left = n == min(m for points in series.values() for m in points)  # where tick labels are in the way
    for (algorithm, ms), dy in zip(medians.items(), chart.spread([(ms, 1.4) for ms in medians.values()])):
        place = (.5, dy - .8, "left") if at_the_left else (-.5, dy + .6, "right")
        chart.note(n, ms, f"<b>{milliseconds(ms)}</b>", algorithm, *place, ground=chart.p["ground"])
    if n in floor and n < max(floor):  # at its end the floor's name is there
        chart.note(n, floor[n], milliseconds(floor[n]), "model", .5, -.7)


def _labels(chart: Chart, series: dict, floor: dict[int, float], copy_gb_per_s: float | None) -> None:
    """At the end of each line: in the margin for those that reach the last N, above the others."""
    last_n, ends = max(m for points in series.values() for m in points), {}
    for algorithm, points in series.items():
        x, ms = max(points), points[max(points)]["median_ms"]
        if x == last_n:
            ends[algorithm] = (x, ms, f"<b>{algorithm}</b> {milliseconds(ms)}")
        else:
            chart.note(x, ms, f"<b>{algorithm}</b> {milliseconds(ms)}", algorithm, .3, 1.1, "right")
    if floor:
        x, y = [*floor.items()][-1]
        ends["model"] = (x, y, f"<b>unfused floor</b><br>three kernels' compulsory<br>bytes ÷ {copy_gb_per_s / 1000:.3g} TB/s copied")
    shifts = chart.spread([(y, .1 + 1.32 * (1 + text.count("<br>"))) for _, y, text in ends.values()])
    for (role, (x, y, text)), dy in zip(ends.items(), shifts):
        chart.note(x, y, text, role, .7, dy)


def _hover(r: dict) -> str:
    return (f"{r['algorithm']}, timed<br>N = {r['n']:,}: median {milliseconds(r['median_ms'])} of {r['samples']} samples<br>"
            f"10–90 %: {milliseconds(r['p10_ms'])} to {milliseconds(r['p90_ms'])}<br>{r['source']}")
