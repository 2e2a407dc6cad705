"""Viewer: what their browser shows the dashboard in, light or dark and how wide a chart, followed at once when it changes."""
import streamlit as st

from app.charts.look import PAGE_WIDTH

KEY = "viewer"
KEPT = "viewer_width"  # for the pages that show no chart
# Charts hold the theme's colours and are laid out for their width, and Streamlit reruns the script for neither: this element, which shows
# nothing, asks for it. A chart that is sent at the width it will have is also drawn once instead of twice.
FOLLOW = """
const CHART = "[data-testid=stMain] .st-key-chart [data-testid=stElementContainer]";
let ground, known, watched, waiting;

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const shown = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color");
  if (ground !== undefined && shown !== ground) setTriggerValue("changed", shown);
  ground = shown;
  known = data.width;
  const measure = () => {
    const width = document.querySelector(CHART)?.clientWidth;
    if (width && width !== known) setStateValue("width", known = width);
  };
  watched ??= new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(measure, 200);
  });
  watched.observe(document.querySelector("[data-testid=stMainBlockContainer]"));
}
"""
_follower = st.components.v2.component("tilescope_viewer", js=FOLLOW)


def follow() -> None:
    """Call it once in the entry file."""
    _follower(key=KEY, data=dict(width=width()), on_changed_change=lambda: None, on_width_change=_keep)


def theme() -> str:
    """"light" or "dark"."""
    return st.context.theme.type or "light"


def width() -> int:
    """Pixels a chart on a page is wide; until the browser has said so, as many as in a window of 1280."""
    return st.session_state.get(KEPT, PAGE_WIDTH)


def _keep() -> None:
    if st.session_state[KEY].width:
        st.session_state[KEPT] = st.session_state[KEY].width
