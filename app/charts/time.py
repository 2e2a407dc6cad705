"""Milliseconds against sequence length, from runs on a GPU, beside the least that three ideal kernels would need."""
import math
from collections import Counter
from collections.abc import Sequence

from app.charts import hover
from app.charts.claims import nearest_words, time_claim
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, LIBRARY, SOLID, Look, role
from app.charts.time_gpus import Beside, draw_gpus, ends, lines_of
from app.charts.time_labels import crosses, labels, placer_of, values, whose
from app.charts.time_model import draw_model
from app.records import sources
from traffic_model.units import sequence_length


def time(records: list[dict], too_large: list[dict], floor: dict[int, float], copy_gb_per_s: float | None, n: int, look: Look,
         conditions: str, model: Sequence[dict] = (), beside: Beside = (), title: str | None = None) -> dict:
    """records: timed, too_large: out of memory (see app/records.py); floor: the unfused floor's ms by N; n: the sidebar's length;
    model: predicted times to draw beside them (see app/modelled.py); beside: other GPUs' times; title: another than `claim`."""
    series, live = (_by_algorithm(records, when) for when in ("recorded", "live"))
    timed = [*records, *(r for _, some in beside for r in some)]
    come_from = sources(timed)
    if not look.slide:  # a page names them above
        come_from = f"recorded on {1 + len(beside)} GPUs" if beside else whose(series) or come_from
    chart = Chart(look, title or claim(records, floor, n), conditions, "device time", "sequence length N",
                  f"timed: median, whiskers 10–90 %; {'; '.join(dict.fromkeys(filter(None, (whose(series), come_from))))}")
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
    placer = placer_of(chart, [*map(_medians, series.values()), *lines_of(beside)], floor)
    crosses(chart, placer, too_large)
    if model:
        draw_model(chart, placer, model, nearest_length(records, n))
    labels(chart, placer, series, floor, copy_gb_per_s, ends(beside, look.hidden))
    if not look.hidden:
        values(chart, placer, series, floor, nearest_length(records, n))
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
    counts = _timed_at(records)
    return min((m for m in counts if counts[m] == max(counts.values())), key=lambda m: abs(math.log(m / n)))


def said_length(records: list[dict], n: int) -> str:
    """Why the title is not of n, for the caption: N = 4,096 is the nearest length timed for all; empty where it is."""
    at, every = nearest_length(records, n), len(_by_algorithm(records, "recorded"))
    timed = _timed_at(records)[at]
    return nearest_words(at, n, f"for {'all' if timed == every else f'{timed} of {every}'}")


def _timed_at(records: list[dict]) -> Counter:
    """{n: how many algorithms were timed there}, of recorded times."""
    return Counter(m for points in _by_algorithm(records, "recorded").values() for m in points)


def time_axes(chart: Chart, lengths: list[int], ms: list[float], room: float) -> None:
    """From everything that is drawn at any N, so they stand still while N moves; room: a factor above the longest time."""
    first, last = math.floor(math.log2(min(lengths))), math.ceil(math.log2(max(lengths)))
    chart.log_axis("x", min(lengths) * .55, max(lengths) * 1.25, {2**k: sequence_length(2**k) for k in range(first, last + 1)})
    low, high = min(ms) / 5, max(ms) * room
    decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    chart.log_axis("y", low, high, {10.0**k: _tick(k) for k in decades})


def _whiskers(records: list[dict]) -> list[float]:
    return [r[p] for r in records for p in ("p10_ms", "p90_ms")]





def _tick(k: int) -> str:
    """10^k milliseconds: 10 µs, 100 ms, 1 s, 1,000 s."""
    power = k + 3
    unit = min(power // 3, 2)
    return f"{10 ** (power - 3 * unit):,} {('µs', 'ms', 's')[unit]}" if power >= 0 else f"{10.0 ** power:g} µs"




def _medians(points: dict[int, dict]) -> dict[int, float]:
    return {n: r["median_ms"] for n, r in points.items()}


def _dash(algorithm: str) -> str:
    return DASH if role(algorithm) == LIBRARY else SOLID
