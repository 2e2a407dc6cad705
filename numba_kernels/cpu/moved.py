"""Moved: what a grid's accesses come to when every one of them is traced: bytes requested, and bytes touched for the first time."""
from collections import Counter
from typing import NamedTuple

import numpy as np

from numba_kernels.cpu.text import kernel_text
from numba_kernels.cpu.trace import kept_accesses
from numba_kernels.cpu.warp_log import LANES
from numba_kernels.spec import KernelSpec
from traffic_model.ledger import Cell
from traffic_model.vocabulary import Space


class Moved(NamedTuple):
    """Bytes that a grid's accesses name: requested of every cell; touched of those in HBM, each element of an array counted once however
    often it is named, scratch left out."""

    requested: dict[Cell, int]
    touched: dict[Cell, int]


def moved(spec: KernelSpec, arrays: dict[str, np.ndarray]) -> Moved:
    """Runs the whole grid, block after block, every access traced. Outputs are written in place. Raises as `trace`."""
    scratch = {name for name, given in zip(kernel_text(spec).parameters, spec.arrays) if given in spec.scratch}
    requested, elements = Counter(dict.fromkeys(spec.cells, 0)), {}
    for block in range(spec.blocks):
        kernel, kept, log, *_ = kept_accesses(spec, arrays, block, None)
        sites = log[kept[:, 2], LANES]
        for number, site in enumerate(kernel.sites):
            cell, indices = spec.cells[site.cell], kept[sites == number, 3:]
            named = indices[indices >= 0]
            requested[cell] += site.bytes * len(named)
            if cell.space == Space.HBM and site.array not in scratch:
                elements.setdefault((cell, site.bytes), set()).update(np.unique(named).tolist())
    return Moved(dict(requested), {cell: size * len(of_cell) for (cell, size), of_cell in elements.items()})
