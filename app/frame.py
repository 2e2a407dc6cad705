"""The frame: page, sidebar, navigation: the script that Streamlit runs for each visitor and each step."""
from base64 import b64encode
from functools import partial
from pathlib import Path

import streamlit as st

from app import cached, controls, lasting, present, viewer
from app.charts.look import STYLE as CHART_STYLE
from app.figures.proof import proofs
from app.settings import Settings
from app.tutorial import FILES
from app.views import (
    guide,
    parts,
    proof,
    race,
    ring,
    roofline,
    run_here,
    saved_runs,
    slides,
    softmax,
    tiles,
    time,
    traffic,
    tutorial,
    warp,
)
from traffic_model import Refusal
from traffic_model.errors import sentence

ICON = Path(__file__).parent / "static" / "icon.png"
STYLE = f"<style>{CHART_STYLE}</style>" + """<style>
@media (min-width: 640px) { [data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; } }
[data-testid="stMarkdownContainer"] code { font-size: 14px; }
.st-key-chart { overflow-x: auto; }
.st-key-chart [data-testid="stElementContainer"] { min-width: 780px; }
[data-stale="true"] { transition: opacity 0s linear .5s !important; }
</style>"""  # on a phone a chart keeps its size and scrolls sideways; what is late turns pale at once, since a fade is 60 pictures


def read_settings() -> Settings | Refusal:
    try:
        return controls.read()
    except Refusal as refusal:
        return refusal


def page(show, settings: Settings | Refusal, title: str, path: str | None = None, **options):
    """A page that shows the settings, or the sentence why there is nothing to show for them."""
    path = path or title.lower()

    def run() -> None:
        if isinstance(settings, Refusal):
            return st.error(sentence(str(settings)))
        if not present.presenting():
            guide.banner(path, settings, run_here.sources())
        show(settings)

    return st.Page(run, title=title, url_path=path, **options)


if "configured" not in st.session_state:  # the browser keeps it; said at every step of a slider it would take a tenth of the step
    icon = b64encode(ICON.read_bytes()).decode()  # a file's address would end with this run
    st.set_page_config("Tilescope", f"data:image/png;base64,{icon}", layout="wide")
    st.session_state["configured"] = True
with st.sidebar:
    own = st.container()  # for what only the page on show asks
    settings = read_settings()
    below = st.container()
    viewer.follow()
players = [page(partial(race.show, own=own), settings, "Race", default=True), page(partial(softmax.show, own=own), settings, "Softmax")]
charts = [page(traffic.show, settings, "Traffic")]
if cached.recorded_runs():  # a page appears when its data exists
    charts.append(page(time.show, settings, "Time"))
charts.append(page(roofline.show, settings, "Roofline"))
last = page(partial(slides.show, own=own), settings, "Slides")
lab = [page(tiles.show, settings, "Tiles"), page(partial(warp.show, own=own), settings, "Warp"),
       page(partial(ring.show, own=own), settings, "Ring"),
       page(saved_runs.show, settings, "Run here", "run-here"), *([page(proof.show, settings, "Proof")] if proofs() else []),
       *(page(partial(tutorial.show, number=number), settings, "Tutorial", tutorial.path(number),
              visibility="visible" if number == 1 else "hidden") for number in range(1, len(FILES) + 1))]
chosen = st.navigation({"": [*players, *charts, last], "Lab": lab}, position="top")
st.html(STYLE)
if chosen in (turned := [*charts, lab[0]]):
    with st.sidebar:
        asked = present.keys()
    if asked:
        after = turned[(turned.index(chosen) + (1 if asked == "next" else -1)) % len(turned)]
        parts.turn_to(after.url_path, present="1")
with below:
    guide.start(chosen == players[0])
chosen.run()
lasting.notice()
