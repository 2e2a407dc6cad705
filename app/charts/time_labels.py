"""What stands beside the lines of Time: names and values at their ends, values at one N, a row of crosses for what does not fit."""
from app.charts.figure import Chart
from app.charts.look import LIBRARY, NAMES, role
from app.charts.placing import LINE, Placer, size
from traffic_model.units import decimal_bytes, milliseconds

BESIDE = (90, 120, 60, 0, -30, -60, -90)  # degrees, for the name of a line that ends in the plot
BESIDE_MARKER = .7  # em
CLOSE = 1.8  # em: between ends whose labels would be in each other's place
REACH = 2.0  # em: a value further off would not be known as its point's; the table has it
MARGIN = 24  # letters that fit beside the plot


def whose(series: dict) -> str:
    """The first word of the libraries' names, which labels leave out: dashed: PyTorch"""
    words = dict.fromkeys(name.split()[0] for name in series if role(name) == LIBRARY)
    return f"dashed: {', '.join(words)}" if words else ""


def placer_of(chart: Chart, lines: list[dict[int, float]], floor: dict[int, float]) -> Placer:
    """Knows where lines and markers are, so that labels keep off them."""
    placer = Placer(chart)
    for points in (*lines, floor):
        placer.line(points)
    for points in lines:
        for x, ms in points.items():
            placer.point(x, ms)
    return placer


def crosses(chart: Chart, placer: Placer, too_large: list[dict]) -> None:
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


def values(chart: Chart, placer: Placer, series: dict, floor: dict[int, float], n: int) -> None:
    """The milliseconds at n of the ladder and of the floor, each nearer to its point than to any other. A line that ends at n has its
    label."""
    low, high = (10**value for value in chart.axes["y"]["range"])
    placer.line({n: low, n * (1 + 1e-9): high})
    at = {algorithm: points[n]["median_ms"] for algorithm, points in series.items() if n in points and n < max(points)}
    for ms in (*at.values(), *([floor[n]] if n in floor else [])):
        placer.end(n, ms)
    for algorithm, ms in at.items():
        if role(algorithm) != LIBRARY:
            placer.label([(n, ms)], f"<b>{milliseconds(ms)}</b>", role(algorithm), within=REACH)
    if n in floor and n < max(floor):  # at its end the floor's name is there
        placer.label([(n, floor[n])], milliseconds(floor[n]), "model", within=REACH)


def labels(chart: Chart, placer: Placer, series: dict, floor: dict[int, float], copy_gb_per_s: float | None, more: list[tuple]) -> None:
    """At the end of each line: in the margin for those that reach the last N, beside their ends for the others, together where those ends
    are close. more: other GPUs' ends."""
    beside, last_n = [], max([*floor, *(x for x, *_ in more), *map(max, series.values())])
    for algorithm, points in series.items():
        x, ms, name = max(points), points[max(points)]["median_ms"], _name(algorithm)
        value = "" if chart.look.hidden or (x < last_n and role(algorithm) == LIBRARY) else f" {milliseconds(ms)}"  # lines leave no room
        text = f"<b>{name if x < last_n or len(name + value) <= MARGIN else name.replace(' ', '<br>')}</b>{value}"
        beside.append((x, ms, text, role(algorithm)))
    beside += more
    if floor:
        x, y = [*floor.items()][-1]
        what = f"<br>three kernels' compulsory<br>bytes ÷ {copy_gb_per_s / 1000:.3g} TB/s copied"
        roomy = not more and not any(role(algorithm) == LIBRARY for algorithm in series)
        beside.append((x, y, f"<b>unfused floor</b>{what if roomy else ''}", "model"))
    for x, y, *_ in beside:
        placer.end(x, y)
    for ends in sorted(_close(chart, [end for end in beside if end[0] < last_n]), key=len, reverse=True):  # columns have no choice
        if len(ends) > 1:
            _column(chart, placer, ends)
        else:
            (x, y, text, its_role), = ends
            placer.label([(x, y)], text, its_role, BESIDE)
    _column(chart, placer, [label for label in beside if label[0] == last_n])


def _column(chart: Chart, placer: Placer, ends: list[tuple]) -> None:
    """The labels of ends at one N, to the right of them, each as near to its own as the others let it."""
    shifts = chart.spread([(y, .1 + 1.32 * (1 + text.count("<br>"))) for _, y, text, _ in ends])
    for (x, y, text, its_role), dy in zip(ends, shifts):
        chart.note(x, y, text, its_role, BESIDE_MARKER, dy, ground=chart.p["ground"])
        placer.beside(x, y, text, BESIDE_MARKER, dy)


def _close(chart: Chart, ends: list[tuple]) -> list[list[tuple]]:
    """Ends at one N that are less than CLOSE apart, the highest first, together: their names would change places."""
    found = []
    for each in sorted(ends, key=lambda end: (end[0], -end[1])):
        x, y, *_ = found[-1][-1] if found else (None, None)
        if x == each[0] and chart.distance("y", y, each[1]) < CLOSE:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _name(algorithm: str) -> str:
    return algorithm.partition(" ")[2] or algorithm if role(algorithm) == LIBRARY else NAMES.get(algorithm, algorithm)
