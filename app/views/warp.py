"""Lab, Warp: one access of one warp, lane by lane, and what memory makes of it."""
import streamlit as st

from app import controls, warp
from app.figures.warp import figure
from app.settings import Settings
from app.views import parts


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    chosen = choose(settings, own)
    shown = figure(settings, chosen=chosen)
    parts.picture(shown)
    with st.container(horizontal=True):
        wanted = parts.starting_button("Trace it here", "trace", "Runs the kernel's first block on this machine.")
        parts.slide_button(shown)
    if wanted:
        with st.spinner("Running one block, warp access by warp access; the first time it is compiled"):
            st.markdown(warp.traced(chosen.rung, settings, str(chosen.access.cell)))
    parts.details("warp", {"Formula": lambda: _formula(chosen), "Lanes": lambda: parts.table(shown.records)})


def choose(settings: Settings, own) -> warp.Shown:
    """The access that the controls say, here and on its slide."""
    with own:
        rung, access = controls.warp_access(lambda rung: warp.accesses(rung, settings))
        chosen = warp.shown(rung, settings, access, controls.warp_kind(warp.shown(rung, settings, access).kinds))
        return chosen._replace(padded=not controls.without_padding()) if chosen.kind.unpadded else chosen


def _formula(chosen: warp.Shown) -> None:
    rows = [f"| {r['measure']} | {r['of']} | **{r['bytes']:,} B** |" for r in warp.summary(chosen)["measures"]]
    st.markdown("\n".join(["| | | |", "|---|---|--:|", *rows]))
    st.caption(f"One of {chosen.access.times:,} warp accesses alike in the launch (kind {chosen.number} of {chosen.kinds:,}), the one at "
               "the lowest address. Arrays start 256-byte aligned, shared memory in bank 0. A 32-byte sector moves whole if one byte of it "
               "is named; in one wavefront each of the 32 banks gives at most one 4-byte word.")
