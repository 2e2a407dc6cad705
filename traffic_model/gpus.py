"""What is known of each GPU, with its source. The kernels and the dashboard take limits from here, never from a literal."""
import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from traffic_model.errors import Refusal

DATA = Path(__file__).parent / "data"
DEFAULT_GPU = "H200 SXM"


@dataclass(frozen=True)
class Gpu:
    """One GPU. Rates are the vendor's dense peaks (TFLOP/s, GB/s decimal); capacities binary (KiB, MiB)."""

    name: str
    driver_name: str
    compute_capability: str
    multiprocessors: int
    l2_mib: float
    dram_gb: float
    dram_gb_per_s: float
    fp32_tflops: float
    shared_kib_per_multiprocessor: int
    shared_kib_per_block: int
    registers_per_multiprocessor: int
    note: str

    @property
    def shared_limit_bytes(self) -> int:
        """The most shared memory one block may have, opt-in limit included."""
        return self.shared_kib_per_block * 1024


@lru_cache
def all_gpus() -> dict[str, Gpu]:
    """Every GPU of the table by name, in the table's order."""
    capabilities = {row["compute_capability"]: row for row in _rows("compute_capabilities.csv")}
    return {row["name"]: _gpu(row, capabilities[row["compute_capability"]]) for row in _rows("gpus.csv")}


def find_gpu(name: str) -> Gpu:
    """The GPU with this name or this driver name. Raises Refusal with the nearest names: never a silent default."""
    for gpu in all_gpus().values():
        if name.lower() in (gpu.name.lower(), gpu.driver_name.lower()):
            return gpu
    near = [n for n in all_gpus() if set(name.lower().split()) & set(n.lower().split())] or list(all_gpus())
    raise Refusal(f"GPU {name!r} is not in the table; choose {', '.join(near)}.")


def _rows(file: str) -> list[dict]:
    with open(DATA / file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def _gpu(row: dict, capability: dict) -> Gpu:
    return Gpu(row["name"], row["driver_name"], row["compute_capability"], int(row["sms"]), float(row["l2_mib"]), float(row["dram_gb"]),
               float(row["dram_gb_per_s"]), float(row["fp32_tflops"]), int(capability["shared_kib_per_sm"]),
               int(capability["shared_kib_per_block_optin"]), int(capability["registers_per_sm"]), row["note"])
