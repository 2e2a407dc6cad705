"""The ring as its player shows it: on the dashboard, or in a file of its own."""
from pathlib import Path

from app.player import standalone
from app.player.component import component
from app.player.script import script

SCRIPT = script(Path(__file__).parent / "player", ("track", "members", "pairs", "totals", "details", "film"))
mount = component("ring", SCRIPT)


def html(payload: dict, theme: str | None = None, autoplay: bool = True) -> str:
    """The ring as one HTML file."""
    return standalone.html(SCRIPT, payload, f"Tilescope ring, {', '.join(payload['conditions'])}", theme, autoplay)
