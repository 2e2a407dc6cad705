"""Light or dark: what the viewer has chosen, followed at once when it changes."""
import streamlit as st

# Charts hold the theme's colours, and Streamlit does not rerun the script when the viewer switches: this element, which shows nothing,
# is called again with the new theme and asks for the rerun.
FOLLOW = """
let last;

export default function ({ parentElement, setTriggerValue }) {
  const ground = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color");
  if (last !== undefined && ground !== last) setTriggerValue("changed", ground);
  last = ground;
}
"""
_follower = st.components.v2.component("tilescope_theme", js=FOLLOW)


def follow() -> None:
    """Call it once in the entry file."""
    _follower(key="theme", on_changed_change=lambda: None)


def current() -> str:
    """"light" or "dark"."""
    return st.context.theme.type or "light"
