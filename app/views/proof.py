"""Lab, Proof: what the kernels counted beside the GPU's own counters, and the DRAM model beside them."""
import streamlit as st

from app import cached, controls, proof, theme
from app.charts import proof as chart
from app.charts.claims import proof_claim
from app.charts.look import page_look, slide_look
from app.settings import Settings
from app.views import parts
from traffic_model.dram import MODEL

METHOD = """
**Method.** Each kernel ran once counting by warp votes, inside the kernel and without any permission, and once under Nsight Compute with
counting off. *Distinct* is `smsp__sass_data_bytes_mem_{global,shared}_op_{ld,st}`, *sectors*
`l1tex__t_bytes_pipe_lsu_mem_global_op_{ld,st}`, *wavefronts* `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}` × 128, DRAM
`dram__bytes_{read,write}` with L2 emptied before each kernel. *Predicted* is a closed form that never saw a run.

**Limits.** Wavefronts are those of the accesses as they are written: where the compiler joins several into a wider one the hardware needs
fewer, and it counts a few more where accesses of different warps meet. Nsight does not split by array: these are totals over arrays.
"""


def show(settings: Settings) -> None:
    """The sidebar's settings choose nothing here: what was validated was validated at its own."""
    proofs = cached.proofs()
    counters, dram = ([record for each in proofs for record in getattr(each, name)] for name in ("counters", "dram"))
    conditions = f"{len(proofs)} runs of {len({each.algorithm for each in proofs})} rungs · {proofs[0].source}"
    parts.heading(proof_claim(counters), f"Predicted, counted and hardware · {conditions}")
    draw = lambda look: chart.proof(counters, dram, look, conditions)
    parts.chart("proof", draw(page_look(theme.current())))
    slide = slide_look(theme.current())
    with st.container(horizontal=True):
        shape = controls.proof_shape(tuple(dict.fromkeys(each.shape for each in proofs)))
        parts.downloads("proof", lambda: draw(slide), counters + dram, settings)
    shown = [each for each in proofs if each.shape == shape]
    st.dataframe([record for each in shown for record in each.counters], hide_index=True)
    st.dataframe([record for each in shown for record in each.dram], hide_index=True)
    st.caption(MODEL)
    st.markdown("\n".join(f"* **{measure}**: {', '.join(f'{many} {kind}' for kind, many in kinds.items() if many)}"
                          for measure, kinds in proof.verdict(counters).items()))
    st.markdown(METHOD)
