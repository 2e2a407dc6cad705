"""Time: milliseconds against sequence length, recorded on a GPU."""
import streamlit as st

from app import controls, modelled, recordings
from app.charts.time_model import signed
from app.figures import FIGURES
from app.figures.time import Timed
from app.settings import Settings
from app.views import guide, parts, run_here
from traffic_model.units import decimal_bytes, milliseconds

WHOLE, BY_KERNEL = "Whole", "By kernel"


def show(settings: Settings) -> None:
    above, row = st.container(), st.container(horizontal=True, vertical_alignment="center")
    with row:
        split = controls.split((WHOLE, BY_KERNEL))
        model, hidden = split == WHOLE and controls.model(), controls.hidden()
        if split == WHOLE and len(names := recordings.gpus(run_here.sources().recordings, settings)) > 1:
            controls.gpus(names)
    sources = run_here.sources()
    name = "time-by-kernel" if split == BY_KERNEL else "time-model" if model else "time"
    timed, figure = Timed(settings, sources), FIGURES[name](settings, sources)
    predicted = [r for r in figure.records if r["kind"] == "predicted"]
    with above:
        if timed.shown.note:
            st.info(timed.shown.note)
        parts.picture(figure, hidden or guide.asking("time"))
        st.caption(modelled.failing(predicted))
    with row:
        parts.slide_button(figure)
    at = min(timed.floor, key=lambda n: abs(n - settings.n), default=None)
    parts.details("time", ({"Formula": lambda: _floor_formula(timed.shown, at)} if timed.floor else {})
                  | {"Times": lambda: _times(timed, figure.records if split == BY_KERNEL else timed.every)}
                  | ({"Model": lambda: _model_table(predicted)} if model else {}))


def _times(timed: Timed, records: list[dict]) -> None:
    words = lambda r: milliseconds(r["median_ms"]) if "median_ms" in r else f"out of memory: needs {decimal_bytes(r['needed_bytes'])}"
    parts.table([r | dict(in_words=words(r)) for r in records + timed.too_large])


def _floor_formula(shown: recordings.Shown, n: int) -> None:
    """The floor at one N, and why it starts where it does."""
    moved, bandwidth = shown.settings.at(n).problem.compulsory_three_kernel_bytes, shown.header["copy_gb_per_s"]
    st.markdown(f"**Unfused floor** at N = {n:,}: compulsory bytes of three kernels (predicted) ÷ copy bandwidth (timed) = "
                f"{decimal_bytes(moved)} ÷ {bandwidth:,.0f} GB/s = **{milliseconds(moved / bandwidth / 1e6)}**")
    st.caption(f"Three kernels that move S and P through DRAM cannot be faster. The line starts where S and P of one head, 2·N²·e, "
               f"outgrow the {shown.settings.gpu.l2_mib:g} MiB of L2; below, S may stay in L2 between kernels.")


def _model_table(model: list[dict]) -> None:
    """Predicted beside timed, and each assumption."""
    parts.table([r | dict(error=signed(r["error"])) for r in model])
    parts.assumptions()
