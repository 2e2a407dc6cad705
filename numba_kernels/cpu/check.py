"""Check: a kernel run block after block with every access looked at, and what was wrong with it in sentences.

Faults are an index outside its array, a read of shared memory that no thread of the block has written, and races: two threads access an
element, at least one of them writes it, and no barrier that both pass lies between. Threads of different blocks are never ordered. Two
threads that write the same value race too: which of them comes last is left open, and CUDA promises nothing for it.
"""
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np

from numba_kernels.cpu.arguments import checked_arguments
from numba_kernels.cpu.compile import compiled
from numba_kernels.cpu.generate import CHECK, generate
from numba_kernels.cpu.shadow import COLUMNS, FAULTS, OUTSIDE, UNWRITTEN
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal
from traffic_model.units import decimal_bytes

SHADOW_LIMIT = 2**32  # bytes
KINDS = ("outside", "race", "unwritten")


class Thread(NamedTuple):
    """thread: its linear number in the block, x fastest; block: its linear number in the grid."""

    thread: int
    block: int

    def __str__(self) -> str:
        return f"thread {self.thread} of block {self.block}"


class Fault(NamedTuple):
    """What one access does wrong. line, array, index: where in `file`, and which element, by the name that the text gives the array.

    kind: "outside", "unwritten" or "race"; verb: "reads" or "writes"; other, other_line, other_verb: the second thread of a race, which
    came first here, where, and whether it "read" or "wrote".
    """

    kind: str
    file: str
    line: int
    array: str
    index: int
    verb: str
    thread: Thread
    other: Thread | None = None
    other_line: int | None = None
    other_verb: str | None = None

    def __str__(self) -> str:
        said = f"{self.file}, line {self.line}: {self.thread} {self.verb} {self.array}[{self.index}]"
        if self.kind == "outside":
            return f"{said}, which is outside the array."
        if self.kind == "unwritten":
            return f"{said}, which no thread of the block has written."
        return f"{said}, which {self.other} {self.other_verb} in line {self.other_line}, with no barrier between."


class Faulty(Refusal):
    """A kernel with faults, each of them in `faults`."""

    def __init__(self, faults: list[Fault]):
        others = f" There {'is' if len(faults) == 2 else 'are'} {len(faults) - 1} more." if len(faults) > 1 else ""
        super().__init__(f"{faults[0]}{others}")
        self.faults = faults


def check(spec: KernelSpec, arrays: dict[str, np.ndarray]) -> list[Fault]:
    """Runs the whole grid and returns the faults, each kind between the same accesses in the text once: what reads or writes outside,
    then races, then what nobody wrote; those of a kind in the order in which they were met.

    arrays: as for `launch`, but copies: a kernel with faults leaves nothing to rely on. Raises Unfaithful for a kernel that cannot be run
    faithfully, Refusal where too much would have to be remembered.
    """
    given, sizes = checked_arguments(spec, arrays)
    needed = sum(array.size for array in given) * COLUMNS * 8
    if needed > SHADOW_LIMIT:
        raise Refusal(f"checking {spec.launch.name} takes {decimal_bytes(needed)} of memory, {COLUMNS * 8} bytes for each element in HBM; "
                      f"check a shorter sequence.")
    kernel, found = generate(spec, CHECK), np.zeros((FAULTS, 6), np.int64)
    arguments = (0, spec.blocks, *spec.launch.grid, *given, found, *sizes)
    compiled(kernel, tuple(map(numba.typeof, arguments)))(*arguments)
    faults = [_fault(row, kernel.accesses, spec) for row in found[1:found[0, 0] + 1].tolist()]
    return sorted(faults, key=lambda fault: KINDS.index(fault.kind))


def require_no_faults(spec: KernelSpec, arrays: dict[str, np.ndarray]) -> None:
    """Raises Faulty if `check` finds anything."""
    if faults := check(spec, arrays):
        raise Faulty(faults)


def _fault(row, accesses, spec):
    kind, access, thread, index, other, other_thread = row
    who = lambda number: Thread(number % spec.threads, number // spec.threads)
    line, array, writes = accesses[access]
    first = (Path(spec.text.__code__.co_filename).name, line, array, index, "writes" if writes else "reads", who(thread))
    if kind in (OUTSIDE, UNWRITTEN):
        return Fault("outside" if kind == OUTSIDE else "unwritten", *first)
    return Fault("race", *first, who(other_thread), accesses[other].line, "wrote" if accesses[other].write else "read")
