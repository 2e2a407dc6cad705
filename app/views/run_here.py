"""Run here: a button that has the kernels run on this machine and says how the counts compare with the prediction."""
from collections.abc import Iterator

import streamlit as st

from app import cached, controls, running
from app.figures import Sources
from app.settings import Settings
from app.views import parts
from app.worker.queue import Job
from numba_kernels.agreement import disagreements
from traffic_model import Refusal
from traffic_model.errors import sentence

JOB = "run_job"  # this session's job, while there is one
COMPARED = "compared"  # (runs, sentences): what of them disagrees, looked for once for each set of sources
MOST_SAID = 5  # disagreements
ENDED_AT = "run_ended_at"  # the settings of its last run, until their page has shown it


def session_runs() -> list[dict]:
    """What this session ran, oldest first; each a saved run's object with its stamp."""
    return st.session_state.setdefault("runs", [])


def dropped() -> dict[str, tuple[dict, list[dict]]]:
    """{file name: (header, runs)} of the files that this session has dropped in."""
    return st.session_state.setdefault("dropped", {})


def sources() -> Sources:
    """Everything that figures may draw: shipped recordings, dropped files, and what this session ran; and the GPUs chosen among them."""
    return Sources([*cached.recorded_runs(), *dropped().values()], session_runs(), controls.chosen_gpus())


def say_disagreements() -> None:
    """In red, each configuration whose counts differ between recorded runs, dropped ones and this session's."""
    runs = sources().runs  # equal lists hold the same objects: comparing them takes microseconds
    if COMPARED not in st.session_state or st.session_state[COMPARED][0] != runs:
        st.session_state[COMPARED] = runs, list(disagreements(_with_places()))
    if found := st.session_state[COMPARED][1]:
        more = [f"And {len(found) - MOST_SAID:,} more."] * (len(found) > MOST_SAID)
        st.error("\n\n".join(["**Counts disagree**, and they may not depend on where a kernel ran.", *found[:MOST_SAID], *more]))


def _with_places() -> Iterator[tuple[str, dict]]:
    """Every run with where it ran, and the file that it was dropped in with."""
    yield from ((run["source"], run) for _, runs in cached.recorded_runs() for run in runs)
    yield from ((f"{name} ({run['source']})", run) for name, (_, runs) in dropped().items() for run in runs)
    yield from ((run["source"], run) for run in session_runs())


def button() -> bool:
    """Whether to run now."""
    pressed = parts.starting_button("Run here", "run_here", "Runs naive and fused on this machine and counts every byte they request.")
    return st.session_state.pop("run_now", False) or pressed


def show(settings: Settings, wanted: bool, runs: list[dict]) -> None:
    """Runs if wanted. runs: those to compare with the prediction, shipped or of this session, at these settings and this N."""
    if wanted and (JOB not in st.session_state or st.session_state[JOB].ended):
        try:
            st.session_state[JOB] = cached.run_queue().submit(settings)
        except Refusal as refusal:
            st.error(sentence(str(refusal)))
    if JOB in st.session_state:
        _watch()
    elsewhere = st.session_state.get(ENDED_AT)
    if elsewhere == settings:
        del st.session_state[ENDED_AT]
    elif elsewhere:
        st.info(f"The run at N = {elsewhere.n:,} ({elsewhere.conditions}) has ended. Go back to those settings to see what it counted.")
    if runs:
        st.markdown("\n\n".join(running.verdict(run, settings) for run in runs))  # one element: each costs milliseconds at every step


@st.fragment(run_every=.5)
def _watch() -> None:
    """Follows the job by itself, without repainting the page around it, until it has ended."""
    if JOB not in st.session_state:
        return
    job = cached.run_queue().look(st.session_state[JOB])
    if not job.ended:
        st.progress(job.share, job.words or "Starting")
        st.button("Cancel", key="cancel_run", on_click=cached.run_queue().cancel, args=(job,))
    elif job.state in ("refused", "failed"):
        _say_why_not(job)
    else:
        session_runs().extend(job.runs)
        if job.runs:
            st.session_state[ENDED_AT] = job.settings
        del st.session_state[JOB]
        st.rerun()


def _say_why_not(job: Job) -> None:
    st.error(sentence(job.sentence))
    with st.container(horizontal=True):
        if job.one_head_runs:
            st.button("Run one head instead", key="run_one_head", on_click=_one_head)
        st.button("Close", key="close_run", on_click=_close)


def _close() -> None:
    st.session_state.pop(JOB, None)


def _one_head() -> None:
    _close()
    controls.set_one_head()
    st.session_state["run_now"] = True
