"""The frame: page, sidebar, navigation. `streamlit run app/main.py` from the repository root."""
import sys
from functools import partial
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # Streamlit puts app/ there, not the root
    sys.path.insert(0, str(ROOT))

from app import cached, controls, theme  # noqa: E402
from app.settings import Settings  # noqa: E402
from app.views import proof, race, roofline, softmax, tiles, time, traffic, warp  # noqa: E402
from traffic_model import Refusal  # noqa: E402
from traffic_model.errors import sentence  # noqa: E402

STYLE = """<style>
@media (min-width: 640px) { [data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; } }
.st-key-chart { overflow-x: auto; }
.st-key-chart [data-testid="stElementContainer"], .st-key-chart [data-testid="stFullScreenFrame"] { min-width: 780px; }
</style>"""  # on a phone a chart keeps its size and scrolls sideways


def read_settings() -> Settings | Refusal:
    try:
        return controls.read()
    except Refusal as refusal:
        return refusal


def page(show, settings: Settings | Refusal, title: str, **options):
    """A page that shows the settings, or the sentence why there is nothing to show for them."""
    run = lambda: st.error(sentence(str(settings))) if isinstance(settings, Refusal) else show(settings)
    return st.Page(run, title=title, url_path=title.lower(), **options)


st.set_page_config("Tilescope", str(ROOT / "app" / "static" / "icon.png"), layout="wide")
with st.sidebar:
    own = st.container()  # for what only the page on show asks
    settings = read_settings()
    theme.follow()
pages = [page(partial(race.show, own=own), settings, "Race", default=True), page(partial(softmax.show, own=own), settings, "Softmax"),
         page(traffic.show, settings, "Traffic")]
if cached.recorded_runs():  # a page appears when its data exists
    pages.append(page(time.show, settings, "Time"))
pages.append(page(roofline.show, settings, "Roofline"))
lab = [page(tiles.show, settings, "Tiles"), page(partial(warp.show, own=own), settings, "Warp")]
if cached.proofs():
    lab.append(page(proof.show, settings, "Proof"))
chosen = st.navigation({"": pages, "Lab": lab}, position="top")
st.html(STYLE)
chosen.run()
