"""The one module that keeps things between reruns and sessions."""
import streamlit as st

from app import dram, export, proof, records
from app.settings import Settings
from app.worker.queue import RunQueue
from numba_kernels import hardware, saved


@st.cache_data(max_entries=256, show_spinner=False)
def predicted_curve(settings: Settings) -> list[dict]:
    """The Traffic chart's lines. Call it with `settings.at(1)`: they do not depend on the current N."""
    return records.predicted(settings, records.LENGTHS)


@st.cache_data(max_entries=256, show_spinner="Modelling DRAM")
def dram_curve(settings: Settings) -> list[dict]:
    """The Traffic chart's DRAM line, likewise."""
    return dram.modelled(settings, records.LENGTHS)


@st.cache_resource(show_spinner=False)
def recorded_runs() -> list[tuple[dict, list[dict]]]:
    """(header, runs) of each shipped recording, every run with its `source`, those that ran out of memory last."""
    return [(file.header, records.shipped(file.header, file.runs + file.out_of_memory)) for file in saved.recorded()]


@st.cache_resource(show_spinner=False)
def proofs() -> list[proof.Proof]:
    """The shipped validations, each with its predictions."""
    return [proof.proof(line, recording.header) for recording in hardware.recorded_validations() for line in recording.lines]


@st.cache_resource(show_spinner=False, on_release=RunQueue.close)
def run_queue() -> RunQueue:
    """One for the whole server: kernels of two sessions do not run at once."""
    return RunQueue()


@st.cache_data(ttl=60, show_spinner=False)
def why_no_images() -> str | None:
    """Why SVG and PNG cannot be made here, or None if they can. Looked up when the page is drawn, before anyone clicks."""
    return export.why_no_images()
