"""What is known of each GPU, with its source. The kernels and the dashboard take limits from here, never from a literal.

The figures are in data/gpus.csv (a GPU) and data/compute_capabilities.csv (what all GPUs of one compute capability share); where each
stands is in data/sources.csv. gpu_file.py reads a GPU that the table lacks.
"""
import csv
import types
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import get_args, get_type_hints

from traffic_model.errors import Refusal

DATA = Path(__file__).parent / "data"
DEFAULT_GPU = "H200 SXM"


@dataclass(frozen=True)
class Gpu:
    """One GPU. Rates are the vendor's dense peaks (TFLOP/s, GB/s decimal, MHz); capacities binary (KiB, MiB), DRAM decimal (GB).

    The tensor-core rates accumulate in fp32; None where the GPU has no such unit or the vendor gives no figure.
    shared_bytes_per_clock: what the shared memory of one multiprocessor moves a clock; l2_bytes_per_clock: what all of L2 reads.
    shared_allocation_bytes, reserved_shared_bytes: a block's shared memory is rounded up to the first and includes the second.
    register_allocation: registers of a warp are rounded up to this many. partitions: a multiprocessor's registers are in so many parts.
    """

    name: str
    driver_name: str
    compute_capability: str
    multiprocessors: int
    l2_mib: float
    dram_gb: float
    dram_gb_per_s: float
    fp32_tflops: float
    tf32_tflops: float | None
    fp16_bf16_tflops: float | None
    fp8_tflops: float | None
    boost_mhz: float
    shared_bytes_per_clock: int
    l2_bytes_per_clock: int | None
    shared_kib_per_multiprocessor: int
    shared_kib_per_block: int
    l1_unified_kib: int
    threads_per_multiprocessor: int
    warps_per_multiprocessor: int
    blocks_per_multiprocessor: int
    shared_allocation_bytes: int
    reserved_shared_bytes: int
    registers_per_multiprocessor: int
    registers_per_thread: int
    register_allocation: int
    partitions: int
    note: str = ""

    @property
    def shared_limit_bytes(self) -> int:
        """The most shared memory one block may have, opt-in limit included."""
        return self.shared_kib_per_block * 1024


@lru_cache
def all_gpus() -> dict[str, Gpu]:
    """Every GPU of the table by name, in the table's order."""
    return {row["name"]: gpu_of_figures(row | capabilities()[row["compute_capability"]]) for row in rows("gpus.csv")}


def find_gpu(name: str) -> Gpu:
    """The GPU with this name, or with this name as the CUDA driver gives it ("NVIDIA H200"; the vendor's name may be left out).

    Raises Refusal with the nearest names and the way to describe another: never a silent default.

    >>> find_gpu("NVIDIA H200").name
    'H200 SXM'
    """
    asked = _plain(name)
    for gpu in all_gpus().values():
        if asked in (_plain(gpu.name), _plain(gpu.driver_name)):
            return gpu
    near = [n for n in all_gpus() if set(asked.split()) & set(n.lower().split())] or list(all_gpus())
    raise Refusal(f"GPU {name!r} is not in the table; choose {', '.join(near)}, or give its numbers with --gpu-file.")


@lru_cache
def capabilities() -> dict[str, dict[str, str]]:
    """What all GPUs of one compute capability share, as written in the table: {"9.0": {"warps_per_multiprocessor": "64", …}}."""
    return {row["compute_capability"]: row for row in rows("compute_capabilities.csv")}


def rows(file: str) -> list[dict[str, str]]:
    """The rows of a table of traffic_model/data, as written; lines that start with # are remarks."""
    with open(DATA / file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def gpu_of_figures(figures: dict) -> Gpu:
    """A GPU from its figures by field name, texts or numbers. Raises KeyError for a missing one, ValueError for what is no number."""
    return Gpu(**{field.name: _figure(field.name, figures[field.name]) for field in fields(Gpu)})


def _figure(name: str, value):
    kind = get_type_hints(Gpu)[name]
    if isinstance(kind, types.UnionType):
        if value in ("", None):
            return None
        kind = get_args(kind)[0]
    if kind is str:
        return str(value)
    number = float(value)
    if kind is int and not number.is_integer():
        raise ValueError(f"{name} {value} is not a whole number")
    return kind(number)


def _plain(name: str) -> str:
    return name.lower().strip().removeprefix("nvidia ")
