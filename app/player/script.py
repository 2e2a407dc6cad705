"""A picture's files and the shared ones as one script and one style sheet: the dashboard and the stand-alone page use the same text."""
from functools import lru_cache
from pathlib import Path

SHARED = Path(__file__).parent
FIRST = ("numbers", "palette", "pen")
LAST = ("address", "stage", "note", "reel", "swatches", "lzw", "gif", "i420", "mp4", "h264", "save", "controls", "player")


@lru_cache
def script(folder: Path, names: tuple[str, ...]) -> str:
    """Every file in the order of dependence; it defines the class Player and touches nothing. `names`: those of `folder`, in order."""
    files = [*(SHARED / name for name in FIRST), *(folder / name for name in names), *(SHARED / name for name in LAST)]
    return "\n".join(file.with_suffix(".js").read_text(encoding="utf-8") for file in files)


@lru_cache
def style() -> str:
    return (SHARED / "player.css").read_text(encoding="utf-8")
