"""Roofline: FLOP/s against FLOP per byte, under the roofs of the unit that computes."""
import math

import streamlit as st

from app import cached, controls, rooflines, theme
from app.charts import roofline as chart
from app.charts.look import page_look, slide_look
from app.charts.roofs import number
from app.formulas import SYMBOLS
from app.formulas_roofline import roofline_formulas
from app.settings import Settings
from app.views import parts
from app.views.parts import NO_BREAK
from traffic_model.flops import CONVENTION


def show(settings: Settings) -> None:
    above, row = st.container(), st.container(horizontal=True)
    with row:
        unit = controls.unit() if rooflines.has_tensor_cores(settings) else rooflines.CUDA_CORES
    roofs, cuda_cores = rooflines.roofs(settings, unit), rooflines.roofs(settings, rooflines.CUDA_CORES)
    ideal, here = (rooflines.intensities(settings, roofs, lengths) for lengths in (rooflines.LENGTHS, [settings.n]))
    achieved = rooflines.achieved(settings, cached.recorded_runs())
    conditions = f"{settings.conditions} · {settings.gpu.name}"
    draw = lambda look: chart.roofline(ideal, here, achieved, roofs, cuda_cores, rooflines.requested_intensity(settings), look, conditions)
    with above:
        parts.heading(chart.claim(here, roofs), f"FLOP/B predicted · roofs {roofs.compute.kind} · kernels on CUDA cores, "
                      f"{rooflines.origin(achieved)} · {settings.conditions}")
        parts.chart("roofline", draw(page_look(theme.current())))
    slide = slide_look(theme.current())
    with row:
        parts.downloads(f"roofline_{roofs.name.replace(' ', '_')}", lambda: draw(slide), ideal + here + achieved, settings)
    fused = min((r for r in achieved if r["algorithm"] == "fused"), key=lambda r: abs(math.log(r["n"] / settings.n)))
    parts.details("roofline", {"Formula": lambda: _formulas(roofline_formulas(settings, roofs, here, fused)),
                               "FLOP per byte": lambda: _table(here), "Achieved": lambda: _table(achieved), "Roofs": lambda: _roofs(roofs)})


def _formulas(formulas: list) -> None:
    rows = [f"| {f.name} | {f.symbols} | {f.numbers.replace('10**9', '10⁹')} | **{number(f.value)}{NO_BREAK}{f.unit}** |" for f in formulas]
    st.markdown("\n".join(["| | formula | with these settings | |", "|---|---|---|--:|", *rows]))
    st.caption(f"{CONVENTION}. {SYMBOLS}")


def _table(records: list[dict]) -> None:
    st.dataframe(records, hide_index=True)


def _roofs(roofs: rooflines.Roofs) -> None:
    named = {roofs.name: roofs.compute, f"{roofs.name}, vendor's peak": roofs.peak, "DRAM": roofs.dram, "L2": roofs.l2}
    _table([dict(roof=name) | rate._asdict() for name, rate in named.items() if rate])
