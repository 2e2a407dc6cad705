"""Plot: a figure on a page, drawn by the same Plotly as the files, into one element that stays while the settings change.

Streamlit's own chart is a new one after each change, drawn from nothing.
"""
import gzip
from functools import lru_cache
from pathlib import Path

import streamlit as st
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from starlette.requests import Request
from starlette.responses import Response

from app.handover import TAKE_OVER

LIBRARY = "plotly.min.js"
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").replace("ADDRESS", f"{LIBRARY}?{get_plotlyjs_version()}")
MOUNT = """
export default function ({ parentElement, data: { key, shown } }) {
  let sheet = parentElement.querySelector(":scope > .plot") ?? takeOver(key, parentElement);
  if (!sheet) parentElement.append(sheet = sheetFor(shown.figure));
  tell(sheet, shown);
  return () => window.Plotly?.purge(sheet);
}
"""
# not isolated: Plotly puts its styles into the page's head
_plot = st.components.v2.component("tilescope_plot", js=SCRIPT + TAKE_OVER + MOUNT, isolate_styles=False)


def drawn(figure: dict, alt: str | None = None, **config) -> dict:
    """What `tell` in plot.js is told. figure: data and layout in Plotly's words, the layout with its width and height; alt: it in words;
    config: Plotly's."""
    return dict(figure=figure, alt=alt, config=config)


def plot(shown: dict, key: str) -> None:
    """shown: as `drawn` returns it."""
    _plot(key=key, data=dict(key=key, shown=shown))


def library(request: Request) -> Response:
    """Plotly, for the pages that show a chart. A browser that has got it keeps it: another version has another address."""
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding",
               "Content-Encoding": "gzip" if packed else "identity"}
    return Response(_packed() if packed else get_plotlyjs(), media_type="text/javascript", headers=headers)


@lru_cache
def _packed() -> bytes:
    return gzip.compress(get_plotlyjs().encode())
