"""Launch: the blocks of a grid, run by several threads in chunks of a few hundredths of a second."""
import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import numba
import numpy as np

from numba_kernels.cpu.compile import compiled
from numba_kernels.cpu.generate import generate, host_dtype
from numba_kernels.ports import COUNTING_MODES, OFF
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal

CHUNK_SECONDS = 0.03  # long against the cost of handing one out, short enough to cancel between two
GROWTH = 8  # a chunk has at most this many times the blocks of the last: the first ones are too short to be timed well


def launch(spec: KernelSpec, arrays: dict[str, np.ndarray], counting: str,
           progress: Callable[[int, int], None] | None = None) -> np.ndarray:
    """Runs the whole grid and returns the counts: bytes per cell of the spec, int64; zeros when counting is "off".

    arrays: flat, contiguous arrays of the spec's storage by name; outputs are written in place.
    progress(blocks done, blocks) is called from this thread between chunks; what it raises stops the rest and is raised here.
    Raises Unfaithful for a kernel text that cannot be run faithfully, Refusal for a wrong argument.
    """
    if counting not in COUNTING_MODES:
        raise Refusal(f"counting {counting} is not known on the cpu; choose {' or '.join(COUNTING_MODES)}.")
    given = [_checked(name, arrays[name], spec) for name in spec.arrays]
    sizes = [np.float32(value) if isinstance(value, float) else int(value) for _, value in spec.sizes]

    def run_blocks(first, last):
        counts = np.zeros(len(spec.cells), np.int64)
        start = time.perf_counter()
        function(first, last, *spec.launch.grid, *given, *([] if counting == OFF else [counts]), *sizes)
        return counts, last - first, time.perf_counter() - start

    types = [numba.typeof(argument) for argument in (*given, *([] if counting == OFF else [np.zeros(1, np.int64)]), *sizes)]
    function = compiled(generate(spec, counting), (numba.int64,) * 5 + tuple(types))
    return _in_chunks(run_blocks, spec.blocks, len(spec.cells), progress or (lambda done, blocks: None))


def _in_chunks(run_blocks, blocks, cells, progress):
    """The sum of the counts of all blocks. Two chunks per worker are out at any time, so that none waits for this thread."""
    workers = numba.config.NUMBA_NUM_THREADS  # the processors this process may use, or the environment variable of that name
    counts, done, handed_out, size, running = np.zeros(cells, np.int64), 0, 0, 1, set()
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


def _checked(name, array, spec):
    """The array as the generated source takes it. float16 comes in as such and goes on as its bits."""
    wanted = host_dtype(spec, name)
    if array.dtype == np.float16 and wanted == np.uint16:
        array = array.view(wanted)
    if not (array.ndim == 1 and array.dtype == wanted and array.flags.c_contiguous and array.flags.writeable):
        raise Refusal(f"array {name} is {array.dtype} of shape {array.shape}; the cpu backend takes flat, contiguous, writable {wanted}.")
    return array
