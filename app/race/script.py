"""The player's files as one script and one style sheet: the dashboard's component and the stand-alone page use the same text."""
from functools import lru_cache
from pathlib import Path

PLAYER = Path(__file__).parent / "player"
FILES = ("numbers", "palette", "lane", "clock", "pen", "matrices", "hbm", "caches", "multiprocessor", "road", "bytes", "story", "picture",
         "controls", "player")


@lru_cache
def script() -> str:
    """Every file in the order of dependence; it defines the class Player and touches nothing."""
    return "\n".join((PLAYER / f"{name}.js").read_text(encoding="utf-8") for name in FILES)


@lru_cache
def style() -> str:
    return (PLAYER / "player.css").read_text(encoding="utf-8")
