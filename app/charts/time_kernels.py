"""Milliseconds of each kernel against sequence length: where an unfused order spends its time."""
import math

from app.charts import hover
from app.charts.figure import Chart
from app.charts.look import DASH, FINE, SOLID, Look
from app.charts.time import nearest_length, time_axes
from app.records import sources
from traffic_model.units import milliseconds, percent

DASHES = dict(scores=SOLID, softmax=FINE, output=DASH)  # a kernel that is the whole algorithm is solid too
UPRIGHT = 1.3  # em: a line of text


def time_kernels(records: list[dict], n: int, look: Look, conditions: str) -> dict:
    """records: see timed_kernels of app/records.py; n: the sidebar's length."""
    at = nearest_length(records, n)
    chart = Chart(look, kernels_claim(records, n), conditions, "device time of each kernel", "sequence length N",
                  f"timed: median, whiskers 10–90 %; {sources(records)}")
    time_axes(chart, [r["n"] for r in records], [r[p] for r in records for p in ("p10_ms", "p90_ms")], 3)
    chart.upright(at, "muted", FINE)
    ends = {}
    for (algorithm, kernel), line in _lines(records).items():
        points = {r["n"]: r["median_ms"] for r in line}
        chart.line(points, algorithm, DASHES.get(kernel, SOLID))
        chart.dots(points, algorithm, hover.timed(line), whiskers={r["n"]: (r["p10_ms"], r["p90_ms"]) for r in line}, scale=.8)
        ends[algorithm, kernel] = list(points.items())[-1]
    value = lambda ms: "" if look.hidden else f" {milliseconds(ms)}"
    for ((algorithm, kernel), (_, ms)), dy in zip(ends.items(), chart.spread([(ms, UPRIGHT) for _, ms in ends.values()])):
        name = f"<b>{algorithm}</b>" if kernel == algorithm else f"{algorithm}, {kernel}"
        chart.paper(1, math.log10(ms), name + value(ms), .4, dy, role=algorithm, yref="y")  # in the margin, wherever it ends
    return chart.described()


def kernels_claim(records: list[dict], n: int) -> str:
    """The title, at the recorded length nearest to n: the slowest kernel of the unfused orders, and its share."""
    at = nearest_length(records, n)
    there = [r for r in records if r["n"] == at]
    unfused = [r for r in there if r["kernel"] != r["algorithm"]]
    if not unfused:
        return f"At N = {at:,} only fused was timed"
    slowest = max(unfused, key=lambda r: r["median_ms"])
    whole = sum(r["median_ms"] for r in there if r["algorithm"] == slowest["algorithm"])
    return f"At N = {at:,} {slowest['algorithm']} spends {percent(slowest['median_ms'] / whole)} of its time in {slowest['kernel']}"


def _lines(records: list[dict]) -> dict[tuple[str, str], list[dict]]:
    """{(algorithm, kernel): its records by rising N}, of recorded runs."""
    lines = {}
    for r in records:
        if r["when"] == "recorded":
            lines.setdefault((r["algorithm"], r["kernel"]), []).append(r)
    return lines
