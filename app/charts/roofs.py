"""The ground of the Roofline chart: its axes and its roofs, DRAM's by compulsory bytes and L2's by requested ones."""
import math

from app.charts.figure import Chart
from app.charts.look import DASH, FINE
from app.charts.placing import Placer
from app.rooflines import CUDA_CORES, Roofs
from traffic_model.rates import MEASURED
from traffic_model.units import sequence_length

HEAD_ROOM, BARE_HEAD, FOOT_ROOM = 5.0, 1.4, 3.4  # em above the roof, with L2's name or without, and below the slowest kernel
PATH_ROOM, RIDGE_ROOM = 7.5, 11.5  # em left of the first point and of the ridge, for labels and softmax
GB = 1e3  # in a TB


def draw_axes(chart: Chart, records: list[dict], roofs: Roofs) -> None:
    """From everything that is drawn at any N, so they stand still while N moves."""
    xs, speeds = ([r[name] for r in records if r[name]] for name in ("intensity", "tflops"))
    high, wide, tall = max(xs) * 1.4, chart.look.plot["x"], chart.look.plot["y"]
    low = min(_extended(high, min(xs), wide, PATH_ROOM), _extended(high, roofs.ridge, wide, RIDGE_ROOM))
    chart.log_axis("x", low, high, {4**k: sequence_length(4**k) for k in range(10) if low < 4**k < high})
    head = HEAD_ROOM if roofs.l2 else BARE_HEAD
    bottom = _extended(roofs.compute.value, min(speeds), tall - head, FOOT_ROOM)
    top = _extended(bottom, roofs.compute.value, tall, head)
    decades = range(math.ceil(math.log10(bottom)), math.floor(math.log10(roofs.compute.value)) + 1)  # none above the roof
    chart.log_axis("y", bottom, top, {10.0**k: f"{10.0**k:,g}" for k in decades})


def draw_roofs(chart: Chart, placer: Placer, roofs: Roofs, cuda_cores: Roofs) -> None:
    """DRAM's slope up to the roof of the unit on show and, below tensor cores, the roof of the CUDA cores."""
    low, high = (10**v for v in chart.axes["x"]["range"])
    named = [(roofs, "ink")] + [(cuda_cores, "muted")] * (roofs.unit != CUDA_CORES)
    for each, role in named:
        roof = {each.ridge: each.compute.value, high: each.compute.value}
        chart.line(roof, role, width=1 / 10)
        placer.line(roof)
    slope = {low: low * roofs.dram.value / GB, roofs.ridge: roofs.compute.value}
    chart.line(slope, "ink", width=1 / 10)
    placer.line(slope)
    chart.upright(roofs.ridge, "muted", FINE, roofs.compute.value)
    ridge = f"ridge: {number(roofs.ridge)} FLOP/B at {roofs.dram.value / GB:.3g} TB/s"
    wide = chart.look.plot["x"]
    for em, text in ((0, "← softmax: 0 FLOP/B"), (chart.distance("x", roofs.ridge, low), ridge)):
        chart.paper(em / wide, 0, text, .4, .8, ground=chart.p["ground"])  # of a note at the very end of an axis Plotly may draw nothing
        placer.area(em + .4, .15, text)
    texts = [_roof_name(each) for each, _ in named]
    shifts = chart.spread([(each.compute.value, .3 + 1.3 * (1 + text.count("<br>"))) for (each, _), text in zip(named, texts)])
    for (each, role), text, dy in zip(named, texts, shifts):
        chart.note(high, each.compute.value, text, role, .6, dy)


def draw_l2(chart: Chart, placer: Placer, roofs: Roofs, asked: float) -> None:
    """The roof of L2, dashed as requested bytes are everywhere, and where fused stands on it if L2 served every request."""
    low, meets = 10 ** chart.axes["x"]["range"][0], roofs.compute.value / roofs.l2.value * GB
    side = "left" if asked < meets else "right"
    text = (f"L2 ≈ {roofs.l2.value / GB:.3g} TB/s, dashed: per requested byte, 2·Br/e<br>"
            f"fused: {number(asked)} FLOP/B, {side} of that ridge at {number(meets)}")
    chart.paper(0, 1, text, .5, -1.4)
    placer.area(.5, chart.look.plot["y"] - 2.8, text)
    if low < meets:
        roof = {low: low * roofs.l2.value / GB, meets: roofs.compute.value}
        chart.line(roof, "muted", DASH, 1 / 12)
        placer.line(roof)
    if asked < meets:
        most = asked * roofs.l2.value / GB
        chart.dots({asked: most}, "fused", [f"fused: {asked:,.1f} FLOP per requested byte<br>if L2 served every request, at most "
                                            f"{number(most)} TFLOP/s"], hollow=True)
        placer.point(asked, most)


def number(value: float) -> str:
    """Three digits: 0.50, 31.5, 185, 2,048."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _extended(fixed: float, end: float, length: float, room: float) -> float:
    """The end of a logarithmic axis of `length` em that starts at `fixed` and has `room` em beyond `end`."""
    return fixed * (end / fixed) ** (length / (length - room))


def _roof_name(roofs: Roofs) -> str:
    """Its rate, the unit and where the figure comes from; beside a measured one the vendor's."""
    text = f"<b>{number(roofs.compute.value)} TFLOP/s</b><br>{roofs.name}, {roofs.compute.kind}"
    return text + f"<br>({number(roofs.peak.value)} on the datasheet)" * (roofs.compute.kind == MEASURED)
