"""One access of one warp: 32 lanes, and below them the sectors of HBM, or the banks of shared memory, that hold what they name."""
from collections import defaultdict

from app.charts.claims import warp_claim
from app.charts.colours import ink_on, mix
from app.charts.figure import Chart
from app.charts.look import Look
from traffic_model.layout.common import WARP
from traffic_model.units import plural
from traffic_model.vocabulary import BANKS, SECTOR, WORD

WORDS = SECTOR // WORD  # of a sector
LABELLED = (*range(0, WARP, 4), WARP - 1)
HIGH = 20  # units of the picture, downwards; across it has a unit per lane
PALE = .3
ROLES = dict(fused_kv_outer="fused")


def warp(lanes: list[dict], summary: dict, look: Look, conditions: str) -> dict:
    """lanes: a record for each lane that takes part; summary: what they come to (see app/warp.py)."""
    shared = summary["shared"]
    rule = "a bank gives one 4-byte word a wavefront" if shared else "sectors as L1 counts them"
    chart = Chart(look, warp_claim(summary), conditions, "", "predicted from the lanes' addresses", rule)
    role = ROLES.get(lanes[0]["algorithm"], lanes[0]["algorithm"])
    chart.axes = dict(x=dict(type="linear", range=[0, WARP], visible=False), y=dict(type="linear", range=[HIGH, 0], visible=False))
    on = ink_on(chart.p[role])
    pale = mix(chart.p["panel"], chart.p[role], PALE)
    taking = {r["lane"] for r in lanes}
    _boxes(chart, [(lane, 0, 1, 1.4) for lane in sorted(taking)], chart.p[role])
    _boxes(chart, [(lane, 0, 1, 1.4) for lane in range(WARP) if lane not in taking], chart.p["panel"])
    for lane in LABELLED:
        _text(chart, lane + .5, .7, str(lane), color=on if lane in taking else chart.p["muted"])
    _left(chart, .7, "lane")
    (_banks if shared else _sectors)(chart, lanes, role, pale)
    _sums(chart, summary, role)
    chart.traces.append(dict(type="scatter", x=[r["lane"] + .5 for r in lanes], y=[.7] * len(lanes), mode="markers", hoverinfo="text",
                             marker=dict(size=1.5 * chart.em, opacity=0), hovertext=[_hover(r) for r in lanes]))
    return chart.described()


def _sectors(chart: Chart, lanes: list[dict], role: str, pale: str) -> None:
    """Each sector as a stack of its eight words under the lanes that name them, and where it lies in memory, to scale."""
    top, high, strip = 4.2, 1.0, 15.6
    by_sector = defaultdict(list)
    for r in lanes:
        by_sector[r["sector"]].append(r)
    first, last = min(by_sector), max(by_sector)
    scale = WARP / (last + 1 - first)
    plain, named, wires, homes = [], [], [], []
    for sector, those in by_sector.items():
        middle = sum(r["lane"] + .5 for r in those) / len(those)
        words = {r["byte"] % SECTOR // WORD for r in those}
        plain += [(middle - .42, top + word * high, .84, high - .08) for word in range(WORDS) if word not in words]
        named += [(middle - .42, top + word * high, .84, high - .08) for word in sorted(words)]
        home = (sector - first) * scale
        wires += [((r["lane"] + .5, 1.5), (middle, top - .1)) for r in those]
        wires.append(((middle, top + WORDS * high), (home + min(scale, WARP) / 2, strip)))
        homes.append((home, strip, scale, 1.3))
    _wires(chart, wires, role)
    _boxes(chart, plain, pale, gap=0)
    _boxes(chart, named, chart.p[role], gap=0)
    _boxes(chart, [(0, strip, WARP, 1.3)], chart.p["panel"], gap=0)
    _boxes(chart, homes, chart.p[role], gap=0, edge=chart.p[role])
    _left(chart, top + WORDS / 2, "32-byte<br>sectors")
    _left(chart, strip + .65, "memory")
    stretch = (last + 1 - first) * SECTOR
    _text(chart, 0, strip + 2.2, f"byte {first * SECTOR:,}", anchor="left")
    _text(chart, WARP, strip + 2.2, f"{stretch:,} B in all", anchor="right")


def _banks(chart: Chart, lanes: list[dict], role: str, pale: str) -> None:
    """A column per bank, a row per 128 bytes of shared memory: words in one column need one wavefront each."""
    head, top, bottom, on = 3.8, 5.4, 17.6, ink_on(chart.p[role])
    words = sorted({r["byte"] // WORD for r in lanes})
    first = words[0] // BANKS
    rows = words[-1] // BANKS + 1 - first
    high = (bottom - top) / max(rows, 8)
    per_bank = defaultdict(int)
    for word in words:
        per_bank[word % BANKS] += 1
    _wires(chart, sorted({((r["lane"] + .5, 1.5), (r["bank"] + .5, head - .1)) for r in lanes}), role)
    _boxes(chart, [(bank, head, 1, 1.4) for bank in range(BANKS) if per_bank[bank]], chart.p[role])
    _boxes(chart, [(bank, head, 1, 1.4) for bank in range(BANKS) if not per_bank[bank]], chart.p["panel"])
    for bank in LABELLED:
        _text(chart, bank + .5, head + .7, str(bank), color=on if per_bank[bank] else chart.p["muted"])
    _boxes(chart, [(bank, top, 1, bottom - top) for bank in range(BANKS)], chart.p["panel"])
    _boxes(chart, [(word % BANKS, top + (word // BANKS - first) * high, 1, max(high, .18)) for word in words], chart.p[role])
    most = max(per_bank.values())
    for bank in range(BANKS):
        if per_bank[bank]:
            busiest = per_bank[bank] == most > 1
            _text(chart, bank + .5, bottom + .8, f"<b>{per_bank[bank]}</b>" if busiest else str(per_bank[bank]),
                  color=chart.ink(role) if busiest else chart.p["muted"])
    _left(chart, head + .7, "bank")
    _left(chart, (top + bottom) / 2, f"{plural(rows, 'row')}<br>of 128 B")
    _left(chart, bottom + .8, "words")


def _sums(chart: Chart, summary: dict, role: str) -> None:
    """What was asked for, what of it differs, what memory had to do; each with the product that it comes from."""
    for place, r in zip((.9, .68, .46), summary["measures"]):
        chart.paper(1, place, f"{r['measure']} <b>{r['bytes']:,} B</b><br>= {r['of']}", 1.2, role=role)
    asked, *_, moved = (r["bytes"] for r in summary["measures"])
    times = summary["number"] / summary["fewest"] if summary["shared"] else moved / asked
    chart.paper(1, .24, f"<b>{times:.3g}×</b>", 1.2, role=role, size=2)
    chart.paper(1, .11, "the fewest possible" if summary["shared"] else "sectors ÷ requested", 1.2)


def _boxes(chart: Chart, boxes: list[tuple], fill: str, gap: float = .05, edge: str | None = None) -> None:
    """Rectangles (left, top, width, height) as one filled trace."""
    x, y = [], []
    for left, top, width, height in boxes:
        x += [left + gap, left + width - gap, left + width - gap, left + gap, left + gap, None]
        y += [top, top, top + height, top + height, top, None]
    if boxes:
        line = dict(width=1.5 if edge else 0, color=edge or fill)  # a sliver still shows
        chart.traces.append(dict(type="scatter", x=x, y=y, mode="lines", fill="toself", fillcolor=fill, line=line, hoverinfo="skip",
                                 cliponaxis=False))


def _wires(chart: Chart, pairs: list[tuple], role: str) -> None:
    x, y = ([value for one, other in pairs for value in (one[axis], other[axis], None)] for axis in (0, 1))
    chart.traces.append(dict(type="scatter", x=x, y=y, mode="lines", line=dict(color=chart.p[role], width=chart.em / 10), hoverinfo="skip",
                             cliponaxis=False, opacity=.7))


def _text(chart: Chart, x: float, y: float, text: str, color: str | None = None, anchor: str = "center") -> None:
    chart.paper(x, y, text, xanchor=anchor, xref="x", yref="y", color=color)


def _left(chart: Chart, y: float, text: str) -> None:
    chart.paper(0, y, text, -.4, xanchor="right", yref="y")


def _hover(r: dict) -> str:
    where = f"sector {r['sector']:,}" if "sector" in r else f"bank {r['bank']}"
    return f"lane {r['lane']}<br>element {r['element']:,}, byte {r['byte']:,}<br>{where}"
