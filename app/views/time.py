"""Time: milliseconds against sequence length, recorded on a GPU."""
import streamlit as st

from app import cached, controls, modelled, recordings, records, theme
from app.charts import time as chart
from app.charts.look import page_look, slide_look
from app.charts.time_model import signed
from app.settings import Settings
from app.views import parts, run_here
from traffic_model.units import decimal_bytes, milliseconds


def show(settings: Settings) -> None:
    shown = recordings.nearest(cached.recorded_runs(), settings)
    here = [run for run in run_here.session_runs() if records.same_shape(run, shown.settings)]
    timed, floor = records.timed(shown.runs + here), recordings.unfused_floor(shown)
    above, row = st.container(), st.container(horizontal=True)
    with row:
        model = modelled.modelled(shown, timed) if controls.model() else []
    conditions = f"L2 {shown.header['l2']} · {shown.settings.conditions}"
    too_large, bandwidth = records.out_of_memory(shown.too_large), shown.header.get("copy_gb_per_s")
    draw = lambda look: chart.time(timed, too_large, floor, bandwidth, settings.n, look, conditions, model)
    with above:
        parts.heading(chart.claim(timed, floor, settings.n), f"Timed: {conditions} · {shown.runs[0]['source']}")
        if shown.note:
            st.info(shown.note)
        parts.chart("time", draw(page_look(theme.current())))
        st.caption(modelled.failing(model))
    slide = slide_look(theme.current())
    with row:
        parts.downloads("time", lambda: draw(slide), timed + model, shown.settings)
    words = lambda r: milliseconds(r["median_ms"]) if "median_ms" in r else f"out of memory: needs {decimal_bytes(r['needed_bytes'])}"
    table = lambda: st.dataframe([r | dict(in_words=words(r)) for r in timed + too_large], hide_index=True)
    at = min(floor, key=lambda n: abs(n - settings.n), default=None)
    parts.details("time", ({"Formula": lambda: _floor_formula(shown, at)} if floor else {}) | {"Times": table}
                  | ({"Model": lambda: _model_table(model)} if model else {}))


def _floor_formula(shown: recordings.Shown, n: int) -> None:
    """The floor at one N, and why it starts where it does."""
    moved, bandwidth = shown.settings.at(n).problem.compulsory_three_kernel_bytes, shown.header["copy_gb_per_s"]
    st.markdown(f"**Unfused floor** at N = {n:,}: compulsory bytes of three kernels (predicted) ÷ copy bandwidth (timed) = "
                f"{decimal_bytes(moved)} ÷ {bandwidth:,.0f} GB/s = **{milliseconds(moved / bandwidth / 1e6)}**")
    st.caption(f"Three kernels that move S and P through DRAM cannot be faster. The line starts where S and P of one head, 2·N²·e, "
               f"outgrow the {shown.settings.gpu.l2_mib:g} MiB of L2; below, S may stay in L2 between kernels.")


def _model_table(model: list[dict]) -> None:
    """Predicted beside timed, and each assumption."""
    st.dataframe([r | dict(error=signed(r["error"])) for r in model], hide_index=True)
    parts.assumptions()
