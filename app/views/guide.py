"""The guided path's banner: question, answer when it is asked for, next and back. The step stands in the link."""
import streamlit as st

from app.figures import Sources
from app.settings import Settings
from app.tour import STEPS
from app.views.parts import turn_to

STEP = "step"  # in the link, from 1
ANSWERED = "answered"  # steps of this session


def start() -> None:
    """In the sidebar, where no step is on show."""
    if STEP not in st.query_params and st.button("Guided path: five questions", key="guide", width="stretch"):
        turn_to(STEPS[0].page, step="1")


def asking(page: str) -> bool:
    """Whether this page's question is still open, so that the page keeps its claim back."""
    number = _number()
    return number is not None and STEPS[number - 1].page == page and number not in st.session_state.get(ANSWERED, set())


def banner(page: str, settings: Settings, sources: Sources) -> None:
    if STEP not in st.query_params:
        return
    number = _number()
    if number is None or STEPS[number - 1].page != page:
        where = f"step {number} is on {STEPS[number - 1].page.title()}" if number else f"the steps are 1 to {len(STEPS)}"
        st.info(f"The link's step of the guided path is not on this page: {where}.")
        return
    step, asked = STEPS[number - 1], asking(page)
    with st.container(border=True, key="guide_step", horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{number} of {len(STEPS)}** {step.question}" + ("" if asked else f" **{step.answer(settings, sources)}**"))
        if asked:
            st.button("Answer", key="guide_answer", type="primary", on_click=_answer, args=(number,))
        if st.button("Back", key="guide_back", disabled=number == 1):
            turn_to(STEPS[number - 2].page, step=str(number - 1))
        if st.button("Next" if number < len(STEPS) else "End", key="guide_next", type="secondary" if asked else "primary"):
            turn_to(STEPS[number].page, step=str(number + 1)) if number < len(STEPS) else _end(page)


def _number() -> int | None:
    """The step in the link, or None where there is no such step."""
    asked = st.query_params.get(STEP, "")
    return int(asked) if asked in map(str, range(1, len(STEPS) + 1)) else None


def _answer(number: int) -> None:
    st.session_state.setdefault(ANSWERED, set()).add(number)


def _end(page: str) -> None:
    del st.query_params[STEP]
    st.rerun()
