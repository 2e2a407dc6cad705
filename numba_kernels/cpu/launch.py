"""Launch: the blocks of a grid, run by several threads in chunks of a few hundredths of a second."""
import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import numba
import numpy as np

from numba_kernels.cpu.arguments import checked_arguments
from numba_kernels.cpu.compile import compiled
from numba_kernels.cpu.generate import generate
from numba_kernels.cpu.warp_log import workspace
from numba_kernels.ports import COUNTING_MODES, MEASURES, OFF, WARPS
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal

CHUNK_SECONDS = 0.03  # long against the cost of handing one out, short enough to cancel between two
GROWTH = 8  # a chunk has at most this many times the blocks of the last: the first ones are too short to be timed well


def launch(spec: KernelSpec, arrays: dict[str, np.ndarray], counting: str,
           progress: Callable[[int, int], None] | None = None) -> np.ndarray:
    """Runs the whole grid and returns the counts: bytes per cell of the spec, int64; zeros when counting is "off"; when it is "warps" a
    row per cell, with a column for each of its measures (numba_kernels.ports.MEASURES) and zeros where the cell has no such measure.

    arrays: flat, contiguous arrays of the spec's storage by name; outputs are written in place.
    progress(blocks done, blocks) is called from this thread between chunks; what it raises stops the rest and is raised here.
    Raises Unfaithful for a kernel text that cannot be run faithfully, Refusal for a wrong argument and for a kernel whose warps make
    more accesses between two barriers than memory should hold.
    """
    if counting not in COUNTING_MODES:
        raise Refusal(f"counting {counting} is not known on the cpu; choose {', '.join(COUNTING_MODES)}.")
    given, sizes = checked_arguments(spec, arrays)
    shape = (len(spec.cells), len(MEASURES[WARPS])) if counting == WARPS else len(spec.cells)

    def run_blocks(first, last):
        counts, own = np.zeros(shape, np.int64), idle.pop() if idle else new_workspace()
        start = time.perf_counter()
        function(first, last, *spec.launch.grid, *given, *([] if counting == OFF else [counts]), *own, *sizes)
        idle.append(own)
        return counts, last - first, time.perf_counter() - start

    kernel = generate(spec, counting)
    new_workspace = lambda: workspace(np.array(kernel.loops)) if counting == WARPS else ()
    idle = [new_workspace()]  # at any time: one for every worker at most, minus those in use
    types = map(numba.typeof, (*given, *([] if counting == OFF else [np.zeros(shape, np.int64)]), *idle[0], *sizes))
    function = compiled(kernel, (numba.int64,) * 5 + tuple(types))
    try:
        return _in_chunks(run_blocks, spec.blocks, np.zeros(shape, np.int64), progress or (lambda done, blocks: None))
    except MemoryError:
        raise Refusal(f"a warp of {spec.launch.name} makes too many accesses between two barriers for them to be held at once; take a "
                      f"shorter sequence, or count requests.") from None


def _in_chunks(run_blocks, blocks, counts, progress):
    """Adds up the counts of all blocks. Two chunks per worker are out at any time, so that none waits for this thread."""
    workers = numba.config.NUMBA_NUM_THREADS  # the processors this process may use, or the environment variable of that name
    done, handed_out, size, running = 0, 0, 1, set()
    with ThreadPoolExecutor(workers, "tilescope-cpu") as pool:
        try:
            while done < blocks:
                while handed_out < blocks and len(running) < 2 * workers:
                    first, handed_out = handed_out, min(handed_out + size, blocks)
                    running.add(pool.submit(run_blocks, first, handed_out))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for chunk in finished:
                    chunk_counts, chunk_blocks, seconds = chunk.result()
                    counts += chunk_counts
                    done += chunk_blocks
                    fair = math.ceil((blocks - handed_out) / (2 * workers))  # towards the end smaller, so that all end together
                    size = max(1, min(GROWTH * chunk_blocks, int(chunk_blocks * CHUNK_SECONDS / max(seconds, 1e-9)), fair))
                progress(done, blocks)
        finally:
            pool.shutdown(cancel_futures=True)
    return counts
