"""Race: two rungs of the ladder, tile by tile on one clock."""
from concurrent.futures import Future

import streamlit as st

from app import cached, controls, hosting
from app.race import bars, executed, times, worksheet
from app.race.counted import counted
from app.race.film import html, mount
from app.race.payload import by_hand, payload
from app.race.receipts import ledger_cells, receipt
from app.race.rungs import Clock, Rung
from app.settings import Settings
from app.views import guide, parts, run_here
from app.views.parts import WIDE
from traffic_model import Measure, Space, predict
from traffic_model.units import decimal_bytes

COUNTS = {
    Clock.COMPULSORY: """Compulsory bytes: each kernel reads each of its inputs from HBM once and writes each of its outputs once. Both
lanes move them at the same rate. A tile that a kernel asks for again costs nothing on this clock; the caches column counts those
re-reads, which are requested bytes beyond the compulsory ones.""",
    Clock.REQUESTED: """Requested bytes: what every thread's accesses to HBM name, however often. Caches serve most of what is asked for
again, so this clock says how much the caches must do, not how much HBM moves.""",
    Clock.STEPS: """Steps: one block of one array, moved once, is one step, whatever its size. It says how many things happen, not how
large they are.""",
    Clock.TIME: """Measured time: the median of each kernel on a GPU, recorded at exactly these settings, over all heads. Within a kernel
the time is spread over its moves in proportion to their requested bytes, since nothing measured says which move took how long.""",
}
LEAVES_OUT = """
**What it leaves out.** Time: the race says how much must move, not how long it takes. DRAM: re-reads that the caches do not hold come
on top of the compulsory bytes, and a write that another kernel soon reads may never leave L2. Order: a GPU works on many blocks at
once; here they follow one another.
"""


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    st.html(WIDE)
    with own:
        rungs, clock, hand = controls.race()
    if hand:
        own.caption("By hand the sizes are fixed; of the settings below only the GPU acts.")
        return _by_hand(settings, rungs, clock)
    problem, tiling, gpu = settings.problem, settings.tiling, settings.gpu
    timed = times.recorded(cached.recorded_runs(), settings, rungs) if clock == Clock.TIME else None
    if clock == Clock.TIME and timed is None:
        clock = Clock.COMPULSORY
        st.info(f"Not timed yet: {rungs[0]} and {rungs[1]} at N = {problem.seq_len:,}, {settings.conditions} on {gpu.name}. "
                "The clock is compulsory bytes instead.")
    runs = [run for _, recorded in cached.recorded_runs() for run in recorded] + run_here.session_runs()
    short = executed.short(problem)
    run = executed.begun(problem, tiling, gpu, rungs) if short and hosting.runs_kernels() else None
    done = run is not None and run.done()  # asked once: it may end any moment
    ran = run.result() if done and not run.exception() else None
    shown = payload(problem, tiling, gpu, rungs, clock, times=timed, counts=counted(runs, settings, rungs), run=ran)
    mount(guide.kept_back("race", shown))
    if guide.asking("race"):
        return
    if run and not done:
        _wait(run)
    elif run and run.exception():
        st.caption(f"Predicted, not executed: {run.exception()}")
    elif short and not run:
        st.caption(f"Predicted, not executed. {hosting.SWITCHED_OFF}")
    measure = clock.measure or Measure.COMPULSORY
    st.html(bars.bars(problem, tiling, gpu, rungs, measure))
    st.markdown(f"**What the clock counts.** {COUNTS[clock]}\n{LEAVES_OUT}")
    with st.expander("Show the formula"):
        for rung in dict.fromkeys(rungs):
            cells = ledger_cells(predict(rung.algorithm, problem, tiling, gpu).ledger, measure)
            st.markdown(f"{rung[0].upper()}{rung[1:]}, {measure}: {receipt(cells)}")
    with st.expander("Show the table"):
        parts.table(_table(settings, rungs))
    _download(shown)


@st.fragment(run_every=1)
def _wait(run: Future) -> None:
    """While the race is being run, it plays as predicted."""
    if run.done():
        st.rerun()
    st.caption("Both lanes are being run on the cpu backend; the race then shows their values.")


def _by_hand(settings: Settings, rungs: tuple[Rung, Rung], clock: Clock) -> None:
    """The race at a size for the blackboard, and the sheet to fill in."""
    clock = Clock.COMPULSORY if clock == Clock.TIME else clock  # no kernel runs at this size
    shown = by_hand(settings.gpu, rungs, clock)
    mount(guide.kept_back("race", shown))
    filled = controls.answers()
    st.html(worksheet.sheet(rungs, filled))
    with st.container(horizontal=True):
        st.download_button("Worksheet to print", worksheet.page(rungs, filled), "tilescope_by_hand.html", "text/html", on_click="ignore")
        _download(shown)


def _download(shown: dict) -> None:
    st.download_button("HTML", lambda: html(shown), f"{shown['file']}.html", "text/html", on_click="ignore",
                       help="The race as one file that plays in any browser, without a network.")


def _table(settings: Settings, rungs: tuple[Rung, ...]) -> list[dict]:
    """Every HBM cell of both algorithms, all heads, as predicted."""
    rows = []
    for name in dict.fromkeys(rung.algorithm for rung in rungs):
        ledger = predict(name, settings.problem, settings.tiling, settings.gpu).ledger.only(Measure.COMPULSORY, Measure.REQUESTED)
        rows += [dict(algorithm=name, **record, bytes_in_words=decimal_bytes(record["bytes"]))
                 for record in ledger.records() if record["space"] == Space.HBM]
    return rows
