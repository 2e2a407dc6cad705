"""Bytes against sequence length: compulsory bytes grow as N, requested bytes as N²/Br, and three kernels pay N² either way."""
import math

from app.charts.bars import bars
from app.charts.claims import traffic_claim
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, MIXED, SOLID, Look
from app.records import sources, totals
from traffic_model.units import decimal_bytes, decimal_tick, sequence_length

SERIES = {  # (algorithm, measure): how a line is drawn, what it is called, what it grows as
    ("naive", "requested"): (DASH, "naive, requested", "N²"),
    ("naive", "compulsory"): (SOLID, "naive, compulsory", "N²"),
    ("fused", "requested"): (DASH, "fused, requested", "N²/Br"),
    ("fused", "compulsory"): (SOLID, "fused, compulsory", "N"),
}
SLOPE_FROM = 1024  # the fit leaves out short sequences, where the terms in N still show


def traffic(curve: list[dict], here: list[dict], counted: list[dict], memory: tuple[float, str], dram: list[dict], leaves: float | None,
            look: Look, conditions: str) -> dict:
    """curve, here, counted: records of bytes (see app/records.py): the lines, the cells at the current N, and the runs.

    memory: the N beyond which S and P do not fit the GPU's memory, and that memory in words. dram: modelled bytes of fused; leaves: the
    N from which they rise above the compulsory ones (see app/dram.py). An empty dram draws nothing of it.
    """
    lines, now, runs = totals(curve), totals(here), totals(counted)  # of HBM
    crossing = totals(dram, "dram").get(("fused", "dram", "modelled"), {})
    n = here[0]["n"]
    chart = Chart(look, traffic_claim(now, n), conditions, "HBM bytes", "sequence length N", provenance(counted))
    _axes(chart, lines)
    _memory_edge(chart, *memory)
    unserved = {m: max(must, crossing.get(m, 0)) for m, must in lines["fused", "compulsory", "predicted"].items()}
    chart.between(unserved, lines["fused", "requested", "predicted"], "fused", opacity=.12)
    chart.upright(n, "muted", FINE, now["naive", "requested", "predicted"][n])
    for (algorithm, measure), (dash, *_) in SERIES.items():
        _line(chart, lines[algorithm, measure, "predicted"], algorithm, dash, memory[0] if algorithm == "naive" else math.inf)
    if crossing:
        chart.line(crossing, "fused", MIXED, 1 / 8, hover=[f"fused, DRAM, modelled<br>{_amount(m, b)}" for m, b in crossing.items()])
    _line_labels(chart, lines, crossing)
    _re_reads_label(chart, lines, crossing, (n, memory[0]))
    if leaves:
        _leaves_label(chart, crossing, leaves)
    for (algorithm, measure, _), points in runs.items():
        chart.dots(points, algorithm, [_hover(algorithm, measure, "counted", m, points[m]) for m in points])
    known = {(a, m): runs.get((a, m, "counted"), {}).get(n) for a, m in SERIES}
    chart.rings([(n, now[a, m, "predicted"][n], a) for a, m in SERIES],
                [_both(a, m, n, now[a, m, "predicted"][n], known[a, m]) for a, m in SERIES])
    if not look.hidden:
        bars(chart, here, n)
    return chart.described()


def provenance(counted: list[dict]) -> str:
    """The kinds of the numbers, and where those that ran come from."""
    return f"predicted, DRAM modelled; {f'counted: {sources(counted)}' if counted else 'nothing counted yet'}"


def fitted_slope(points: dict[int, int]) -> float:
    """Exponent k of bytes ∝ N^k: least squares on the logarithms, from N = 1,024."""
    xy = [(math.log(n), math.log(b)) for n, b in points.items() if n >= SLOPE_FROM]
    mean_x, mean_y = (sum(v) / len(xy) for v in zip(*xy))
    return sum((x - mean_x) * (y - mean_y) for x, y in xy) / sum((x - mean_x) ** 2 for x, _ in xy)


def _axes(chart: Chart, lines: dict) -> None:
    """Axes span the whole prediction, so they stand still while N moves."""
    lengths = list(lines["fused", "compulsory", "predicted"])
    low, high = min(min(v.values()) for v in lines.values()), max(max(v.values()) for v in lines.values())
    chart.log_axis("x", lengths[0] * .87, lengths[-1] * 1.06, {4**k: sequence_length(4**k) for k in range(4, 10)})
    decades = range(math.ceil(math.log10(low / 3)), math.floor(math.log10(high * 2)) + 1, 2)  # none at the very top
    chart.log_axis("y", low / 3, high * 4, {10**k: decimal_tick(k) for k in decades})


def _line(chart: Chart, points: dict, role: str, dash: str, fits: float) -> None:
    """A line, faint beyond the N that fits the memory: predicted still, but no longer possible to run there."""
    edge = {fits: _between(points, fits)} if min(points) < fits < max(points) else {}
    chart.line({n: b for n, b in points.items() if n <= fits} | edge, role, dash)
    if max(points) > fits:
        chart.line(edge | {n: b for n, b in points.items() if n > fits}, role, dash, opacity=.4)


def _between(points: dict[int, int], n: float) -> float:
    """The straight line between the two points around n, on logarithmic axes."""
    low, high = max(m for m in points if m <= n), min(m for m in points if m >= n)
    if low == high:
        return points[low]
    share = math.log(n / low) / math.log(high / low)
    return points[low] ** (1 - share) * points[high] ** share


def _line_labels(chart: Chart, lines: dict, crossing: dict) -> None:
    grows = lambda points, growth: "" if chart.look.hidden else f"<br>∝ {growth}, slope {fitted_slope(points):.2f}"
    predicted = {key: lines[*key, "predicted"] for key in SERIES}
    labels = [(predicted[key], key[0], name, grows(predicted[key], growth)) for key, (_, name, growth) in SERIES.items()]
    labels += [(crossing, "fused", "fused, DRAM", "<br>modelled, L2 cold")] * bool(crossing)
    ends = [[*points.items()][-1] for points, *_ in labels]
    for (_, role, name, below), (x, y), dy in zip(labels, ends, chart.spread([(y, 2.75) for _, y in ends])):
        chart.note(x, y, f"<b>{name}</b>{below}", role, .6, dy)


def _leaves_label(chart: Chart, crossing: dict, leaves: float) -> None:
    """Where DRAM rises above what is compulsory, named below the line where nothing else is."""
    y = _between(crossing, leaves)
    chart.dots({leaves: y}, "fused", [f"From N = {leaves:,.0f} on, L2 loses K and V before the next blocks want them"], hollow=True)
    room = chart.distance("x", leaves, max(crossing)) > 6  # em, to the right
    chart.note(leaves, y, "K and V<br>leave L2", "fused", .6 if room else -.6, -1.8, "left" if room else "right",
               ground=chart.p["ground"])


def _memory_edge(chart: Chart, fits: float, memory: str) -> None:
    """The N beyond which the three kernels' S and P do not fit, named above the plot where nothing else is."""
    chart.upright(fits, "naive", FINE)
    beside = "center" if chart.distance("x", fits, 10 ** chart.axes["x"]["range"][0]) > 8 else "left"  # not on the axis's own title
    chart.paper(math.log10(fits), 1, f"S and P outgrow {memory}", 0, .8, beside, "naive", xref="x")


def _re_reads_label(chart: Chart, lines: dict, crossing: dict, uprights: tuple[float, float]) -> None:
    """In the middle of what is requested and does not cross to DRAM, where it has most room to the lines above and below and to the
    upright lines at these N."""
    must, high = (lambda x, m=measure: _between(lines["fused", m, "predicted"], x) for measure in ("compulsory", "requested"))
    low = lambda x: max(must(x), _between(crossing, x)) if crossing else must(x)
    lengths = lines["fused", "compulsory", "predicted"]
    half = 3.3  # em, of the text's width
    end = 10 ** (half / chart.distance("x", 1, 10))
    floor = lambda x: low(min(x * end, max(lengths)))  # of the lines below and above, what comes nearest to the text
    roof = lambda x: high(max(x / end, min(lengths)))
    beside = lambda x: min(chart.distance("x", x, upright) for upright in (*uprights, max(lengths))) - half
    above = lambda x: (chart.distance("y", floor(x), roof(x)) - 3.2) / 2 if floor(x) < roof(x) else -1  # two lines of text
    x = max((2 ** (k / 4) for k in range(44, 73)), key=lambda x: min(beside(x), above(x)))
    if above(x) > 0:  # else there is no room, on a GPU whose caches serve little
        chart.note(x, math.sqrt(floor(x) * roof(x)), "re-reads that<br>caches serve", "fused", 0, 0, "center")


def _hover(algorithm: str, measure: str, kind: str, n: int, value: int) -> str:
    return f"{SERIES[algorithm, measure][1]}, {kind}<br>{_amount(n, value)}"


def _both(algorithm: str, measure: str, n: int, predicted: int, counted: int | None) -> str:
    """What the ring says, which covers the marker of a run."""
    kind = "predicted and counted" if predicted == counted else "predicted"
    other = "" if counted in (None, predicted) else f"<br>counted: {_amount(n, counted)}"
    return _hover(algorithm, measure, kind, n, predicted) + other


def _amount(n: int, value: int) -> str:
    return f"N = {n:,}: {decimal_bytes(value)} ({value:,} B)"
