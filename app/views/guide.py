"""The guided path's banner: question, answer when it is asked for, next and back. The step stands in the link."""
import streamlit as st

from app.figures import Sources
from app.settings import Settings
from app.tour import STEPS
from app.views import parts

STEP = "step"  # in the link, from 1
START = "Guided path: five questions"
ANSWERED = "answered"  # steps of this session


def start(at_the_first: bool) -> None:
    """In the sidebar, where no step is on show. A link to the page that is there already would do nothing."""
    if STEP in st.query_params:
        return
    if at_the_first:
        st.button(START, key="guide_start", type="tertiary", on_click=st.query_params.update, args=({STEP: "1"},))
    else:
        _link(1, START)


def asking(page: str) -> bool:
    """Whether this page's question is still open, so that the page keeps its claim back."""
    number = _number()
    return number is not None and STEPS[number - 1].page == page and number not in st.session_state.get(ANSWERED, set())


def kept_back(page: str, payload: dict) -> dict:
    """A player's payload; while this page's question is open, one that stands at its start and asks instead of claiming."""
    return payload | dict(id=f"{payload['id']} asks", asks=parts.KEPT_BACK) if asking(page) else payload


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
            st.button("Answer", key="guide_answer", on_click=_answer, args=(number,))
        if number > 1:
            _link(number - 1, "Back")
        if number < len(STEPS):
            _link(number + 1, "Next")
        st.button("End", key="guide_end", on_click=_end)


def _number() -> int | None:
    """The step in the link, or None where there is no such step."""
    asked = st.query_params.get(STEP, "")
    return int(asked) if asked in map(str, range(1, len(STEPS) + 1)) else None


def _answer(number: int) -> None:
    st.session_state.setdefault(ANSWERED, set()).add(number)


def _end() -> None:
    del st.query_params[STEP]


def _link(number: int, label: str) -> None:
    """A link keeps the browser's history as it should be; a button that changes the page would leave two entries in it."""
    st.page_link(parts.at(STEPS[number - 1].page), label=label, query_params={STEP: str(number)})
