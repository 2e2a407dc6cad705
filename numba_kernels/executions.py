"""Executions: an algorithm run on the cpu backend, every access traced, with everything it leaves behind."""
from dataclasses import dataclass

import numpy as np

from numba_kernels import cpu, reference
from numba_kernels.run import ALGORITHMS, layout_of, make_inputs, written_arrays
from numba_kernels.spec import KernelSpec
from numba_kernels.storage import decode
from traffic_model.gpus import Gpu
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure


@dataclass(frozen=True, eq=False)
class Execution:
    """specs: its kernels; arrays: flat, by name, as they lie in HBM afterwards; requested: bytes counted; touched: bytes of the different
    elements in HBM that each kernel reads and writes, summed over the kernels, which are the compulsory ones where every element is
    needed; relative_error: ‖out − ref‖/‖ref‖ against float64."""

    problem: AttentionProblem
    specs: list[KernelSpec]
    arrays: dict[str, np.ndarray]
    requested: Ledger
    touched: Ledger
    relative_error: float

    def values(self, array: str) -> np.ndarray:
        """Q, K, V, S, P or O of a single head in fp32: [rows, columns]."""
        p = self.problem
        return decode(self.arrays[array], p.dtype).reshape(p.kv_len if array in "KV" else p.seq_len, -1)

    def watch(self, block: int, barriers: tuple[int, ...], moments: int) -> dict[str, np.ndarray]:
        """One block of a single kernel once more, watched (numba_kernels/cpu/watch.py)."""
        return cpu.watch(self.specs[0], self.arrays, block, barriers, moments)


def execute(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, seed: int = 0) -> Execution:
    """Runs on the inputs that `run` makes of this seed. Raises Refusal for an illegal tiling and for a problem too long to be traced."""
    specs, inputs = ALGORITHMS[algorithm](problem, layout_of(algorithm, problem, tiling, target)), make_inputs(problem, seed)
    arrays = {name: array.ravel() for name, array in inputs.items()}
    arrays |= {name: cpu.allocate(*how) for name, how in written_arrays(algorithm, problem).items()}
    moved = [cpu.moved(spec, arrays) for spec in specs]
    requested, touched = ([Ledger.of(measure, getattr(one, name)) for one in moved]
                          for name, measure in (("requested", Measure.REQUESTED), ("touched", Measure.COMPULSORY)))
    expected = reference.attention(*(decode(inputs[name], problem.dtype) for name in "QKV"), problem.mask, problem.scale)
    error, _ = reference.errors(decode(arrays["O"], problem.dtype).reshape(expected.shape), expected)
    return Execution(problem, specs, arrays, sum(requested[1:], requested[0]), sum(touched[1:], touched[0]), error)
