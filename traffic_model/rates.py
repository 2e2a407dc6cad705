"""What a GPU can do at most: the vendor's peaks, and the ceilings that were measured. Each rate with its unit and source."""
from functools import lru_cache
from typing import NamedTuple

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu, rows

UNITS = {"fp32": "CUDA cores, fp32", "tf32": "tensor cores, tf32", "fp16_bf16": "tensor cores, fp16 or bf16", "fp8": "tensor cores, fp8"}
MEMORIES = {"dram": "DRAM", "l2": "L2", "shared": "shared memory"}
DATASHEET, MEASURED = "datasheet", "measured"


class Rate(NamedTuple):
    """`value` is in `unit`, TFLOP/s or GB/s; `kind` datasheet or measured; `source` in words."""

    value: float
    unit: str
    kind: str
    source: str


def datasheet(gpu: Gpu) -> dict[str, Rate]:
    """Peaks by unit (fp32, tf32, fp16_bf16, fp8) and memory (dram, l2, shared), those for which the table has figures.

    L2 and shared memory: bytes a clock × boost clock, for shared memory × multiprocessors.
    """
    clocked = lambda bytes_per_clock: bytes_per_clock and bytes_per_clock * gpu.boost_mhz / 1e3
    peaks = {"fp32": gpu.fp32_tflops, "tf32": gpu.tf32_tflops, "fp16_bf16": gpu.fp16_bf16_tflops, "fp8": gpu.fp8_tflops,
             "dram": gpu.dram_gb_per_s, "l2": clocked(gpu.l2_bytes_per_clock),
             "shared": clocked(gpu.shared_bytes_per_clock * gpu.multiprocessors)}
    unit = lambda name: "TFLOP/s" if name in UNITS else "GB/s"
    return {name: Rate(value, unit(name), DATASHEET, f"{gpu.name}, traffic_model/data/sources.csv")
            for name, value in peaks.items() if value is not None}


@lru_cache
def measured(gpu: Gpu) -> dict[str, Rate]:
    """The ceilings that were measured on such a GPU; empty for one that was not."""
    return {row["quantity"]: Rate(float(row["value"]), row["unit"], MEASURED, row["how"])
            for row in rows("ceilings.csv") if row["gpu"] == gpu.driver_name}


def rate(gpu: Gpu, name: str, kind: str = DATASHEET) -> Rate:
    """One rate. Raises Refusal where there is no such figure, naming those there are."""
    known = measured(gpu) if kind == MEASURED else datasheet(gpu)
    if name not in known:
        what = (UNITS | MEMORIES).get(name, name)
        raise Refusal(f"no {kind} rate of {gpu.name} is known for {what}; known are {', '.join(known) or 'none'}.")
    return known[name]


def best_known(gpu: Gpu, name: str) -> Rate | None:
    """The measured ceiling where there is one, else the vendor's peak, else None."""
    return measured(gpu).get(name) or datasheet(gpu).get(name)
