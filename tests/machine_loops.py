"""The loops of a kernel's machine code, compiled for compute capability 9.0 without a GPU: how many instructions stand in each."""
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import offline

INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?);")
JUMP = re.compile(r"BRA .*?0x([0-9a-f]+)")
ACCESS = re.compile(r"\b(LDG|STG)\b")


class Loops(NamedTuple):
    """Instructions in each loop but not in a loop within it, by where the loops end, inner ones first; those in none; and of those
    what a jump forward skips together with an access to HBM: unrolled for the elements that fill no round, or guarded."""

    own: list[int]
    outside: int
    jumped_over: int


def loops(spec) -> Loops:
    """The loops of a kernel as it is timed: counting off. A jump backwards ends a loop; the trap behind the last instruction is none."""
    text, signature = offline.counted_text(spec, "off")
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(offline.ptx(text, signature, spec.launch))
        offline._tool("nvidia-cuda-nvcc", "ptxas", "-arch=sm_90", "-O3", source, "-o", cubin)
        listing = offline._tool("nvidia-cuda-cuobjdump", "cuobjdump", "-sass", cubin)
    code = [(int(address, 16), words) for address, words in INSTRUCTION.findall(listing)]
    found = [(int(jump[1], 16), address) for address, words in code if (jump := JUMP.search(words)) and int(jump[1], 16) < address]
    inside = lambda first, last: {address for address, _ in code if first <= address <= last}
    own = [len(inside(*loop).difference(*(inside(*other) for other in found if within(other, loop)))) for loop in found]
    real = {address for address, words in code if words != "NOP"}
    outside = real.difference(*(inside(*loop) for loop in found))
    ahead = [(address, int(jump[1], 16)) for address, words in code if (jump := JUMP.search(words)) and int(jump[1], 16) > address]
    accesses = {address for address, words in code if ACCESS.search(words)}
    over = [inside(*jump) - set(jump) for jump in ahead if not any(within(loop, jump) for loop in found)]
    return Loops(own, len(outside), len(outside.intersection(*[set().union(*(each for each in over if each & accesses))])))


def within(inner: tuple, outer: tuple) -> bool:
    """Whether one loop stands in another."""
    return inner != outer and outer[0] <= inner[0] and inner[1] <= outer[1]
