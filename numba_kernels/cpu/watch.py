"""Watch: the values that the threads of one block hold when they meet a barrier."""
import math
from collections.abc import Iterable

import numba
import numpy as np

from numba_kernels.cpu.arguments import checked_arguments
from numba_kernels.cpu.compile import compiled
from numba_kernels.cpu.generate import generate
from numba_kernels.cpu.text import kernel_text
from numba_kernels.cpu.watched import WATCH
from numba_kernels.spec import KernelSpec

MOST_BARRIERS = 64  # in one kernel's text


def watch(spec: KernelSpec, arrays: dict[str, np.ndarray], block: int, barriers: Iterable[int], moments: int) -> dict[str, np.ndarray]:
    """Runs one block, by its linear number, and returns what each value was whenever the block met one of `barriers`, which are counted
    from 0 in the order of the text, at most `moments` times.

    By name in the text: [moments, threads, …] of what outlives a barrier in a thread, the threads x fastest; [moments, elements] of an
    fp32 array in HBM. Zeros for moments that never came. Outputs are written in place; raises as `launch`.
    """
    given, sizes = checked_arguments(spec, arrays)
    kernel, looked_at = generate(spec, WATCH), np.zeros(MOST_BARRIERS, np.int64)
    looked_at[list(barriers)] = 1
    in_hbm = {name: array.shape for name, array in zip(kernel_text(spec).parameters, given)}
    shapes = {name: shape or in_hbm[name] for name, shape, _ in kernel.watched}
    logs = {name: np.zeros((moments, math.prod(shapes[name])), dtype) for name, _, dtype in kernel.watched}
    arguments = (block, block + 1, *spec.launch.grid, *given, looked_at, *sizes, *logs.values())
    compiled(kernel, tuple(map(numba.typeof, arguments)))(*arguments)
    return {name: log.reshape(moments, *shapes[name]) for name, log in logs.items()}
