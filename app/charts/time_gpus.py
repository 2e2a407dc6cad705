"""Other GPUs on the Time chart: lines in their rungs' colours, a dash and a name for each GPU; and the claim across GPUs."""
import math
from collections.abc import Sequence

from app.charts import hover
from app.charts.claims import TIE, nearest_words
from app.charts.figure import Chart
from app.charts.look import MIXED, NAMES, role
from traffic_model.units import milliseconds, ratio

DASHES = {MIXED: "dash-dotted", "longdash": "long-dashed", "longdashdot": "long-dash-dotted"}  # one for each further GPU
MOST = len(DASHES)  # beside the one whose lines are solid
SHORT = 9  # letters: of a GPU's name the chart keeps the whole words that they hold
Beside = Sequence[tuple[str, list[dict]]]  # (GPU, its timed records), of the same problem and tiling


def draw_gpus(chart: Chart, beside: Beside) -> None:
    for (gpu, records), dash in zip(beside, DASHES):
        for algorithm, points in _lines(records).items():
            medians, whiskers = ({n: value(r) for n, r in points.items()} for value in (_median, lambda r: (r["p10_ms"], r["p90_ms"])))
            chart.dots(medians, role(algorithm), hover.timed(points.values(), f" on {gpu}"), lines=True, dash=dash, scale=.8,
                       whiskers=whiskers)


def lines_of(beside: Beside) -> list[dict[int, float]]:
    """{n: ms} of each line, for labels to keep off."""
    return [{n: _median(r) for n, r in points.items()} for _, records in beside for points in _lines(records).values()]


def ends(beside: Beside, hidden: bool) -> list[tuple[int, float, str, str]]:
    """(n, ms, text, role): each GPU is named once, where its lines reach furthest, at the fastest of them. hidden: without the value."""
    found = []
    for gpu, records in beside:
        last = min(records, key=lambda r: (-r["n"], _median(r)))
        value = "" if hidden else f" {milliseconds(_median(last))}"
        found.append((last["n"], _median(last), f"<b>{short(gpu)}</b>{value}", role(last["algorithm"])))
    return found


def conditions(gpu: str, beside: Beside, crosses: bool) -> str:
    """H200 SXM solid and ×, A100 SXM4 40GB dash-dotted"""
    own = f"{gpu} solid" + " and ×" * crosses
    return ", ".join([own, *(f"{other} {word}" for (other, _), word in zip(beside, DASHES.values()))])


def gpus_claim(gpu: str, records: list[dict], beside: Beside, n: int) -> str | None:
    """The title: the fastest algorithm that every GPU was timed with, at the common length nearest to n. None if they share no point."""
    every = _points(records, beside)
    at = common_length(records, beside, n)
    if at is None:
        return None
    algorithm = min((name for name, m in set.intersection(*map(set, every)) if m == at), key=lambda name: every[0][name, at])
    here, *others = (times[algorithm, at] for times in every)
    *said, last = [f"{_against(ms / here)} {short(other)}" for (other, _), ms in zip(beside, others)]
    said = f"{', '.join(said)} and {last}" if said else last
    return f"At N = {at:,} {NAMES.get(algorithm, algorithm)} takes {said} as on {short(gpu)}"


def common_length(records: list[dict], beside: Beside, n: int) -> int | None:
    """The length nearest to n at which one algorithm was timed on every GPU; None if they share no point."""
    common = set.intersection(*map(set, _points(records, beside)))
    return min((m for _, m in common), key=lambda m: (abs(math.log(m / n)), m), default=None)


def said_length(records: list[dict], beside: Beside, n: int) -> str | None:
    """Why the title across GPUs is not of n, for the caption: N = 4,096 is the nearest length timed on every GPU. None if there is none."""
    at = common_length(records, beside, n)
    return at and nearest_words(at, n, "on every GPU")


def short(gpu: str) -> str:
    """A100 SXM4 of A100 SXM4 40GB"""
    words = gpu.split()
    return " ".join(words[:max(1, *(k for k in range(len(words) + 1) if len(" ".join(words[:k])) <= SHORT))])


def _against(times: float) -> str:
    return "as long on" if abs(times - 1) < TIE else f"{ratio(times)} as long on"


def _points(records: list[dict], beside: Beside) -> list[dict[tuple[str, int], float]]:
    """{(algorithm, n): ms} of each GPU, recorded."""
    timed_here = [r for r in records if r["when"] == "recorded"]
    return [{(r["algorithm"], r["n"]): _median(r) for r in some} for some in (timed_here, *dict(beside).values())]


def _median(r: dict) -> float:
    return r["median_ms"]


def _lines(records: list[dict]) -> dict[str, dict[int, dict]]:
    lines = {}
    for r in records:
        lines.setdefault(r["algorithm"], {})[r["n"]] = r
    return lines
