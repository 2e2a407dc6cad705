"""FLOP/s against FLOP per compulsory byte: what the roofs of one unit allow unfused and fused attention, and what kernels achieve."""
import math

from app.charts.claims import roof_reached, roofline_claim
from app.charts.figure import Chart
from app.charts.look import FINE, NAMES, SOLID, Look, role
from app.charts.placing import AROUND, BELOW, LINE, RIGHT, UNDER, Placer
from app.charts.roofs import GB, draw_axes, draw_l2, draw_roofs, number
from app.rooflines import CUDA_CORES, Roofs, nearest, on_tensor_cores
from traffic_model.units import sequence_length

UNFUSED = "naive"  # whose colour and compulsory bytes stand for every unfused order
ROOMY = 30  # em: a plot that is narrower leaves out what can be worked out
NEARBY = 1.9  # em: a kernel's name that is further off would be another's; the table has it
Name = tuple[tuple, str, str, tuple, float]  # points, text, role, directions, em at most of a label, placed once all else is drawn


def roofline(ideal: list[dict], here: list[dict], achieved: list[dict], roofs: Roofs, cuda_cores: Roofs, asked: float, look: Look,
             conditions: str) -> dict:
    """ideal: what the roofs allow by N, here: at the current N, achieved: timed or predicted (see app/rooflines.py).

    cuda_cores: the roofs over the ladder's achieved points; asked: FLOP per requested byte of fused, at L2.
    """
    n = here[0]["n"]
    chart = Chart(look, claim(here, achieved, roofs), conditions, "TFLOP/s", "FLOP per compulsory byte", _foot(achieved, n, roofs))
    draw_axes(chart, ideal + achieved, roofs)
    placer = Placer(chart)
    draw_roofs(chart, placer, roofs, cuda_cores)
    if roofs.l2:
        draw_l2(chart, placer, roofs, asked)
    names = []
    for algorithm, name, width in (("fused", "fused", 1 / 3), (UNFUSED, "unfused", 1 / 6)):  # the narrower one above the other
        path, [now] = ([r for r in records if r["algorithm"] == r["kernel"] == algorithm] for records in (ideal, here))
        names.append(_ideal(chart, placer, algorithm, name, path, now, roofs, width))
    for algorithm in reversed(dict.fromkeys(r["algorithm"] for r in achieved)):
        names += _achieved(chart, placer, [r for r in achieved if r["algorithm"] == algorithm and r["tflops"]], n)
    low = 10 ** chart.axes["x"]["range"][0]
    slope = [(x, x * roofs.dram.value / GB) for x in (low * (roofs.ridge / low) ** (k / 20) for k in range(1, 20))]
    placer.label(slope, "DRAM", "ink", BELOW)
    for name in sorted(names, key=lambda name: len(name[3])):  # those with the least choice first
        placer.label(*name)
    return chart.described()


def claim(here: list[dict], achieved: list[dict], roofs: Roofs) -> str:
    """The title. here: intensities at the current N; achieved: the kernel on tensor cores counts, if it is among them."""
    sides, n = {"unfused" if r["kernel"] == UNFUSED else r["kernel"]: r["side"] for r in here}, here[0]["n"]
    timed = on_tensor_cores(achieved, n)
    return roofline_claim(roofs.name, sides, roof_reached(timed, n) if timed else "")


def _foot(achieved: list[dict], n: int, roofs: Roofs) -> str:
    """What the marks are, where the kernels computed if that is not the unit on show alone, and of which N their names and labels are."""
    how = " and ".join(sorted({r["kind"] for r in achieved}))
    unit = "" if roofs.unit == CUDA_CORES else " on both units" if on_tensor_cores(achieved, n) else " on CUDA cores"
    stated = [nearest([r for r in achieved if r["algorithm"] == algorithm], n)["n"] for algorithm in {r["algorithm"] for r in achieved}]
    at = " to ".join(map(sequence_length, sorted({min(stated), max(stated)})))
    return f"line: at most   ring: N = {sequence_length(n)}   small: {how}{unit} at N = {at}"


def _ideal(chart: Chart, placer: Placer, role: str, name: str, path: list[dict], now: dict, roofs: Roofs, width: float) -> Name:
    """The path along the roofs as N grows, and the current N with its intensity."""
    points = {r["intensity"]: r["tflops"] for r in path}
    corner = {roofs.ridge: roofs.compute.value} if min(points) < roofs.ridge < max(points) else {}
    chart.line(dict(sorted((points | corner).items())), role, SOLID, width)
    x, y = now["intensity"], now["tflops"]
    chart.rings([(x, y, role)], [f"{name}, at most {number(y)} TFLOP/s<br>N = {now['n']:,}: {x:,.1f} FLOP per compulsory byte"])
    placer.point(x, y, 1.1)
    return ((x, y),), f"<b>{name}</b> {number(x)} FLOP/B", role, AROUND, math.inf


def _achieved(chart: Chart, placer: Placer, records: list[dict], n: int) -> list[Name]:
    """The path of a whole algorithm over N, and its kernels, small, at the one of its lengths that is nearest to n."""
    algorithm, timed = records[0]["algorithm"], records[0]["kind"] == "timed"
    path, its_role = [r for r in records if r["kernel"] == algorithm], role(algorithm)
    points = {r["intensity"]: r["tflops"] for r in path}
    chart.line(points, its_role if timed else "model", SOLID if timed else FINE)
    chart.dots(points, its_role, [_hover(r) for r in path], hollow=not timed)
    placer.line(points)
    now = nearest(path, n)
    kernels = [r for r in records if r["n"] == now["n"] and r is not now]
    for r in kernels:
        chart.dots({r["intensity"]: r["tflops"]}, its_role, [_hover(r)], hollow=not timed, scale=.8)
    for r in path + kernels:
        placer.point(r["intensity"], r["tflops"])
    placer.end(now["intensity"], now["tflops"])
    stated = not kernels and now is not on_tensor_cores(records, n) and chart.look.plot["x"] > ROOMY
    share = f", {100 * now['share']:.0f} % of {now['roof']}" if stated else ""
    text = f"<b>{NAMES.get(algorithm, algorithm)}</b> {number(now['tflops'])}{share}"
    return [*_kernel_names(chart, algorithm, kernels),
            (((now["intensity"], now["tflops"]),), text, its_role, AROUND if kernels else UNDER, math.inf)]


def _kernel_names(chart: Chart, algorithm: str, kernels: list[dict]) -> list[Name]:
    """Right of their points; the products have one intensity, and where they are close one text of two lines names both."""
    kernels = sorted(kernels, key=lambda r: -r["tflops"])
    if kernels and chart.distance("y", kernels[0]["tflops"], kernels[-1]["tflops"]) < 1.5 * LINE:
        middle = math.sqrt(kernels[0]["tflops"] * kernels[-1]["tflops"])
        return [(((kernels[0]["intensity"], middle),), "<br>".join(r["kernel"] for r in kernels), algorithm, RIGHT[:1], NEARBY)]
    return [(((r["intensity"], r["tflops"]),), r["kernel"], algorithm, RIGHT, NEARBY) for r in kernels]


def _hover(r: dict) -> str:
    name = r["algorithm"] if r["kernel"] == r["algorithm"] else f"{r['algorithm']}, {r['kernel']} kernel"
    binds = f"<br>bound by {r['binds']}" if r.get("binds") else ""
    return f"{name}, {r['kind']}<br>N = {r['n']:,}: {number(r['tflops'])} TFLOP/s at {r['intensity']:,.1f} FLOP/B{binds}<br>{r['source']}"
