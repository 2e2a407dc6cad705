"""Watched: the source that keeps, at chosen barriers, what each thread holds in its registers and what lies in the arrays in HBM.

    cuda.syncthreads()    ->    if barriers[3] != 0 and moment < len(m_log):
                                    noted(m_log, moment, m_of)
                                    moment += 1

Only values that outlive a barrier can be seen: the others have no place of their own there, on a GPU as here.
"""
import numba
import numpy as np

from numba_kernels.cpu.coordinates import Coordinates
from numba_kernels.cpu.header import Header
from numba_kernels.cpu.lifetimes import Lifetimes
from numba_kernels.cpu.memory import Memory
from numba_kernels.cpu.names import Names

WATCH = "watch"  # the form of the source that keeps values, beside the modes of counting


@numba.njit(nogil=True)
def noted(log, moment, held):
    """A row of the log: all that is held, one after the other. Sources call it: copied where they stand, rows take long to compile."""
    values = held.reshape(-1)
    for place in range(values.size):
        log[moment, place] = values[place]


class Watched:
    """logs: name in the text -> name of its log; table: name, shape with a row per thread, None for an array in HBM, and dtype."""

    def __init__(self, at: Coordinates, memory: Memory, lifetimes: Lifetimes, kept: dict[str, np.dtype], names: Names, header: Header,
                 barriers: str, scratch: list[str]):
        """barriers: name of the parameter that says which barriers, in the order of the text, are looked at; scratch: in HBM."""
        threads = (int(np.prod(at.threads)),)
        lasting = lifetimes.saved | lifetimes.rows
        local = [(name, threads + array.shape, array.dtype) for name, array in memory.local.items() if name in lasting]
        in_hbm = [(name, None, np.dtype(np.float32)) for name in scratch]
        self.table = (*((name, threads, dtype) for name, dtype in kept.items()), *local, *in_hbm)
        self.logs = {name: names(f"{name}_log") for name, _, _ in self.table}
        self.noted, self.barriers, self.moment, self.met = header.shared(noted), barriers, names("moment"), 0

    def declarations(self) -> list[str]:
        return [f"{self.moment} = 0"]

    def at_barrier(self, arrays: dict[str, str]) -> list[str]:
        """arrays: what is kept per thread -> the array of it; the others are named as they are."""
        first = next(iter(self.logs.values()), None)
        if first is None:
            return []
        notes = [f"    {self.noted}({log}, {self.moment}, {arrays.get(name, name)})" for name, log in self.logs.items()]
        condition = f"if {self.barriers}[{self.met}] != 0 and {self.moment} < len({first}):"
        self.met += 1
        return [condition, *notes, f"    {self.moment} += 1"]
