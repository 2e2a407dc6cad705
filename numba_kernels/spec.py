"""KernelSpec: one kernel of an algorithm, ready for any backend."""
from collections.abc import Callable
from typing import NamedTuple

from traffic_model.layout import FusedLayout, Launch, NaiveLayout
from traffic_model.ledger import Cell


class KernelSpec(NamedTuple):
    """What a backend compiles (`text(layout, keys_seen, ports)`) and how it launches it.

    text:      a factory that closes over everything that recompiles and returns the kernel.
    keys_seen: the mask, (i, N, M) -> number of keys that query i sees.
    cells:     what each tally of the kernel counts, in order.
    arrays:    names of the arrays the kernel takes, in order; after them it takes the counts, then `sizes`.
    sizes:     run-time scalars: (name, value) pairs, int (64-bit) or float (fp32).
    """

    text: Callable
    layout: NaiveLayout | FusedLayout
    keys_seen: Callable
    cells: tuple[Cell, ...]
    launch: Launch
    shared_bytes: int
    arrays: tuple[str, ...]
    sizes: tuple[tuple[str, int | float], ...]

    @property
    def threads(self) -> int:
        """Threads per block."""
        x, y, z = self.launch.block
        return x * y * z

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        x, y, z = self.launch.grid
        return x * y * z
