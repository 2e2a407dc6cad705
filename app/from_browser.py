"""A picture made by the viewer's own browser: what Plotly's camera button does, in the format, size and name that are wanted."""
import streamlit as st

from app.charts.look import Look
from app.export import PNG_SCALE

FORMATS = ("svg", "png")
STYLE = """
button { font: inherit; min-height: 2.5rem; padding: .25rem .75rem; border-radius: var(--st-button-radius, .5rem); cursor: pointer;
  color: var(--st-text-color); background: var(--st-background-color); border: 1px solid var(--st-border-color); }
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
"""
# Plotly offers no other way into the drawing that is on show: the options of its camera are set, and the camera is pressed.
BUTTON = """
export default function ({ parentElement, data }) {
  const known = parentElement.querySelector("button"), button = known ?? document.createElement("button");
  const save = async () => {
    const plot = document.querySelector(".st-key-slide .plot");
    await plot?.drawn;
    const camera = plot?.querySelector(".modebar-btn[data-attr=toImage], .modebar-btn[data-title^=Download]");
    if (!camera) return button.isConnected && setTimeout(save, 50); // the chart is still being drawn
    plot._context.toImageButtonOptions = data.options;
    camera.click();
  };
  Object.assign(button, { type: "button", textContent: data.label, title: "Drawn by this browser", onclick: save });
  if (!known) parentElement.append(button);
}
"""
_button = st.components.v2.component("tilescope_from_browser", css=STYLE, js=BUTTON)


def button(kind: str, file_name: str, look: Look) -> None:
    """kind: one of FORMATS. The chart must stand in a container of the key "slide"."""
    options = dict(format=kind, filename=file_name.removesuffix(f".{kind}"), width=look.width, height=look.height,
                   scale=PNG_SCALE if kind == "png" else 1)
    _button(key=f"browser_{kind}", data=dict(label=kind.upper(), options=options), width="content")
