"""Roofline: FLOP/s against FLOP per byte, under the roofs of the unit that computes."""
import streamlit as st

from app import controls, rooflines
from app.charts.roofs import number
from app.figures import roofline
from app.formulas import SYMBOLS
from app.formulas_roofline import roofline_formulas
from app.settings import Settings
from app.views import guide, parts, run_here
from app.views.parts import NO_BREAK
from traffic_model.flops import CONVENTION


def show(settings: Settings) -> None:
    sources, above, row = run_here.sources(), st.container(), st.container(horizontal=True, vertical_alignment="center")
    with row:
        unit = controls.unit() if rooflines.has_tensor_cores(settings) else rooflines.CUDA_CORES
    under, figure = roofline.Under(settings, sources, unit), roofline.figure(settings, sources, unit)
    with above:
        parts.picture(figure, guide.asking("roofline"))
    with row:
        parts.slide_button(figure)
    fused = rooflines.nearest([r for r in under.achieved if r["algorithm"] == "fused"], settings.n)
    tensor = rooflines.on_tensor_cores(under.achieved, settings.n)
    parts.details("roofline", {"Formula": lambda: _formulas(roofline_formulas(settings, under.roofs, under.here, fused, tensor)),
                               "FLOP per byte": lambda: parts.table(under.here), "Achieved": lambda: parts.table(under.achieved),
                               "Roofs": lambda: _roofs(under.roofs)})


def _formulas(formulas: list) -> None:
    rows = [f"| {f.name} | {f.symbols} | {f.numbers.replace('10**9', '10⁹')} | **{number(f.value)}{NO_BREAK}{f.unit}** |" for f in formulas]
    st.markdown("\n".join(["| | formula | with these settings | |", "|---|---|---|--:|", *rows]))
    st.caption(f"{CONVENTION}. {SYMBOLS}")


def _roofs(roofs: rooflines.Roofs) -> None:
    named = {roofs.name: roofs.compute, f"{roofs.name}, vendor's peak": roofs.peak, "DRAM": roofs.dram, "L2": roofs.l2}
    parts.table([dict(roof=name) | rate._asdict() for name, rate in named.items() if rate])
