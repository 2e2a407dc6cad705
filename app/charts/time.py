"""Milliseconds against sequence length, from runs on a GPU, beside the least that three ideal kernels would need."""
import math
from collections import Counter
from collections.abc import Sequence

from app.charts import hover
from app.charts.claims import time_claim
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, LIBRARY, NAMES, SOLID, Look, role
from app.charts.placing import LINE, Placer, size
from app.charts.time_gpus import Beside, draw_gpus, ends, lines_of
from app.charts.time_model import draw_model
from app.records import sources
from traffic_model.units import decimal_bytes, milliseconds, sequence_length

BESIDE = (90, 120, 60, 0, -30, -60, -90)  # degrees, for the name of a line that ends in the plot
REACH = 2.0  # em: a value further off would not be known as its point's; the table has it
MARGIN = 24  # letters that fit beside the plot


def time(records: list[dict], too_large: list[dict], floor: dict[int, float], copy_gb_per_s: float | None, n: int, look: Look,
         conditions: str, model: Sequence[dict] = (), beside: Beside = (), title: str | None = None) -> dict:
    """records: timed, too_large: out of memory (see app/records.py); floor: the unfused floor's ms by N; n: the sidebar's length;
    model: predicted times to draw beside them (see app/modelled.py); beside: other GPUs' times; title: another than `claim`."""
    series, live = (_by_algorithm(records, when) for when in ("recorded", "live"))
    timed = [*records, *(r for _, some in beside for r in some)]
    come_from = f"recorded on {1 + len(beside)} GPUs" if beside and not look.slide else sources(timed)  # a page names them above
    chart = Chart(look, title or claim(records, floor, n), conditions, "device time", "sequence length N",
                  f"timed: median, whiskers 10–90 %; {come_from}")
    time_axes(chart, [r["n"] for r in timed + too_large], [*floor.values(), *(r["ms"] for r in model), *_whiskers(timed)],
              30 * 4 ** (len(rows) - 1) if (rows := {r["algorithm"] for r in too_large}) else 3)  # room for rows of crosses
    if floor:
        chart.line(floor, "model", DASH, 1 / 8)
    chart.upright(nearest_length(records, n), "muted", FINE)
    draw_gpus(chart, beside)
    for algorithm, points in series.items():
        chart.dots(_medians(points), role(algorithm), hover.timed(points.values()), lines=True, dash=_dash(algorithm),
                   whiskers={x: (r["p10_ms"], r["p90_ms"]) for x, r in points.items()})
    for algorithm, points in live.items():
        chart.dots(_medians(points), role(algorithm), hover.timed(points.values()), hollow=True)
    placer = _drawn(chart, [*map(_medians, series.values()), *lines_of(beside)], floor)
    _crosses(chart, placer, too_large)
    if model:
        draw_model(chart, placer, model, nearest_length(records, n))
    _labels(chart, placer, series, floor, copy_gb_per_s, ends(beside, look.hidden))
    if not look.hidden:
        _values(chart, placer, series, floor, nearest_length(records, n))
    return chart.described()


def claim(records: list[dict], floor: dict[int, float], n: int) -> str:
    """The title, at the recorded length nearest to n."""
    series = _by_algorithm(records, "recorded")
    ours = {algorithm: points for algorithm, points in series.items() if role(algorithm) != LIBRARY}
    medians = {algorithm: _medians(points) for algorithm, points in (ours or series).items()}
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


def _crosses(chart: Chart, placer: Placer, too_large: list[dict]) -> None:
    """A row at the top for each algorithm: × at every N that does not fit into the memory."""
    rows = {}
    for r in too_large:
        rows.setdefault(r["algorithm"], {})[r["n"]] = r
    for row, (algorithm, marks) in enumerate(rows.items()):
        y = chart.below_top(.5 + 1.4 * row)
        hover = [f"{algorithm}, N = {n:,}: out of memory, needs {decimal_bytes(r['needed_bytes'])}<br>{r['source']}"
                 for n, r in marks.items()]
        chart.dots(dict.fromkeys(marks, y), algorithm, hover, symbol="x")
        text = f"<b>{algorithm}</b> out of memory"
        chart.note(min(marks), y, text, algorithm, -.8, 0, "right")
        left = chart.distance("x", min(marks), 10 ** chart.axes["x"]["range"][0]) - .8 - size(text)[0]
        placer.area(left, chart.look.plot["y"] - .5 - 1.4 * row - LINE / 2, text)


def _tick(k: int) -> str:
    """10^k milliseconds: 10 µs, 100 ms, 1 s, 1,000 s."""
    power = k + 3
    unit = min(power // 3, 2)
    return f"{10 ** (power - 3 * unit):,} {('µs', 'ms', 's')[unit]}" if power >= 0 else f"{10.0 ** power:g} µs"


def _drawn(chart: Chart, lines: list[dict[int, float]], floor: dict[int, float]) -> Placer:
    """Knows where lines and markers are, so that labels keep off them."""
    placer = Placer(chart)
    for points in (*lines, floor):
        placer.line(points)
    for points in lines:
        for x, ms in points.items():
            placer.point(x, ms)
    return placer


def _values(chart: Chart, placer: Placer, series: dict, floor: dict[int, float], n: int) -> None:
    """The milliseconds at n of the ladder and of the floor, whose lines they keep off. A line that ends at n has its label."""
    low, high = (10**value for value in chart.axes["y"]["range"])
    placer.line({n: low, n * (1 + 1e-9): high})
    at = {algorithm: points[n]["median_ms"] for algorithm, points in series.items() if n in points and n < max(points)}
    for algorithm, ms in at.items():
        if role(algorithm) != LIBRARY:
            placer.label([(n, ms)], f"<b>{milliseconds(ms)}</b>", role(algorithm), within=REACH)
    if n in floor and n < max(floor):  # at its end the floor's name is there
        placer.label([(n, floor[n])], milliseconds(floor[n]), "model", within=REACH)


def _labels(chart: Chart, placer: Placer, series: dict, floor: dict[int, float], copy_gb_per_s: float | None, more: list[tuple]) -> None:
    """At the end of each line: in the margin for those that reach the last N, beside their ends for the others. more: other GPUs' ends."""
    labels = []
    for algorithm, points in series.items():
        x, ms = max(points), points[max(points)]["median_ms"]
        value = "" if chart.look.hidden else f" {milliseconds(ms)}"
        name = NAMES.get(algorithm, algorithm)
        text = f"<b>{name if len(name + value) <= MARGIN else name.replace(' ', '<br>')}</b>{value}"
        labels.append((x, ms, text, role(algorithm)))
    labels += more
    if floor:
        x, y = [*floor.items()][-1]
        what = f"<br>three kernels' compulsory<br>bytes ÷ {copy_gb_per_s / 1000:.3g} TB/s copied"
        labels.append((x, y, f"<b>unfused floor</b>{'' if more else what}", "model"))  # beside other GPUs' ends there is no room
    last_n = max(x for x, *_ in labels)
    for x, y, text, its_role in labels:
        if x < last_n:
            placer.label([(x, y)], text, its_role, BESIDE)
    in_margin = [label for label in labels if label[0] == last_n]
    shifts = chart.spread([(y, .1 + 1.32 * (1 + text.count("<br>"))) for _, y, text, _ in in_margin])
    for (x, y, text, its_role), dy in zip(in_margin, shifts):
        chart.note(x, y, text, its_role, .7, dy)


def _medians(points: dict[int, dict]) -> dict[int, float]:
    return {n: r["median_ms"] for n, r in points.items()}


def _dash(algorithm: str) -> str:
    return DASH if role(algorithm) == LIBRARY else SOLID
