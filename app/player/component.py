"""A player as a Streamlit component: one element that stays, whatever the sliders do."""
from collections.abc import Callable

import streamlit as st

from app.handover import TAKE_OVER
from app.player.script import style

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
    const early = takeOver("NAME", parentElement), root = early ?? parentElement.appendChild(document.createElement("div"));
    players.set(parentElement, early?.player ?? new Player(root, data, { theme, linked: true }));
    early?.player.goOn(data, theme);
  }
  return () => {
    const player = players.get(parentElement);
    player?.remove();
    player?.root.remove();
    players.delete(parentElement);
  };
}
"""


def component(name: str, script: str) -> Callable[[dict], None]:
    """A function that shows a payload, or loads it into the player that is there. Call it once for a picture, when it is imported."""
    mount = st.components.v2.component(f"tilescope_{name}", css=style(), js=script + TAKE_OVER + MOUNT.replace("NAME", name))
    return lambda payload: mount(key=name, data=payload)
