"""The model's time on the Time chart: grey and dotted over the recorded lines, its error at one N in the empty corner below them."""
import textwrap

from app.charts.figure import Chart
from app.charts.look import FINE
from app.charts.placing import Placer, size
from traffic_model.units import milliseconds

LINE = 62  # letters of an assumption on a line of the hover text


def draw_model(chart: Chart, placer: Placer, model: list[dict], n: int) -> None:
    """model: see app/modelled.py; n: the length whose errors are written out."""
    for algorithm in dict.fromkeys(r["algorithm"] for r in model):
        records = [r for r in model if r["algorithm"] == algorithm]
        points = {r["n"]: r["ms"] for r in records}
        chart.line(points, "model", FINE, 1 / 8)
        chart.dots(points, "model", [_hover(r) for r in records], symbol="circle", scale=.55)
    errors = "   ".join(f'<span style="color:{chart.ink(r["algorithm"])}">{r["algorithm"]}</span> {signed(r["error"])}'
                        for r in model if r["n"] == n)
    text = f"<b>model</b>, dotted, at N = {n:,}<br>{errors}"
    placer.area(chart.look.plot["x"] - .4 - size(text)[0], .25, text)
    chart.paper(1, 0, text, -.4, 1.6, "right", "model", ground=chart.p["ground"])


def signed(share: float) -> str:
    """−8 %, +31 %, 0 %."""
    rounded = round(100 * share)
    return f"{'−' if rounded < 0 else '+' if rounded > 0 else ''}{abs(rounded)} %"


def _hover(r: dict) -> str:
    fails = "<br>".join(["<br>assumed, and not so here: ", *textwrap.wrap(r["fails"], LINE)]) if r["fails"] else ""
    return (f"{r['algorithm']}, predicted<br>N = {r['n']:,}: {milliseconds(r['ms'])}, {signed(r['error'])} beside the timed "
            f"{milliseconds(r['timed_ms'])}<br>most of it bound by {r['binds']}{fails}")
