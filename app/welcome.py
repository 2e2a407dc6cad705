"""Welcome: a page that is sent holds its picture, so that it is on show while Streamlit is still being loaded.

Streamlit's own page is empty until a second or two of scripts have run. This one is the same page with the picture in it, at the place
where the dashboard will want it; there its component takes it over as it is (app/handover.py), and a race that someone has started goes on.
"""
import json
import re
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from app import plot, records
from app.charts.look import PALETTES, page_look
from app.figures import FIGURES, Sources
from app.player.script import style
from app.player.standalone import inline
from app.race.counted import counted
from app.race.film import SCRIPT as RACE
from app.race.payload import LANES, payload
from app.settings import OPENING
from app.views import parts
from numba_kernels import saved

CHARTS = {"traffic": "traffic", "time": "time", "roofline": "roofline-tensor-cores"}  # {page: the figure that it opens with}
EMPTY = '<div id="root"></div>'
FONT = re.compile(r'href="([^"]+\.woff2)"')  # Streamlit's, which it asks for on this very page
PATIENCE = 8000  # ms from the end of the first run to the component's code being there, on a busy machine
FRAME = EMPTY + """
<style>
@font-face { font-family: "Source Sans"; src: url("FONT") format("woff2"); font-weight: 200 900; }
#welcome { position: fixed; inset: 60px 0 0 300px; overflow: hidden; font-family: "Source Sans", sans-serif; }
@media (max-width: 768px) { #welcome { left: 0; } }
STYLE
</style>
<script>
(() => {
"use strict";
  const { pathname } = location, welcome = document.body.appendChild(Object.assign(document.createElement("div"), { id: "welcome" }));
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } }; // a browser may keep nothing
  const leave = () => {
    window.tilescopeWelcome?.race?.player.remove();
    delete window.tilescopeWelcome;
    welcome.remove();
    document.body.style.background = "";
  };
  try {
    const chosen = kept(`stActiveTheme-${pathname}-v2`), system = matchMedia("(prefers-color-scheme: dark)").matches;
    const theme = chosen === '"Dark"' || (chosen !== '"Light"' && system) ? "dark" : "light", { ground, ink } = COLOURS[theme];
    document.body.style.background = ground;
    Object.assign(welcome.style, { background: ground, color: ink });
    if (innerWidth > 768 && kept("sidebarWidth")) welcome.style.left = `${parseFloat(kept("sidebarWidth"))}px`;
SCRIPT
  } catch (error) { // better nothing than something in the way
    leave();
    throw error;
  }

  // Its component takes the picture and removes the rest. A page that shows something else, be it an error, is not to be covered.
  let waiting;
  const running = new MutationObserver(() => {
    const ran = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
    if (ran) waiting ??= setTimeout(() => welcome.isConnected && leave(), PATIENCE);
    if (!welcome.isConnected) running.disconnect();
    else if (location.pathname !== pathname || document.querySelector("[data-testid=stException]")) leave();
  });
  running.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-test-script-state"] });
})();
</script>"""
RACE_STYLE = "#welcome { padding: 8px 16px; }\n"
RACE_SCRIPT = """
  const root = welcome.appendChild(document.createElement("div"));
  root.player = new Player(root, PAYLOAD, { theme, autoplay: false, linked: true });
  document.fonts.load("16px 'Source Sans'").then(() => root.player.setTheme(theme));
  window.tilescopeWelcome = { race: root };
"""
CHART_STYLE = """
#welcome { padding: 8px 32px; }
@media (max-width: 640px) { #welcome { padding: 8px 16px; } }
#welcome h3 { margin: 0; padding: 12px 0 16px; font-size: 24px; font-weight: 600; line-height: 1.2; letter-spacing: -.005em; }
#welcome p { margin: -12px 0 16px; font-size: 14px; line-height: 1.6; opacity: .6; }
"""
CHART_SCRIPT = """
  const { title, caption, key, charts } = PAYLOAD, sheet = sheetFor(charts[theme].figure);
  for (const [kind, text] of [["h3", title], ["p", caption]]) welcome.appendChild(document.createElement(kind)).textContent = text;
  welcome.append(sheet);
  tell(sheet, charts[theme]);
  window.tilescopeWelcome = { [key]: sheet };
"""


def routes(base: str) -> list[Route]:
    """The pages that bring their picture along, below this path."""
    pictures = {"": _race} | {path: partial(_chart, name) for path, name in CHARTS.items() if saved.recorded()}
    return [Route(f"{base}/{path}", partial(_page, picture)) for path, picture in pictures.items()]


def _page(picture: Callable[[], str], request: Request) -> HTMLResponse:
    """Streamlit's page with the picture. A link that asks for other settings gets it without: its picture is not this one."""
    return HTMLResponse(_empty() if request.query_params.keys() - {"at"} else picture(), headers={"Cache-Control": "no-cache"})


@lru_cache
def _race() -> str:
    race = payload(OPENING.problem, OPENING.tiling, OPENING.gpu, counts=counted(_recorded().runs, OPENING, LANES))
    return _filled(RACE_STYLE + style(), RACE + RACE_SCRIPT, race)


@lru_cache
def _chart(name: str) -> str:
    figure = FIGURES[name](OPENING, _recorded())
    charts = {theme: parts.drawn(figure, page_look(theme)) for theme in PALETTES}
    return _filled(CHART_STYLE, plot.SCRIPT + CHART_SCRIPT,
                   dict(title=figure.title, caption=parts.caption(figure), key=parts.chart_key(figure), charts=charts))


@lru_cache
def _recorded() -> Sources:
    return Sources([records.recording(file) for file in saved.recorded()])


def _filled(style: str, script: str, shown: dict) -> str:
    filled = dict(FONT=FONT.search(_empty())[1], STYLE=style, SCRIPT=script.replace("PAYLOAD", inline(shown)), PATIENCE=str(PATIENCE),
                  COLOURS=json.dumps(PALETTES))
    return _empty().replace(EMPTY, re.sub("|".join(filled), lambda word: filled[word[0]], FRAME))


@lru_cache
def _empty() -> str:
    return (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
