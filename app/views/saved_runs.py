"""Lab, Run here: what ran on this machine, beside recorded runs and files that are dropped in, point by point."""
import streamlit as st

from app import cached, comparing, controls, dropped, hosting
from app.settings import Settings
from app.views import parts, run_here
from traffic_model import Refusal
from traffic_model.errors import sentence

HERE = "this session"


def show(settings: Settings) -> None:
    known, above, below = _known(), st.container(), st.container()
    with below:  # first: a file that could not be shown can still be taken out
        _mine(settings)
    with above:
        run_here.say_disagreements()
        if len(known) > 1:
            _compare(known)
        else:
            how = "Run here, or drop in runs," if hosting.runs_kernels() else "Drop in runs"
            st.subheader(f"{how} and they are set beside the recorded ones", anchor=False)
        parts.table([comparing.overview(name, runs) for name, runs in known.items()])


def _mine(settings: Settings) -> None:
    with st.container(horizontal=True):
        wanted = run_here.button()
        ran = run_here.session_runs()
        st.download_button("Save this session's runs", lambda: dropped.written(ran), "tilescope_runs.jsonl", "application/jsonl",
                           on_click="ignore", disabled=not ran, help="As a file to drop in here, or for export --runs.")
    run_here.show(settings, wanted, [run for run in ran if run["problem"] == settings.problem.record()])
    for name in run_here.dropped():
        st.button(f"Take out {name}", key=f"out_{name}", on_click=run_here.dropped().pop, args=(name,), icon=":material/close:")
    with st.expander("Drop in saved runs"):
        _drop_in()


def _compare(known: dict[str, list[dict]]) -> None:
    heading = st.container()
    one, other = controls.compared(tuple(known))
    points = comparing.ratios(known[one], known[other])
    with heading:
        st.subheader(comparing.summary(points), anchor=False)
        st.caption(f"{one} ÷ {other} · requested HBM bytes of all arrays; device times are medians, of a GPU only")
    if points:
        parts.table(points)


def _known() -> dict[str, list[dict]]:
    """{name: runs}: recordings, dropped files and this session, each only if it holds runs."""
    recorded = {}
    for header, runs in cached.recorded_runs():
        recorded.setdefault(f"recorded on {header['gpu']}", []).extend(runs)
    here = {HERE: run_here.session_runs()} if run_here.session_runs() else {}
    return recorded | {name: runs for name, (_, runs) in run_here.dropped().items()} | here


def _drop_in() -> None:
    """Each file is taken or refused once: then the field is a new one, and empty."""
    turn = st.session_state.setdefault("dropped_turn", 0)
    for sentence_of_refusal in st.session_state.pop("dropped_refused", []):
        st.error(sentence_of_refusal)
    files = controls.dropped(f"dropped_{turn}")
    if files:
        refused = []
        for file in files:
            try:
                run_here.dropped()[file.name] = dropped.read(file.name, file.getvalue())
            except Refusal as refusal:
                refused.append(sentence(str(refusal)))
        st.session_state.update(dropped_turn=turn + 1, dropped_refused=refused)
        st.rerun()
