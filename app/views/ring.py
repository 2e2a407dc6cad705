"""Lab, Ring: one sequence over several GPUs, K and V going round, bytes over NVLink beside bytes through HBM."""
import streamlit as st

from app import controls
from app.ring.counted import SHORT, counted
from app.ring.film import html, mount
from app.ring.payload import payload
from app.ring.receipt import formula, steps
from app.ring.recorded import recorded
from app.settings import Settings
from app.views import parts
from app.views.parts import WIDE
from traffic_model import Refusal
from traffic_model.errors import sentence

WHY = """
**What goes round.** Every GPU keeps its rows of Q, and of O. Its block of K and V goes to the next GPU while it works on it, so after
G − 1 moves each GPU has met every block. A step is one launch of the fused kernel; between its steps a GPU leaves its running o, not yet
divided, and m and ℓ in HBM, in fp32, and they are combined as online softmax combines tiles.

**What a causal mask does.** Block j concerns only the GPUs from j on, yet it goes all the way round; and the last GPU sees every block
where the first sees one. Other orders of the rows even that out; they are not modelled here. Neither is time, nor whether a copy hides
behind a step.

**To count it:** `{command}` runs it on as many GPUs, or with `--backend cpu` in one process.
"""


HELP = f"Runs one of N = {SHORT} and one head on this machine and counts every launch and copy."


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    st.html(WIDE)
    with own:
        gpus, measure = controls.ring()
    chosen = (settings.problem, settings.tiling, settings.gpu, gpus)
    shown = payload(*chosen, measure)
    mount(shown)
    if said := recorded(settings, gpus):
        st.caption(said)
    st.markdown(WHY.format(command=f"python -m numba_kernels ring --gpus {gpus} {settings.options}"))
    if parts.starting_button("Run it here", "run_ring", HELP):
        with st.spinner("Running a short ring; the first time its kernels are compiled"):
            try:
                st.markdown(counted(settings, gpus))
            except Refusal as refusal:
                st.warning(sentence(str(refusal)))
    parts.details("ring", {"Formula": lambda: st.markdown(formula(*chosen)), "Steps": lambda: parts.table(steps(*chosen))})
    parts.download(html, shown, "ring")
