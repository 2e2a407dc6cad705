"""The simulator backend: Numba's own CUDA simulator, an independent oracle for small shapes. One Python thread per CUDA thread."""
import numpy as np

from numba_kernels.host import allocate, free_bytes, get, put, resources
from numba_kernels.ports import simulator_ports
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal

__all__ = ["allocate", "free_bytes", "get", "launch", "put", "require_small", "resources"]
MAX_LENGTH = 65


def require_small(problem) -> None:
    """Raises Refusal when the problem would take the simulator minutes."""
    if max(problem.seq_len, problem.kv_len) > MAX_LENGTH:
        raise Refusal(f"the simulator takes sequences up to {MAX_LENGTH}, not {max(problem.seq_len, problem.kv_len)}; "
                      f"use the cpu backend for longer ones.")


def launch(spec: KernelSpec, arrays: dict[str, np.ndarray], counting: str, progress=None) -> np.ndarray:
    """Runs the whole grid and returns int64 bytes per cell (zeros when counting is off)."""
    from numba.cuda.simulator import jit

    text = spec.text(spec.layout, spec.keys_seen, simulator_ports(counting, len(spec.cells), spec.dtype))
    counts = np.zeros(len(spec.cells), np.int64)
    sizes = (np.float32(value) if isinstance(value, float) else value for _, value in spec.sizes)
    jit(text)[spec.launch.grid, spec.launch.block, 0, spec.shared_bytes](*(arrays[name] for name in spec.arrays), counts, *sizes)
    if progress:
        progress(spec.blocks, spec.blocks)
    return counts
