"""Bytes per array at one N, all bars to one scale, in the empty corner above the lines of the Traffic chart."""
from collections import defaultdict

from app.charts.figure import Chart
from traffic_model import Array
from traffic_model.units import decimal_bytes

ROWS = {("naive", "compulsory"): "naive, compulsory", ("fused", "requested"): "fused, requested",
        ("fused", "compulsory"): "fused, compulsory"}
LEFT, LONGEST = 9.4, 8  # em: where bars begin, the longest bar
PITCH = 1.3  # em from row to row, which is Plotly's line spacing: the names are one text of four lines
NARROW = 1.1  # em: a box below this holds no letter, and shares one with what is smaller still


def bars(chart: Chart, cells: list[dict], n: int) -> None:
    """cells: predicted records at n. The requested bytes of naive would dwarf the scale and are written as a number."""
    sums = defaultdict(lambda: defaultdict(int))
    for cell in cells:
        if cell["space"] == "hbm":
            sums[cell["algorithm"], cell["measure"]][cell["array"]] += cell["bytes"]
    largest = max(sum(sums[row].values()) for row in ROWS)
    _text(chart, .8, .7, f"HBM bytes by array at N = {n:,}, predicted", "muted")
    names = [(row[0], name) for row, name in ROWS.items()] + [("naive", "naive, requested")]
    colored = (f'<span style="color:{chart.ink(role)}">{name}</span>' for role, name in names)
    _text(chart, _middle(1.5), LEFT - .4, "<br>".join(colored), "muted", "right")
    for line, row in enumerate(ROWS):
        _row(chart, _middle(line), row[0], sums[row], largest)
    asked = sum(sums["naive", "requested"].values())
    _text(chart, _middle(3), LEFT + .3, f"{decimal_bytes(asked)}, off the scale", "naive")


def _middle(line: float) -> float:
    """Middle of a row in em below the plot's top; the heading is above row 0."""
    return .9 + PITCH * (line + 1)


def _row(chart: Chart, y: float, role: str, by_array: dict[str, int], largest: int) -> None:
    x = LEFT
    em = {array: LONGEST * value / largest for array, value in sorted(by_array.items(), key=lambda item: -item[1])}
    for array in [array for array in em if em[array] > NARROW]:
        wide = em.pop(array)
        chart.box(x, y, wide, 1.1, role)
        chart.paper(0, 1, Array(array).letter, x + wide / 2, -y, "center", color=chart.p["on"][role])
        x += wide
    if rest := sum(em.values()):
        chart.box(x, y, rest, 1.1, role)
        x += rest
    _text(chart, y, x + .3, decimal_bytes(sum(by_array.values())), role)


def _text(chart: Chart, y: float, x: float, text: str, role: str, xanchor="left") -> None:
    """On the plot's ground, so that gridlines do not run through the letters."""
    chart.paper(0, 1, text, x, -y, xanchor, role, ground=chart.p["ground"])
