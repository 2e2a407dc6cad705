"""What the Roofline chart is drawn from: roofs, intensities under them, and the FLOP/s that kernels achieve, as flat records.

A record is one kernel, or an algorithm as a whole, at one N: algorithm, kernel, n, kind, source, flops, bytes (compulsory), intensity
(FLOP per byte) and tflops. Of `intensities` tflops is what the roofs allow. Of `achieved` it is FLOP ÷ ms, timed where such a run was
recorded on the sidebar's GPU and otherwise predicted, with the part of the GPU that then binds; roof is the lower one above it, share how
much of that it reaches. What chose its tiling itself says block_q and block_k.
"""
import math
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from app.records import ALGORITHMS, LADDER, TENSOR_CORE, chooses_tiling, has_times, of_task, sources
from app.settings import Settings
from numba_kernels.saved import total_times_ms
from traffic_model import predict
from traffic_model.capacity import fits
from traffic_model.rates import DATASHEET, MEASURED, UNITS, Rate, best_known, datasheet, measured, rate
from traffic_model.roofline import Point, points, ridge
from traffic_model.times import predicted_times

CUDA_CORES, TENSOR_CORES = "fp32", "fp16_bf16"  # of UNITS
LENGTHS = [2**k for k in range(7, 18)]  # 128 to 131,072: points of a path
BF16_SINCE = 8.0  # compute capability; earlier tensor cores take fp16 only (gpus.csv)


class Roofs(NamedTuple):
    """compute and dram are of one kind: measured if both were, else the datasheet's. l2: None where no rate of it is known."""

    unit: str
    compute: Rate
    peak: Rate
    dram: Rate
    l2: Rate | None
    ridge: float

    @property
    def name(self) -> str:
        """"CUDA cores" or "tensor cores"."""
        return UNITS[self.unit].split(",")[0]


def has_tensor_cores(settings: Settings) -> bool:
    """Whether the GPU multiplies numbers of this storage type on tensor cores. float32 would have to be rounded to tf32 first."""
    dtype, known = settings.problem.dtype, TENSOR_CORES in datasheet(settings.gpu)
    return known and dtype != "float32" and (dtype == "float16" or float(settings.gpu.compute_capability) >= BF16_SINCE)


def roofs(settings: Settings, unit: str) -> Roofs:
    """The roofs of this unit. Raises Refusal where the GPU has no figure for it."""
    gpu = settings.gpu
    kind = MEASURED if {unit, "dram"} <= measured(gpu).keys() else DATASHEET
    return Roofs(unit, rate(gpu, unit, kind), rate(gpu, unit), rate(gpu, "dram", kind), best_known(gpu, "l2"), ridge(gpu, unit, kind=kind))


def intensities(settings: Settings, under: Roofs, lengths: list[int]) -> list[dict]:
    """What the roofs allow naive, which stands for all unfused kernels, and fused. Exact: a ratio of closed forms."""
    return [_record(settings.at(n), algorithm, point, "predicted", settings.gpu.name) | dict(
                side=point.side(under.ridge), unit=under.unit, tflops=point.attainable_tflops(under.compute, under.dram))
            for algorithm in ALGORITHMS for n in lengths for point in _points(settings.at(n), algorithm)]


def requested_intensity(settings: Settings) -> float:
    """FLOP per requested byte of fused, which is what L2 would have to serve: 2·Br/e for long sequences."""
    return points(predict("fused", settings.problem, settings.tiling, settings.gpu), "l2")[0].intensity


def achieved(settings: Settings, recordings: list[tuple[dict, list[dict]]], unit: str) -> list[dict]:
    """Each rung of the ladder by rising N, kernels and whole, all on CUDA cores. unit: on show; under the roof of tensor cores the kernel
    that computes there comes last, where it was timed: its time is not modelled. recordings: (header, runs) of each file."""
    timed, alike = {algorithm: {} for algorithm in (*LADDER, TENSOR_CORE)}, of_task(settings)
    for run in (run for header, runs in recordings if header["gpu"] == settings.gpu.driver_name for run in runs):
        if run["algorithm"] in timed and has_times(run) and alike(run):
            timed[run["algorithm"]][run["problem"]["seq_len"]] = run
    records, under = [], roofs(settings, CUDA_CORES)
    for algorithm in LADDER:
        records += _timed(settings, timed[algorithm], under) or [
            record for n in LENGTHS if fits(algorithm, settings.at(n).problem, settings.gpu)
            for record in _predicted(settings.at(n), algorithm, under)]
    return records + (_timed(settings, timed[TENSOR_CORE], roofs(settings, unit)) if unit == TENSOR_CORES else [])


def nearest(records: list[dict], n: int) -> dict | None:
    """The first of those whose length is nearest to n on a log scale; None of none."""
    return min(records, key=lambda r: (abs(math.log(r["n"] / n)), r["n"]), default=None)


def on_tensor_cores(records: list[dict], n: int) -> dict | None:
    """Of achieved records the one of the kernel on tensor cores at the timed length nearest to n; None where it is not among them."""
    return nearest([r for r in records if r["algorithm"] == TENSOR_CORE], n)


def computed_on(records: list[dict]) -> str:
    """"CUDA cores" or "CUDA and tensor cores", of achieved records."""
    return "CUDA and tensor cores" if any(r["algorithm"] == TENSOR_CORE for r in records) else "CUDA cores"


def origin(records: list[dict]) -> str:
    """Where achieved records come from: timed (recorded on NVIDIA H200, 29 and 30 Nov 2026), or predicted (T4)."""
    kinds = sorted({r["kind"] for r in records})
    return "; ".join(f"{kind} ({sources([r for r in records if r['kind'] == kind])})" for kind in kinds)


def _timed(settings: Settings, runs: dict[int, dict], under: Roofs) -> list[dict]:
    """runs: of one algorithm, by N."""
    records = []
    for n, run in sorted(runs.items()):
        ms = {kernel["name"]: median(kernel["times_ms"]) for kernel in run["kernels"]} | {run["algorithm"]: median(total_times_ms(run))}
        own = run["tiling"] if chooses_tiling(run) else {}
        records += [_record(settings.at(n), run["algorithm"], point, "timed", run["source"]) | _speed(point, ms[point.name], under) | own
                    for point in _points(settings.at(n), run["algorithm"])]
    return records


def _predicted(settings: Settings, algorithm: str, under: Roofs) -> list[dict]:
    kernels = predicted_times(algorithm, settings.problem, settings.tiling, settings.gpu)
    ms = {kernel.name: kernel.ms for kernel in kernels} | {algorithm: sum(kernel.ms for kernel in kernels)}
    binds = {kernel.name: kernel.binds for kernel in kernels}
    return [_record(settings, algorithm, point, "predicted", settings.gpu.name) | _speed(point, ms[point.name], under)
            | dict(binds=binds.get(point.name, max(kernels, key=lambda k: k.ms).binds)) for point in _points(settings, algorithm)]


def _speed(point: Point, ms: float, under: Roofs) -> dict:
    """share: None of softmax, which does none of the convention's FLOP."""
    tflops, most = point.flops / ms / 1e9, point.attainable_tflops(under.compute, under.dram)
    return dict(ms=ms, tflops=tflops, roof=under.name if point.intensity >= under.ridge else "DRAM", share=tflops / most if most else None)


def _points(settings: Settings, algorithm: str) -> list[Point]:
    """On tensor cores fused does the same FLOP and must move the same bytes, whatever the tiling that it chose."""
    if algorithm == TENSOR_CORE:
        return [replace(point, name=TENSOR_CORE) for point in _points(settings, "fused")]
    return points(predict(algorithm, settings.problem, settings.tiling, settings.gpu))


def _record(settings: Settings, algorithm: str, point: Point, kind: str, source: str) -> dict:
    return dict(algorithm=algorithm, kernel=point.name, n=settings.n, kind=kind, source=source, flops=point.flops, bytes=point.bytes,
                intensity=point.intensity)
