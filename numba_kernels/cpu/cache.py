"""Cache: generated sources and their machine code on disk, so that a second process need not compile.

A source lies in the cache folder under a name from its hash; Numba keeps its machine code beside it and checks processor and Numba
version itself. What it does not check is the code's integrity, and running damaged machine code would crash: so the hash of each of
Numba's files is kept too, and files that differ from it are removed before Numba sees them.
"""
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

SUMS = ".sums"
KEPT = 400  # sources; with their machine code less than 100 MB
OWN = re.compile(r"\w+_[0-9a-f]{20}")  # how a source is named


def cache_folder() -> Path:
    """Where generated kernels are kept: TILESCOPE_CACHE if set, else the user's cache folder; where neither can be written, a folder of
    this process alone."""
    chosen = os.environ.get("TILESCOPE_CACHE")
    try:
        folder = Path(chosen) if chosen else _user_cache() / "tilescope"
    except RuntimeError:  # nobody's home is known
        return own_folder()
    return folder if _writable(folder) else own_folder()


def own_folder() -> Path:
    """A folder of this process, gone when it ends. Never a fixed place in a shared folder: what lies there is executed."""
    return Path(_own().name)


def write_once(path: Path, text: str) -> None:
    """Writes a file unless it already says just that; in one step, so that another process never reads half of it."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    replace(path, text)


def replace(path: Path, text: str) -> None:
    """Writes a file in one step."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".tmp", delete=False) as new:
        new.write(text)
    os.replace(new.name, path)


def drop_damaged(files: Iterable[Path], sums: Path) -> None:
    """Removes every file whose content is not what `sums` says; all of them if there is no such record."""
    try:
        recorded = dict(line.split("  ")[::-1] for line in sums.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        recorded = {}
    for file in files:
        if recorded.get(file.name) != _sum(file):
            file.unlink(missing_ok=True)


def record(files: Iterable[Path], sums: Path) -> None:
    """Writes down the content of files that this process has just loaded or written."""
    replace(sums, "".join(f"{_sum(file)}  {file.name}\n" for file in sorted(files)))


def prune(folder: Path, keep: int = KEPT) -> None:
    """Removes all but the `keep` sources that were used last, each with its machine code; files that are not this cache's stay."""
    own = [path for path in folder.glob("*.py") if OWN.fullmatch(path.stem)]
    used = {path: path.stat().st_mtime for path in own if path.exists()}
    for path in sorted(used, key=used.get, reverse=True)[keep:]:
        for file in (*folder.glob(f"**/{path.stem}.*"), path):
            file.unlink(missing_ok=True)


@lru_cache
def _own():
    return tempfile.TemporaryDirectory(prefix="tilescope-")


def _sum(file):
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _writable(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _user_cache():
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
