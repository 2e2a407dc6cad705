"""compare: the ladder beside PyTorch's attention kernels, on the same inputs, in one run."""
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from numba_kernels import libraries, reference, saved
from numba_kernels.run import inputs_and_expected, run
from numba_kernels.saved import LIBRARY
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout.fused_tensor_core import FusedTensorCoreLayout
from traffic_model.layout.tensor_core import NAME
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

COUNTING = "requests"


class Compared(NamedTuple):
    """One kernel or backend: its saved-run object, or why there is none."""

    name: str
    record: dict | None
    refused: str = ""

    @property
    def ms(self) -> float:
        """Median of the whole attention."""
        return statistics.median(saved.total_times_ms(self.record))

    @property
    def tflops(self) -> float:
        return saved.tflops(self.record)


@dataclass(frozen=True)
class Comparison:
    """What was compared: the libraries first, then the ladder's algorithms. ceiling_tflops: a large matrix product, measured here."""

    problem: AttentionProblem
    ceiling_tflops: float
    compared: tuple[Compared, ...]


def compare(algorithms: list[str], problem: AttentionProblem, tilings: list[Tiling], target: Gpu, seed: int, repeat: int, warmup: int,
            say: Callable[[str], None] = print) -> Comparison:
    """Device times, counting off, of every backend and of every algorithm; errors against float64 of the stored inputs.

    tilings: of the CUDA-core rungs; fused_tensor_core takes the one that suits it. The ladder's requests are counted, too. Raises Refusal
    without PyTorch or without a GPU; what one kernel or backend does not take is said in its line.
    """
    ceiling = libraries.measured_ceiling(problem)
    inputs, rows, expected = inputs_and_expected(problem, seed)
    compared = []
    for library in libraries.run_libraries(problem, inputs, repeat):
        compared.append(_library(library, problem, expected, rows, seed))
        say(library.name)
    for algorithm in algorithms:
        compared += _ladder(algorithm, problem, tilings, target, seed, repeat, warmup)
        say(algorithm)
    return Comparison(problem, ceiling, tuple(compared))


def _ladder(algorithm, problem, tilings, target, seed, repeat, warmup) -> Iterator[Compared]:
    """An algorithm's lines, one per tiling."""
    for chosen in [None] if algorithm == NAME else tilings:
        try:
            tiling = chosen or FusedTensorCoreLayout.best_tiling(problem, target)
            yield Compared(f"{algorithm} {tiling}", run(algorithm, problem, tiling, target, "gpu", COUNTING, seed, repeat, warmup).record())
        except Refusal as refusal:
            yield Compared(f"{algorithm} {chosen}" if chosen else algorithm, None, str(refusal))


def _library(library, problem, expected, rows, seed) -> Compared:
    """A library's line in the words of a saved run: a tiling that means nothing, no layout, nothing counted, one kernel."""
    if library.refused:
        return Compared(library.name, None, library.refused)
    relative, largest = reference.errors(library.output[:, :, rows], expected)
    kernel = dict(name=library.name, grid=[], block=[], measures=[], ledger=[], times_ms=list(library.times_ms), counted_times_ms=None,
                  registers_per_thread=None, shared_bytes=None, local_bytes=None)
    return Compared(library.name, dict(
        algorithm=library.name, problem=problem.record(), tiling=Tiling().record(), layout={}, measures=[], ledger=[], flops=problem.flops,
        compulsory_bytes=problem.compulsory_one_kernel_bytes, backend=LIBRARY, counting="off", seed=seed, checked_rows=len(rows),
        relative_error=relative, max_abs_error=largest, accesses_checked=False, kernels=[kernel]))
