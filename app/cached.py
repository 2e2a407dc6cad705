"""The one module that keeps things between reruns and sessions."""
import streamlit as st

from app import export, records
from app.worker.queue import RunQueue
from numba_kernels import saved


@st.cache_resource(show_spinner=False)
def recorded_runs() -> list[tuple[dict, list[dict]]]:
    """(header, runs) of each shipped recording, every run with its `source`, those that ran out of memory last."""
    return [records.recording(file) for file in saved.recorded()]


@st.cache_resource(show_spinner=False, on_release=RunQueue.close)
def run_queue() -> RunQueue:
    """One for the whole server: kernels of two sessions do not run at once."""
    return RunQueue()


@st.cache_data(ttl=60, show_spinner=False)
def why_no_images() -> str | None:
    """Why SVG, PNG and PDF cannot be made here, or None if they can. Looked up when the page is drawn, before anyone clicks."""
    return export.why_no_images()
