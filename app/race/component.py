"""The player as a Streamlit component: one element that stays, whatever the sliders do."""
import streamlit as st

from app.race.script import script, style

# Called at the first mount and again whenever data or theme change; the line break keeps Streamlit from taking the text for a path.
MOUNT = """
const players = new WeakMap();

export default function ({ parentElement, data }) {
  const host = parentElement.host ?? parentElement, ground = getComputedStyle(host).getPropertyValue("--st-background-color");
  const theme = ground && luminance(ground) < 0.2 ? "dark" : "light";
  const known = players.get(parentElement);
  if (known) {
    known.setTheme(theme);
    known.load(data);
  } else {
    const root = document.createElement("div");
    parentElement.appendChild(root);
    players.set(parentElement, new Player(root, data, { theme }));
  }
  return () => {
    const player = players.get(parentElement);
    player?.remove();
    player?.root.remove();
    players.delete(parentElement);
  };
}
"""

_race = st.components.v2.component("tilescope_race", css=style(), js=script() + MOUNT)


def mount(payload: dict) -> None:
    """Shows the race, or loads new settings into the one that is there."""
    _race(key="race", data=payload)
