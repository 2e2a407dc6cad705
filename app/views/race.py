"""Race: two rungs of the ladder, tile by tile on one clock."""
from concurrent.futures import Future
from functools import partial

import streamlit as st

from app import cached, controls, hosting
from app.race import bars, dram, executed, prose, receipts, times
from app.race.counted import counted
from app.race.film import html, mount
from app.race.payload import payload
from app.race.rungs import Clock
from app.settings import Settings
from app.views import guide, parts, race_by_hand, run_here
from app.views.parts import WIDE
from traffic_model import Measure


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    st.html(WIDE)
    with own:
        rungs, clock, hand = controls.race()
    if hand:
        own.caption("By hand the sizes are fixed; of the settings below only the GPU acts.")
        return race_by_hand.show(settings, rungs, clock)
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
    measure, modelled = clock.measure or Measure.COMPULSORY, clock == Clock.DRAM
    st.html(bars.dram_bars(problem, tiling, gpu, rungs) if modelled else bars.bars(problem, tiling, gpu, rungs, measure))
    st.markdown(prose.below(clock))
    sums = dram.said if modelled else partial(receipts.predicted, measure=measure)
    parts.details("race", {"Formula": lambda: st.markdown("\n\n".join(sums(settings, rungs))),
                           "HBM bytes": lambda: parts.table(receipts.hbm_cells(settings, rungs))})
    parts.download(html, shown, "race")


@st.fragment(run_every=1)
def _wait(run: Future) -> None:
    """While the race is being run, it plays as predicted."""
    if run.done():
        st.rerun()
    st.caption("Both lanes are being run on the cpu backend; the race then shows their values.")
