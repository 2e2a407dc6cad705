"""What the Proof page shows: recorded validations. Each count beside its prediction and the hardware's counter; DRAM beside the model."""
from statistics import median
from typing import NamedTuple

from app.records import shipped
from app.settings import Settings
from traffic_model import AttentionProblem, Direction, Space, Tiling, find_gpu, predict
from traffic_model.dram import DramBytes
from traffic_model.kernel import Kernel

EQUAL, EXPLAINED, OTHER = "equal", "explained", "unexplained"
SPACES = dict(hbm="HBM", shared="shared")


class Proof(NamedTuple):
    """One validated run. counters: a record per kernel, space, direction and measure; dram: a record per kernel, L2 emptied before it."""

    algorithm: str
    settings: Settings
    source: str
    counters: list[dict]
    dram: list[dict]

    @property
    def shape(self) -> str:
        """N = 1,024 · 4 heads · d = 64 · float32 · full · 64×64 tiles"""
        return f"N = {self.settings.n:,} · {self.settings.conditions}"


def proof(line: dict, header: dict) -> Proof:
    """A recorded validation with what is predicted of it."""
    settings = Settings(AttentionProblem(**line["problem"]), Tiling(**line["tiling"]), find_gpu(header["gpu"]))
    prediction = predict(line["algorithm"], settings.problem, settings.tiling, settings.gpu)
    counters = [_counter(line["algorithm"], kernel["name"], each, warps) for kernel, warps in zip(line["kernels"], prediction.warps)
                for each in kernel["compared"]]
    dram = [_crossing(line["algorithm"], kernel, modelled) for kernel, modelled in zip(line["kernels"], prediction.dram) if kernel["cold"]]
    [stamped] = shipped(header, [line])
    return Proof(line["algorithm"], settings, stamped["source"], counters, dram)


def verdict(records: list[dict]) -> dict[str, dict[str, int]]:
    """{measure: {"equal": …, "explained": …, "unexplained": …}}: hardware against counted."""
    found = {r["measure"]: dict.fromkeys((EQUAL, EXPLAINED, OTHER), 0) for r in records}
    for r in records:
        found[r["measure"]][r["verdict"]] += 1
    return found


def typical_error(dram: list[dict]) -> float:
    """The median share by which modelled DRAM reads are off."""
    return median(abs(r["error"]) for r in dram)


def _counter(algorithm: str, name: str, each: dict, warps: Kernel) -> dict:
    space, direction, measure = each["space"], each["direction"], each["measure"]
    predicted = warps.ledger.total(measure, space=Space(space), direction=Direction(direction))
    found = EQUAL if each["counted"] == each["hardware"] else EXPLAINED if each["cause"] else OTHER
    return dict(algorithm=algorithm, kernel=name, moved=f"{SPACES[space]} {direction}s", measure=measure, predicted=predicted,
                counted=each["counted"], hardware=each["hardware"], difference=each["hardware"] - each["counted"], verdict=found,
                cause=each["cause"] or "")


def _crossing(algorithm: str, kernel: dict, modelled: DramBytes) -> dict:
    cold = kernel["cold"]
    return dict(algorithm=algorithm, kernel=kernel["name"], hardware_reads=cold["dram_read_bytes"], modelled_reads=modelled.read_bytes,
                error=modelled.read_bytes / cold["dram_read_bytes"] - 1, hardware_writes=cold["dram_write_bytes"],
                modelled_writes=modelled.write_bytes, l2_reads=cold["l2_read_bytes"])
