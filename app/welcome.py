"""Welcome: the first page holds the race itself, so that it is on show while Streamlit is still being loaded.

Streamlit's own page is empty until a second or two of scripts have run. This one is the same page with the player in it, at the place
where the dashboard will want it; there the component `race` takes the player in, and the race that someone has started goes on.
"""
import re
from functools import lru_cache
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app import records
from app.player.script import style
from app.player.standalone import inline
from app.race.counted import counted
from app.race.film import SCRIPT
from app.race.payload import LANES, payload
from app.settings import OPENING
from numba_kernels import saved

EMPTY = '<div id="root"></div>'
FONT = re.compile(r'href="([^"]+\.woff2)"')  # Streamlit's, which it asks for on this very page
WELCOME = EMPTY + """
<style>
@font-face { font-family: "Source Sans"; src: url("FONT") format("woff2"); font-weight: 200 900; }
#welcome { position: fixed; inset: 60px 0 0 300px; padding: 8px 16px; font-family: "Source Sans", sans-serif; }
@media (max-width: 768px) { #welcome { left: 0; } }
STYLE
</style>
<div id="welcome"><div></div></div>
<script>
(() => {
"use strict";
SCRIPT
  const chosen = localStorage.getItem("stActiveTheme-/-v2"), system = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = chosen === '"Dark"' || (chosen !== '"Light"' && system) ? "dark" : "light";
  const welcome = document.querySelector("#welcome"), { pathname } = location;
  const player = new Player(welcome.firstElementChild, PAYLOAD, { theme, autoplay: false, linked: true });
  document.body.style.background = welcome.style.background = player.palette.ground;
  document.fonts.load("16px 'Source Sans'").then(() => player.setTheme(theme));
  window.tilescopeWelcome = { race: player };

  // The component takes the player and removes the rest. A page that shows something else, be it an error, is not to be covered.
  let waiting;
  const running = new MutationObserver(() => {
    const ran = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
    if (ran) waiting ??= setTimeout(() => welcome.remove(), PATIENCE);
    if (location.pathname !== pathname) welcome.remove();
    if (!welcome.isConnected) running.disconnect();
  });
  running.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-test-script-state"] });
})();
</script>"""
PATIENCE = 3000  # ms from the end of the first run to the component's code being there


def page(request: Request) -> HTMLResponse:
    """Streamlit's page with the race. A link that asks for other settings gets it without: its race is not this one."""
    wanted = _page() if request.query_params.keys() <= {"at"} else _empty()
    return HTMLResponse(wanted, headers={"Cache-Control": "no-cache"})  # as Streamlit sends it


@lru_cache
def _page() -> str:
    runs = [run for file in saved.recorded() for run in records.recording(file)[1]]
    race = payload(OPENING.problem, OPENING.tiling, OPENING.gpu, counts=counted(runs, OPENING, LANES))
    filled = dict(FONT=FONT.search(_empty())[1], STYLE=style(), SCRIPT=SCRIPT, PAYLOAD=inline(race), PATIENCE=str(PATIENCE))
    return _empty().replace(EMPTY, re.sub("|".join(filled), lambda word: filled[word[0]], WELCOME))


@lru_cache
def _empty() -> str:
    return (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
