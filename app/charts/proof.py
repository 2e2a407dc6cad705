"""Counted bytes, and modelled DRAM reads, over the hardware's: a row per measure, in it a line per rung, a point per kernel."""
from app.charts.claims import proof_claim
from app.charts.figure import Chart
from app.charts.look import FINE, Look
from app.proof import typical_error
from traffic_model.units import decimal_bytes, percent

ROWS = dict(distinct="distinct", sectors="sectors", wavefronts="wave-<br>fronts", dram="DRAM")
RUNGS = dict(naive=("naive", "naive", False), tiled=("tiled", "tiled", False), fused=("fused", "fused", False),
             fused_kv_outer=("K/V-outer", "fused", True))  # name, role, hollow
LOW, HIGH = .4, 2.5  # of the ratio
APART = .2  # rows from one rung to the next


def proof(counters: list[dict], dram: list[dict], look: Look, conditions: str) -> dict:
    """counters, dram: records of app/proof.py."""
    points = [(r["measure"], r["algorithm"], r["counted"], r["hardware"], f"{r['kernel']}, {r['moved']}, counted") for r in counters]
    points += [("dram", r["algorithm"], r["modelled_reads"], r["hardware_reads"], f"{r['kernel']}, DRAM reads, modelled") for r in dram]
    chart = Chart(look, proof_claim(counters), conditions, "counted or modelled ÷ hardware", "", "a point per kernel and direction")
    chart.log_axis("x", LOW, HIGH, {.5: "half", 1: "equal", 2: "twice"})
    chart.axes["y"] = dict(type="linear", range=[len(ROWS) - .4, -.6], tickvals=list(range(len(ROWS))), ticktext=list(ROWS.values()),
                           showgrid=False)
    chart.shapes.append(dict(type="line", layer="below", xref="x", yref="paper", x0=1, x1=1, y0=0, y1=1,
                             line=dict(color=chart.p["muted"], width=chart.em / 12, dash=FINE)))
    for row, measure in enumerate(ROWS):
        for line, (algorithm, (name, role, hollow)) in enumerate(RUNGS.items()):
            of = [(ours, theirs, what) for m, a, ours, theirs, what in points if (m, a) == (measure, algorithm)]
            y = row + (line - (len(RUNGS) - 1) / 2) * APART
            hover = [f"{name} {what}<br>{decimal_bytes(ours)} ÷ {decimal_bytes(theirs)}" for ours, theirs, what in of]
            chart.dots({}, role, hover, hollow=hollow, symbol="x" if hollow else None)
            chart.traces[-1] |= dict(x=[min(HIGH, max(LOW, ours / theirs)) for ours, theirs, _ in of], y=[y] * len(of))
            if row == 0:  # every point is on the line there, which leaves room for names
                side = 1 if line % 2 == 0 else -1
                chart.paper(0, y, name, side, xanchor="left" if side > 0 else "right", role=role, xref="x", yref="y")
        chart.paper(1, row, _told(measure, counters, dram), .6, yref="y")
    return chart.described()


def _told(measure: str, counters: list[dict], dram: list[dict]) -> str:
    """A row in words."""
    if measure == "dram":
        return f"<b>reads, modelled</b><br>median {percent(typical_error(dram))} off"
    of = [r for r in counters if r["measure"] == measure]
    equal = sum(r["difference"] == 0 for r in of)
    rest = "to the byte" if equal == len(of) else "compilers merge<br>accesses"
    return f"<b>{equal} of {len(of)} equal</b><br>{rest}"
