"""Lab, Proof: what the kernels counted beside the GPU's own counters, and the DRAM model beside them."""
import streamlit as st

from app import controls, proof
from app.figures import proof as figures
from app.settings import Settings
from app.views import parts
from app.views.run_here import sources
from traffic_model.dram import MODEL

WRITES = """DRAM bytes of each kernel on its own. Writes are modelled roughly: the model takes L2 to keep what was written last, up to its
size; the hardware may write some of it back before the kernel ends. Only reads are claimed and have an error here."""
METHOD = """
**Method.** Each kernel ran once counting by warp votes, inside the kernel and without any permission, and once under Nsight Compute with
counting off. *Distinct* is `smsp__sass_data_bytes_mem_{global,shared}_op_{ld,st}`, *sectors*
`l1tex__t_bytes_pipe_lsu_mem_global_op_{ld,st}`, *wavefronts* `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}` × 128, DRAM
`dram__bytes_{read,write}` with L2 emptied before each kernel. *Predicted* is a closed form that never saw a run.

**Limits.** Wavefronts are those of the accesses as they are written: where the compiler joins several into a wider one the hardware needs
fewer, and it counts a few more where accesses of different warps meet. Nsight does not split by array: these are totals over arrays.
"""


def show(settings: Settings) -> None:
    """The sidebar's settings choose nothing here."""
    proofs, shown = figures.proofs(), figures.figure(settings, sources())
    parts.picture(shown)
    st.caption("Validated problems; the sidebar's settings do not change this page.")
    with st.container(horizontal=True):
        shape = controls.proof_shape(tuple(dict.fromkeys(each.shape for each in proofs)))
        parts.slide_button(shown)
    tables = [each for each in proofs if each.shape == shape]
    parts.table([record for each in tables for record in each.counters])
    parts.table([record for each in tables for record in each.dram])
    st.caption(f"{WRITES} {MODEL}")
    counters = [record for each in proofs for record in each.counters]
    st.markdown("\n".join(f"* **{measure}**: {', '.join(f'{many} {kind}' for kind, many in kinds.items() if many)}"
                          for measure, kinds in proof.verdict(counters).items()))
    st.markdown(METHOD)
