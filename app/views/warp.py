"""Lab, Warp: one access of one warp, lane by lane, and what memory makes of it."""
import streamlit as st

from app import controls, theme, warp
from app.charts import warp as chart
from app.charts.claims import warp_claim
from app.charts.look import page_look, slide_look
from app.settings import Settings
from app.views import parts


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    with own:
        rung, access = controls.warp_access(lambda rung: warp.accesses(rung, settings))
        chosen = warp.shown(rung, settings, access, controls.warp_kind(warp.shown(rung, settings, access).kinds))
        if chosen.kind.unpadded:
            chosen = chosen._replace(padded=not controls.without_padding())
    lanes, summary = warp.records(chosen), warp.summary(chosen)
    conditions = f"{rung} {chosen.kernel}, {access} · N = {settings.n:,} · {settings.conditions}"
    parts.heading(warp_claim(summary), f"Predicted, one warp access · {conditions}")
    draw = lambda look: chart.warp(lanes, summary, look, conditions)
    parts.chart("warp", draw(page_look(theme.current())))
    slide = slide_look(theme.current())
    with st.container(horizontal=True):
        wanted = st.button("Trace it here", key="trace", help="Runs the kernel's first block on this machine.")
        parts.downloads("warp", lambda: draw(slide), lanes, settings)
    if wanted:
        with st.spinner("Running one block, warp access by warp access; the first time it is compiled"):
            st.markdown(warp.traced(rung, settings, access))
    parts.details("warp", {"Formula": lambda: _formula(chosen, summary), "Lanes": lambda: st.dataframe(lanes, hide_index=True)})


def _formula(chosen: warp.Shown, summary: dict) -> None:
    rows = [f"| {r['measure']} | {r['of']} | **{r['bytes']:,} B** |" for r in summary["measures"]]
    st.markdown("\n".join(["| | | |", "|---|---|--:|", *rows]))
    st.caption(f"One of {chosen.access.times:,} warp accesses alike in the launch (kind {chosen.number} of {chosen.kinds:,}), the one at "
               "the lowest address. Arrays start 256-byte aligned, shared memory in bank 0. A 32-byte sector moves whole if one byte of it "
               "is named; in one wavefront each of the 32 banks gives at most one 4-byte word.")
