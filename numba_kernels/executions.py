"""Executions: an algorithm run on the cpu backend with everything it leaves behind, for a look at its values."""
from dataclasses import dataclass

import numpy as np

from numba_kernels import cpu, reference
from numba_kernels.ports import REQUESTS
from numba_kernels.results import ledger_of
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
    """specs: its kernels; arrays: flat, by name, as they lie in HBM afterwards; ledger: requested bytes counted; relative_error:
    ‖out − ref‖/‖ref‖ against float64."""

    problem: AttentionProblem
    specs: list[KernelSpec]
    arrays: dict[str, np.ndarray]
    ledger: Ledger
    relative_error: float

    def values(self, array: str) -> np.ndarray:
        """Q, K, V, S, P or O of a single head in fp32: [rows, columns]."""
        p = self.problem
        return decode(self.arrays[array], p.dtype).reshape(p.kv_len if array in "KV" else p.seq_len, -1)

    def first_touches(self) -> Ledger:
        """Bytes of the different elements that each kernel reads and writes in HBM, summed over the kernels: compulsory bytes, where every
        element is needed. The kernels run once more, traced."""
        touched = [Ledger.of(Measure.COMPULSORY, cpu.touched(spec, self.arrays)) for spec in self.specs]
        return sum(touched[1:], touched[0])

    def watch(self, block: int, barriers: tuple[int, ...], moments: int) -> dict[str, np.ndarray]:
        """One block of a single kernel once more, watched (numba_kernels/cpu/watch.py)."""
        return cpu.watch(self.specs[0], self.arrays, block, barriers, moments)


def execute(algorithm: str, problem: AttentionProblem, tiling: Tiling, target: Gpu, seed: int = 0) -> Execution:
    """Runs on the inputs that `run` makes of this seed. Raises Refusal for an illegal tiling."""
    specs, inputs = ALGORITHMS[algorithm](problem, layout_of(algorithm, problem, tiling, target)), make_inputs(problem, seed)
    arrays = {name: array.ravel() for name, array in inputs.items()}
    arrays |= {name: cpu.allocate(*how) for name, how in written_arrays(algorithm, problem).items()}
    ledgers = [ledger_of(spec.cells, REQUESTS, cpu.launch(spec, arrays, REQUESTS)) for spec in specs]
    expected = reference.attention(*(decode(inputs[name], problem.dtype) for name in "QKV"), problem.mask, problem.scale)
    error, _ = reference.errors(decode(arrays["O"], problem.dtype).reshape(expected.shape), expected)
    return Execution(problem, specs, arrays, sum(ledgers[1:], ledgers[0]), error)
