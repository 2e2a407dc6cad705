"""Present mode: the slide alone over the whole screen, its keys, and what a clicker sends. Race and Softmax have their player's own."""
import streamlit as st

from app import plot

PRESENT = "present"  # in the link
STYLE = """<style>
header, [data-testid=stSidebar], [data-testid=stToolbar] { display: none !important; }
.stApp > *, [data-testid=stMain] { overflow: hidden; }
.st-key-present { position: fixed; inset: 0; z-index: 999990; background: GROUND; }
.st-key-present { --scale: var(--present-scale, 1); }
.st-key-present > * { position: absolute; transform: scale(var(--scale)); transform-origin: 0 0; max-width: none !important;
  left: calc(50vw - 640px * var(--scale)); top: calc(50vh - 360px * var(--scale)); width: 1280px !important; }
</style>"""
# The browser's own full screen needs a key press, so it is asked for here; Escape there leaves it and is not sent to the page.
KEYS = """
const NAMES = { f: "present", PageDown: "next", PageUp: "back", Escape: "end" };
const HIDE = ".st-key-hide input"; // pressed rather than told to the server, which would learn of the two in any order
const WRITTEN = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable=true]";
let listening;

const fit = () => document.documentElement.style.setProperty("--present-scale", Math.min(innerWidth / 1280, innerHeight / 720));

function blank() {
  const known = document.getElementById("present-blank");
  if (known) return known.remove();
  const sheet = Object.assign(document.createElement("div"), { id: "present-blank" });
  sheet.style.cssText = "position: fixed; inset: 0; z-index: 1000001; background: #000";
  document.body.append(sheet);
}

export default function ({ data, setTriggerValue }) {
  listening?.abort();
  listening = new AbortController();
  const { signal } = listening, { presenting } = data;
  if (!presenting) document.getElementById("present-blank")?.remove();
  const say = (name) => {
    if (!presenting && ["next", "back", "end"].includes(name)) return false;
    if (name === "present" && !presenting) document.documentElement.requestFullscreen?.().catch(() => {});
    if (presenting && ["present", "end"].includes(name) && document.fullscreenElement) document.exitFullscreen();
    setTriggerValue("pressed", name);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.composedPath()[0].closest?.(WRITTEN)) return;
    const hide = document.querySelector(HIDE);
    if (event.key === "." && presenting) blank();
    else if (event.key === "h" && hide) event.repeat || hide.click();
    else if (!NAMES[event.key] || !say(NAMES[event.key])) return;
    event.preventDefault();
  }, { signal });
  document.addEventListener("fullscreenchange", () => { if (presenting && !document.fullscreenElement) say("end"); }, { signal });
  addEventListener("resize", fit, { signal });
  fit();
  return () => listening.abort();
}
"""
_keys = st.components.v2.component("tilescope_keys", js=KEYS)


def presenting() -> bool:
    return st.query_params.get(PRESENT) == "1"


def keys() -> str | None:
    """Listens; "next" or "back" when another page was asked for, once. Call it on each page whose picture is a chart."""
    pressed = _keys(key="keys", data=dict(presenting=presenting()), on_pressed_change=_act).pressed
    return pressed if pressed in ("next", "back") else None


def slide(figure: dict) -> None:
    """As large as the window. figure: as a chart describes it, 1280×720."""
    st.html(STYLE.replace("GROUND", figure["layout"]["paper_bgcolor"]))
    with st.container(key="present"):
        plot.plot(plot.drawn(figure, staticPlot=True), "present_chart")


def _act() -> None:
    pressed = st.session_state["keys"].pressed
    if pressed == "end" or (pressed == "present" and presenting()):
        st.query_params.pop(PRESENT, None)
    elif pressed == "present":
        st.query_params[PRESENT] = "1"
