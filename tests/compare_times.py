"""python tests/compare_times.py: predicted device time beside every recorded one, and the median error per algorithm from N = 1,024 on."""
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from numba_kernels.saved import recorded, total_times_ms  # noqa: E402
from traffic_model import AttentionProblem, Tiling, find_gpu  # noqa: E402
from traffic_model.tables import table  # noqa: E402
from traffic_model.times import KernelTime, predicted_times  # noqa: E402
from traffic_model.units import milliseconds  # noqa: E402

FROM = 1024
PREDICTED = ("naive", "tiled", "fused", "fused_kv_outer")  # what the model of time has instructions of
WHERE_IT_FAILS = (
    "tiled and fused below N = 1,024: fewer than four warps per scheduler, so latencies are not hidden, as is assumed",
    "naive's softmax: a thread per row, lanes a row apart; each access waits for L2 or DRAM, which no part of the model does",
    "tiled's softmax from N = 8,192: its second pass over S no longer finds it in L2; compulsory bytes count S once",
    "fused_kv_outer: two warps per multiprocessor, each instruction waits for the one before it",
)


class Compared(NamedTuple):
    """A recorded run and its prediction, kernel by kernel, in ms; error is (predicted − timed) / timed of the sum over kernels."""

    algorithm: str
    problem: AttentionProblem
    kernels: tuple[KernelTime, ...]
    kernels_ms: tuple[float, ...]

    @property
    def predicted_ms(self) -> float:
        return sum(kernel.ms for kernel in self.kernels)

    @property
    def timed_ms(self) -> float:
        return sum(self.kernels_ms)

    @property
    def error(self) -> float:
        return self.predicted_ms / self.timed_ms - 1


def compared() -> list[Compared]:
    """Every recorded run that was timed, in order; a kernel's time is the median of its samples."""
    return [_compared(find_gpu(file.header["gpu"]), run) for file in recorded() for run in file.runs
            if run["algorithm"] in PREDICTED and total_times_ms(run)]


def _compared(gpu, run: dict) -> Compared:
    problem, tiling = AttentionProblem(**run["problem"]), Tiling(**run["tiling"])
    timed = tuple(statistics.median(kernel["times_ms"]) for kernel in run["kernels"])
    return Compared(run["algorithm"], problem, predicted_times(run["algorithm"], problem, tiling, gpu), timed)


def median_errors(runs: list[Compared]) -> dict[str, float]:
    """{algorithm: median of |error|} over the runs from N = 1,024 on."""
    errors = defaultdict(list)
    for run in runs:
        if run.problem.seq_len >= FROM:
            errors[run.algorithm].append(abs(run.error))
    return {algorithm: statistics.median(found) for algorithm, found in errors.items()}


if __name__ == "__main__":
    runs = sorted(compared(), key=lambda run: (run.algorithm, run.problem.dtype, run.problem.seq_len))
    print(table(["algorithm", "dtype", "N", "predicted", "timed", "error", "bound by"],
                [[run.algorithm, run.problem.dtype, run.problem.seq_len, milliseconds(run.predicted_ms), milliseconds(run.timed_ms),
                  f"{100 * run.error:+.0f} %", ", ".join(kernel.binds for kernel in run.kernels)] for run in runs]))
    print(f"\nMedian error from N = {FROM:,} on:")
    for algorithm, error in median_errors(runs).items():
        print(f"  {algorithm} {100 * error:.1f} %")
    print("\nWhere it fails, and which assumption:", *WHERE_IT_FAILS, sep="\n  ")
