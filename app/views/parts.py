"""What pages share: heading, chart, row of buttons."""
from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from app import cached, export
from app.settings import Settings
from traffic_model.times import ASSUMPTIONS

CONFIG = dict(displayModeBar=False)
NO_BREAK = "\u00a0"
# beside the sidebar a player needs the whole width
WIDE = "<style>[data-testid=stMainBlockContainer] { padding-inline: 1rem; }</style>"


def heading(claim: str, conditions: str) -> None:
    with st.container(gap="xxsmall"):
        st.subheader(claim, anchor=False)
        st.caption(conditions)


def chart(name: str, figure: go.Figure) -> None:
    with st.container(key="chart"):
        st.plotly_chart(figure, theme="streamlit", config=CONFIG, key=f"{name}_chart")


def details(name: str, tabs: dict[str, Callable[[], None]]) -> None:
    """What is one click away: {title: what draws it}. Closed it costs nothing, so a slider repaints as fast as it can."""
    box = st.expander("Show the formula and the tables", key=f"{name}_details", on_change="rerun")
    if box.open:
        for tab, draw in zip(box.tabs(list(tabs)), tabs.values()):
            with tab:
                draw()


def downloads(name: str, slide: Callable[[], go.Figure], records: list[dict], settings: Settings) -> None:
    """The slide and its numbers, at the right of the row around. slide() draws the figure when it is asked for."""
    st.space("stretch")
    missing = cached.why_no_images()
    with st.popover("Make a slide", key=f"{name}_slide"):
        for kind in ("svg", "png"):
            _download(kind, f"Slide as {kind.upper()}", lambda kind=kind: export.image(slide(), kind), name, settings, missing)
        _download("csv", "Its numbers as CSV", lambda: export.table(records, settings), name, settings, None)


def _download(kind: str, label: str, data: Callable, name: str, settings: Settings, missing: str | None) -> None:
    """A file made when it is asked for. A failure then could only say that it failed, so what may be missing is looked for before."""
    st.download_button(label, data, export.file_name(name, settings, kind), export.MIME[kind], key=f"{name}_{kind}", on_click="ignore",
                       width="stretch", disabled=missing is not None, help=missing)


def assumptions() -> None:
    """What predicted time takes for granted."""
    st.markdown("\n".join(f"* **{part}**: {assumption}" for part, assumption in ASSUMPTIONS.items()))
