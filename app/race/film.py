"""The race as its player shows it: on the dashboard, or in a file of its own."""
from pathlib import Path

from app.player import standalone
from app.player.component import component
from app.player.script import script

FILES = ("lane", "clock", "matrices", "hbm", "caches", "multiprocessor", "executed", "blackboard", "road", "bytes", "story", "code",
         "picture", "hover", "steps", "film")
SCRIPT = script(Path(__file__).parent / "player", FILES)
mount = component("race", SCRIPT)


def html(payload: dict, theme: str | None = None, autoplay: bool = True) -> str:
    """The race as one HTML file."""
    return standalone.html(SCRIPT, payload, f"Tilescope race, {', '.join(payload['conditions'])}", theme, autoplay)
