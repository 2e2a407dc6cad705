"""Run here: a button that runs the kernels on this machine and says how the counts compare with the prediction."""
import streamlit as st

from app import cached, controls, running
from app.settings import Settings
from traffic_model import Refusal


def session_runs() -> list[dict]:
    """What this session ran, oldest first; each a saved run's object with its stamp."""
    return st.session_state.setdefault("runs", [])


def button() -> bool:
    """Whether to run now."""
    pressed = st.button("Run here", key="run_here", help="Runs naive and fused on this machine and counts every byte they request.")
    return st.session_state.pop("run_now", False) or pressed


def show(settings: Settings, wanted: bool, runs: list[dict]) -> None:
    """Runs if wanted. runs: those to compare with the prediction, shipped or of this session, at these settings and this N."""
    if wanted:
        _run(settings)
    for run in runs:
        st.markdown(running.verdict(run, settings))


def _run(settings: Settings) -> None:
    place = st.empty()
    with place.container():
        bar = st.progress(0., "Starting")
        st.button("Cancel", key="cancel_run")  # any click reruns the script; the running one stops at its next word of progress
    try:
        done = running.run_both(settings, cached.run_lock(), bar.progress)
    except Refusal as refusal:
        place.error(str(refusal))
        one_head = settings.with_one_head()
        if one_head != settings and running.possible(one_head):
            st.button("Run one head instead", key="run_one_head", on_click=_one_head)
        return
    session_runs().extend(done)
    st.rerun()


def _one_head() -> None:
    controls.set_one_head()
    st.session_state["run_now"] = True
