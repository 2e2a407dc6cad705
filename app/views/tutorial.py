"""Tutorial: five parts, a page each of which the navigation shows the first; the exercise's answer is one click away."""
from urllib.parse import urlencode

import streamlit as st

from app.settings import Settings
from app.tutorial import Part, tutorial
from app.views import parts

TO_THE_TOP = "<script>document.querySelector('[data-testid=stMain]').scrollTo(0, 0) // {}</script>"  # Streamlit stays where it was
COLUMN = 880  # px: as wide as its longest command


def show(settings: Settings, number: int) -> None:
    """settings: not asked, each part's link brings its own; number: of the part, from 1."""
    every = tutorial()
    part = every[number - 1]
    with st.container(width=COLUMN):
        st.caption(f"Tutorial, part {number} of {len(every)} · The sidebar does not change this page.")
        st.subheader(part.title, anchor=False)
        st.markdown(part.text)
        st.link_button("Set the dashboard", address(part), icon=":material/open_in_new:", help="Opens in a tab of its own.")
        st.markdown(f"There: {part.look}")
        with st.container(border=True):
            st.markdown(f"**Exercise.** {part.exercise}")
            with st.expander("Answer", key=f"tutorial_answer_{number}"):
                st.markdown(part.answer)
        with st.container(horizontal=True):
            for other, word in ((number - 1, "Back"), (number + 1, "Next")):
                if 1 <= other <= len(every):
                    st.page_link(parts.at(path(other)), label=f"{word}: {every[other - 1].title}")
    st.html(TO_THE_TOP.format(number), unsafe_allow_javascript=True)  # another text runs again, the same does not


def path(number: int) -> str:
    """The address of a part: tutorial, tutorial-2, …"""
    return "tutorial" if number == 1 else f"tutorial-{number}"


def address(part: Part) -> str:
    """Beside this page's, so that it holds wherever the dashboard is served."""
    return f"./{part.page}?{urlencode(part.settings)}"
