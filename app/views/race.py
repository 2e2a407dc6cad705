"""Race: naive against fused, tile by tile on one clock."""
import streamlit as st

from app.race import bars
from app.race.film import html, mount
from app.race.payload import LANES, payload
from app.race.receipts import receipt
from app.settings import Settings
from app.views.parts import WIDE
from traffic_model import Measure, Space, predict
from traffic_model.units import decimal_bytes

CLOCK = """
**What the clock counts.** Compulsory bytes: each kernel reads each of its inputs from HBM once and writes each of its outputs once.
Both lanes move them at the same rate. A tile that a kernel asks for again costs nothing on this clock; the caches column counts those
re-reads, which are requested bytes beyond the compulsory ones.

**What it leaves out.** Time: the race says how much must move, not how long it takes. DRAM: re-reads that the caches do not hold come
on top, and a write that another kernel soon reads may never leave L2. Order: a GPU works on many blocks at once; here they follow one
another.
"""


def show(settings: Settings) -> None:
    st.html(WIDE)
    shown = payload(settings.problem, settings.tiling, settings.gpu)
    mount(shown)
    problem = settings.problem
    st.html(bars.bars(problem, settings.tiling, settings.gpu))
    st.markdown(CLOCK)
    with st.expander("Show the formula"):
        for name in LANES:
            st.markdown(f"{name.capitalize()}: {receipt(name, problem)}")
    with st.expander("Show the table"):
        st.dataframe(_table(settings), hide_index=True)
    st.download_button("HTML", lambda: html(shown), f"{shown['file']}.html", "text/html", on_click="ignore",
                       help="The race as one file that plays in any browser, without a network.")


def _table(settings: Settings) -> list[dict]:
    """Every HBM cell of both algorithms, all heads, as predicted."""
    rows = []
    for name in LANES:
        ledger = predict(name, settings.problem, settings.tiling, settings.gpu).ledger.only(Measure.COMPULSORY, Measure.REQUESTED)
        rows += [dict(algorithm=name, **record, bytes_in_words=decimal_bytes(record["bytes"]))
                 for record in ledger.records() if record["space"] == Space.HBM]
    return rows
