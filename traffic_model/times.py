"""Predicted time: the slowest of what a kernel asks of each part of the GPU, and which part that is.

Every part is taken to work at its own rate all the time, beside the others, and latencies to be hidden. Rates are datasheet peaks or
ceilings measured with other programs (rates.py), instructions were read in machine code (instructions.py): of the recorded times that it
is compared with, the model knows only the shortest, LAUNCH_MS. That any mix of instructions is issued at the share of the peak that a
matrix product reaches is an assumption, which those recordings bear out from N = 1,024 on; ASSUMPTIONS has it and the others.
"""
import math
from dataclasses import dataclass

from traffic_model.gpus import Gpu
from traffic_model.instructions import instructions
from traffic_model.kernel import Kernel
from traffic_model.layout import Layout
from traffic_model.layout.blocked import PATCH_ROWS, WARP_ROWS
from traffic_model.layout.common import WARP, ceil_div
from traffic_model.ledger import Ledger
from traffic_model.predict import predict
from traffic_model.problem import AttentionProblem
from traffic_model.rates import best_known
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Array, Direction, Measure, Space

DRAM, L2, L1, SHARED, ARITHMETIC, LAUNCH = "DRAM", "L2", "L1", "shared memory", "arithmetic", "launch"
LAUNCH_MS = 0.0049  # the shortest launch recorded on an H200 (tiled's softmax, N = 256, causal), which had next to nothing else to do
BYTES_PER_MS = 1e6  # at 1 GB/s
LINE = 128  # bytes; L1 looks up one line a clock
FP32 = 4  # bytes
HIDING_WARPS = 4  # per scheduler: with fewer, latency shows
ASSUMPTIONS = {
    DRAM: "compulsory bytes: what L2 keeps from one kernel to the next is not taken off, what it loses within a kernel not added",
    L2: "requested bytes, as if no L1 served any and every sector were used whole",
    L1: "the lines that one warp access names, one a clock and multiprocessor",
    SHARED: "a 128-bit read of a warp takes two wavefronts, any other access one for 128 bytes; no bank conflicts",
    ARITHMETIC: "instructions as compiled for 9.0, issued at the share of peak that a measured fp32 product reaches; enough "
                "warps to hide latency (not with fewer than four warps per scheduler); blocks alike (not under a causal mask)",
    LAUNCH: "the device's part of a launch alone; the host's is not in a recorded time either",
}


@dataclass(frozen=True)
class KernelTime:
    """One launch: milliseconds that each part of the GPU would need, working alone."""

    name: str
    parts: dict[str, float]

    @property
    def ms(self) -> float:
        return max(self.parts.values())

    @property
    def binds(self) -> str:
        """The slowest part."""
        return max(self.parts, key=self.parts.get)

    def record(self) -> dict:
        """The time as a JSON object."""
        return dict(name=self.name, ms=self.ms, binds=self.binds, parts_ms=self.parts)


def predicted_times(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> tuple[KernelTime, ...]:
    """Device time of each launch in order. L2 has no part where no rate of it is known. Raises Refusal as `predict` does."""
    prediction = predict(algorithm, problem, tiling, gpu)
    return tuple(KernelTime(kernel.name, _parts(kernel, algorithm, problem, prediction.layout, gpu)) for kernel in prediction.kernels)


def issue_share(gpu: Gpu) -> float:
    """What a measured fp32 matrix product reaches of the datasheet's peak; 1 where none was measured."""
    return best_known(gpu, "fp32").value / gpu.fp32_tflops


def _parts(kernel: Kernel, algorithm: str, problem: AttentionProblem, layout: Layout, gpu: Gpu) -> dict[str, float]:
    clocks_per_ms = gpu.boost_mhz * 1e3
    blocks = math.prod(kernel.launch.grid)
    busiest = ceil_div(blocks, gpu.multiprocessors) / blocks  # the share of all work that the busiest multiprocessor has
    parts = {
        DRAM: kernel.ledger.total(Measure.COMPULSORY, space=Space.HBM) / best_known(gpu, "dram").value / BYTES_PER_MS,
        L1: busiest * _lines(kernel, algorithm, problem) / clocks_per_ms,
        SHARED: busiest * _wavefront_bytes(kernel.ledger) / gpu.shared_bytes_per_clock / clocks_per_ms,
        ARITHMETIC: busiest * _clocks(kernel, algorithm, problem, layout, gpu) / issue_share(gpu) / clocks_per_ms,
        LAUNCH: LAUNCH_MS,
    }
    l2 = best_known(gpu, "l2")
    return parts | ({L2: kernel.ledger.total(Measure.REQUESTED, space=Space.HBM) / l2.value / BYTES_PER_MS} if l2 else {})


def _clocks(kernel: Kernel, algorithm: str, problem: AttentionProblem, layout: Layout, gpu: Gpu) -> float:
    """Clocks of one multiprocessor that had all the work: an instruction a clock and partition that has a warp, multiply-adds by lanes."""
    work = instructions(kernel, algorithm, problem, layout)
    resident = ceil_div(math.prod(kernel.launch.block), WARP) * ceil_div(math.prod(kernel.launch.grid), gpu.multiprocessors)
    lanes = gpu.fp32_tflops * 1e6 / (2 * gpu.multiprocessors * gpu.boost_mhz)
    return max(work.issued / min(gpu.partitions, resident), work.multiply_adds * WARP / lanes)


def _lines(kernel: Kernel, algorithm: str, problem: AttentionProblem) -> float:
    """Lines of 128 bytes that the warp accesses to HBM name: as many as the rows its lanes stand in, one where they stand along a row."""
    e, d, m = problem.element_bytes, problem.head_dim, problem.kv_len
    apart = lambda row_bytes: max(1, WARP * min(1, row_bytes / LINE))  # a row each; short rows share a line
    rows = {
        ("naive", "scores"): {Array.K: apart(d * e)},
        ("naive", "softmax"): {Array.S: apart(m * e), Array.P: apart(m * e)},
        ("tiled", "scores"): {Array.Q: PATCH_ROWS, Array.K: PATCH_ROWS},
        ("tiled", "output"): {Array.P: PATCH_ROWS, Array.V: PATCH_ROWS, Array.O: WARP_ROWS},
        ("fused", "fused"): {Array.Q: PATCH_ROWS, Array.K: PATCH_ROWS, Array.V: PATCH_ROWS, Array.O: WARP_ROWS},
        ("fused_kv_outer", "fused_kv_outer"): {Array.Q: apart(d * e), Array.O: apart(d * FP32)},
    }.get((algorithm, kernel.name), {})
    element = lambda array: FP32 if algorithm == "fused_kv_outer" and array in (Array.O, Array.STATS) else e  # scratch
    accesses = lambda array: kernel.ledger.total(Measure.REQUESTED, array, Space.HBM) / element(array) / WARP
    return sum(accesses(array) * rows.get(array, 1) for array in Array)


def _wavefront_bytes(ledger: Ledger) -> float:
    """Bytes that shared memory moves when lanes that read the same words share a wavefront."""
    total = ledger.total(Measure.REQUESTED, space=Space.SHARED)
    read = sum(ledger.total(Measure.REQUESTED, array, Space.SHARED, Direction.READ) for array in (Array.Q, Array.K, Array.V, Array.P))
    return total - read / 2
