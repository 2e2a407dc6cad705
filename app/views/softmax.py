"""Softmax: one query row, tile by tile, and what happens when a part of its arithmetic is left out."""
import streamlit as st

from app import controls
from app.settings import Settings
from app.softmax import real
from app.softmax.film import html, mount
from app.softmax.payload import payload
from app.softmax.rows import Size
from app.views import guide, parts
from app.views.parts import WIDE

ACTS = {True: "Of the settings below head size, storage and key tile act here.", False: parts.FIXED}
WHY = """
**Why one α fits all.** A weight is e to the distance from the score up to the maximum m. When a larger score raises m, every older
distance grows by the same amount, so every older weight, and with them ℓ and O, shrink by the same factor α = e^(m − m′). No score
has to be kept.

**Break it.** *No rescale* leaves α out. *Finite sentinel* masks with −10,000 in the place of −∞: a row that sees no key then averages V
instead of giving zeros. *fp16 sums* keeps ℓ and O in half precision: from 2,048 on, adding 1 changes nothing. (With −∞, the first
maximum must not be subtracted from itself: −∞ − −∞ is not a number. The kernels subtract 0 there.)

**Where the numbers come from.** A row by hand has given scores. A real row is query 0 of one head of the seeded normal inputs that
`python -m numba_kernels run --seed` makes, with the sidebar's head size, storage and key tile, over at most 16 tiles. Each step is
computed in fp32 in the order the fused kernels follow, and compared with float64 of the stored inputs.
"""


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for this page's controls."""
    st.html(WIDE)
    with own:
        row = controls.softmax_row()
    size, *_, seed = row
    own.caption(ACTS[size == Size.REAL])
    shown = payload(*row[:3], settings.problem, settings.tiling.block_k, seed)
    mount(guide.kept_back("softmax", shown))
    if guide.asking("softmax"):
        return
    st.markdown(WHY)
    parts.details("softmax", {"Steps": lambda: parts.table(real.table(shown) if size == Size.REAL else _lines(shown))}, "Show the table")
    parts.download(html, shown, "row")


def _lines(shown: dict) -> list[dict]:
    return [dict(zip(("step", "maximum m", "sum ℓ", "output O"), line)) for line in shown["lines"]]
