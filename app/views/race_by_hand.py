"""Race by hand: the race at a size for the blackboard, and the sheet to fill in."""
import streamlit as st

from app import controls
from app.race import worksheet
from app.race.film import html, mount
from app.race.payload import by_hand
from app.race.rungs import Clock, Rung
from app.settings import Settings
from app.views import guide, parts


def show(settings: Settings, rungs: tuple[Rung, Rung], clock: Clock) -> None:
    clock = Clock.COMPULSORY if clock.of_all_heads else clock  # no kernel runs at this size, and none is modelled
    shown = by_hand(settings.gpu, rungs, clock)
    mount(guide.kept_back("race", shown))
    filled = controls.answers()
    st.html(worksheet.sheet(rungs, filled))
    with st.container(horizontal=True):
        st.download_button("Worksheet to print", worksheet.page(rungs, filled), "tilescope_by_hand.html", "text/html", on_click="ignore")
        parts.download(html, shown, "race")
