"""KernelSpec: one kernel of an algorithm, ready for any backend."""
from collections.abc import Callable
from typing import NamedTuple

from traffic_model.layout import Launch, Layout
from traffic_model.ledger import Cell


class Box(NamedTuple):
    """An array that the kernel takes as a tensor map: its shape [heads, rows, columns], and the rows of what is copied at a time."""

    array: str
    shape: tuple[int, int, int]
    rows: int


class KernelSpec(NamedTuple):
    """What a backend compiles (`text(layout, keys_seen, ports)`) and how it launches it.

    text:      a factory that closes over everything that recompiles and returns the kernel.
    keys_seen: the mask, (i, N, M) -> number of keys that query i sees.
    dtype:     how arrays are stored in HBM, but for `scratch`, which is fp32.
    cells:     what each tally of the kernel counts, in order.
    arrays:    names of the arrays the kernel takes, in order; after them it takes the counts, then `sizes`.
    sizes:     run-time scalars: (name, value) pairs, int (64-bit) or float (fp32).
    scratch:   names of those arrays that are fp32 whatever the dtype.
    ports:     (spec, counting) -> the ports, where a kernel needs its own; such a kernel runs on the gpu backend alone.
    boxes:     the arrays that it takes as tensor maps.
    negated:   whether the scores are those of −Q.
    """

    text: Callable
    layout: Layout
    keys_seen: Callable
    dtype: str
    cells: tuple[Cell, ...]
    launch: Launch
    arrays: tuple[str, ...]
    sizes: tuple[tuple[str, int | float], ...]
    scratch: tuple[str, ...] = ()
    ports: Callable | None = None
    boxes: tuple[Box, ...] = ()
    negated: bool = False

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

    @property
    def shared_bytes(self) -> int:
        """Bytes of dynamic shared memory per block."""
        return self.launch.shared_bytes
