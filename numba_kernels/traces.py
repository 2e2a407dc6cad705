"""Traces: what one block of an algorithm's kernel does, warp access by warp access, on the cpu backend."""
from numba_kernels import cpu
from numba_kernels.run import ALGORITHMS, layout_of, make_inputs, written_arrays
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling


def trace(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, kernel: str, block: int = 0,
          warp: int | None = None) -> list[cpu.WarpAccess]:
    """The accesses of one warp, or of all, of one block of the kernel of this name. The kernels before it run whole, uncounted.

    Raises Refusal for an illegal tiling, for a kernel, a block or a warp that is not there, and for a trace that would be too long.
    """
    specs = ALGORITHMS[algorithm](problem, layout_of(algorithm, problem, tiling, target))
    names = [spec.launch.name for spec in specs]
    if kernel not in names:
        raise Refusal(f"{algorithm} has no kernel {kernel}; choose {' or '.join(names)}.")
    arrays = {name: array.ravel() for name, array in make_inputs(problem, seed=0).items()}
    arrays |= {name: cpu.allocate(*how) for name, how in written_arrays(algorithm, problem).items()}
    for spec in specs[:names.index(kernel)]:
        cpu.launch(spec, arrays, "off")
    return cpu.trace(specs[names.index(kernel)], arrays, block, warp)
