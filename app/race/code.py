"""The line of kernel text that moves a block: every access to HBM is one counted call, and its name says array and direction."""
import importlib
import re
from functools import lru_cache
from pathlib import Path

from app.race.rungs import Rung

KERNEL = re.compile(r"def (\w+)\(layout, keys_seen, ports\):")
ACCESS = re.compile(r"\b(?:hbm|scratch)\.(?:read|write)\(tally, ([A-Z]+)_(READ|WRITE),")


@lru_cache
def lines(rung: Rung) -> dict[str, list[str]]:
    """{"1 k read": ["fused.py:104  k_load[n] = hbm.read(…)", …]}: per kernel, array and direction, in the order of the text."""
    source = Path(importlib.import_module(f"numba_kernels.{rung.algorithm}").__file__)
    found, kernel = {}, 0
    for number, text in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
        kernel += bool(KERNEL.match(text))
        for array, direction in ACCESS.findall(text):
            found.setdefault(f"{kernel} {array.lower()} {direction.lower()}", []).append(f"{source.name}:{number}  {text.strip()}")
    return found
