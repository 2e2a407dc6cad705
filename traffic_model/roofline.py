"""Roofline: what a kernel could reach at most, by the bytes it moves per FLOP at each memory and the roof of the unit it computes on.

Each memory has its own axis: DRAM goes with compulsory HBM bytes, L2 with requested HBM bytes (2·Br/e FLOP/B for the fused order,
whatever N), shared memory with wavefronts. A ridge is where a memory's slope meets a unit's roof: peak ÷ bandwidth (Williams, Waterman
and Patterson, 2009).
"""
import math
from dataclasses import dataclass

from traffic_model.flops import kernel_flops
from traffic_model.gpus import Gpu
from traffic_model.ledger import Ledger
from traffic_model.predict import Prediction
from traffic_model.rates import DATASHEET, Rate, rate
from traffic_model.vocabulary import Measure, Space

AXES = {"dram": (Measure.COMPULSORY, Space.HBM), "l2": (Measure.REQUESTED, Space.HBM), "shared": (Measure.WAVEFRONTS, Space.SHARED)}
TIE = 0.05  # within this share of the ridge a kernel is at it
LEFT, AT, RIGHT = "left", "at", "right"


@dataclass(frozen=True)
class Point:
    """One kernel, or a whole algorithm, at one memory: FLOP of the convention and bytes of that memory's measure."""

    name: str
    memory: str
    flops: int
    bytes: int

    @property
    def intensity(self) -> float:
        """FLOP per byte; 0 for softmax, whose arithmetic the convention leaves out, ∞ for a kernel that moves nothing there."""
        return self.flops / self.bytes if self.bytes else math.inf

    def side(self, ridge: float) -> str:
        """left: the memory is the lower roof. right: the arithmetic is. at: within 5 % of the ridge."""
        return AT if abs(self.intensity / ridge - 1) <= TIE else LEFT if self.intensity < ridge else RIGHT

    def attainable_tflops(self, compute: Rate, memory: Rate) -> float:
        """The lower of the two roofs above this point, in TFLOP/s."""
        return min(compute.value, self.intensity * memory.value / 1e3)


def points(prediction: Prediction, memory: str = "dram") -> list[Point]:
    """The algorithm as a whole, and each of its kernels where it has several. Raises KeyError if its ledger lacks the axis's measure."""
    whole = Point(prediction.algorithm, memory, prediction.problem.flops, _moved(prediction.ledger, memory))
    kernels = [Point(kernel.name, memory, kernel_flops(kernel.name, prediction.problem), _moved(kernel.ledger, memory))
               for kernel in prediction.kernels]
    return [whole, *(kernels if len(kernels) > 1 else [])]


def ridge(gpu: Gpu, unit: str = "fp32", memory: str = "dram", kind: str = DATASHEET) -> float:
    """FLOP per byte where this memory's slope meets this unit's roof. kind: datasheet or measured. Raises Refusal for a rate not known."""
    return rate(gpu, unit, kind).value * 1e3 / rate(gpu, memory, kind).value


def _moved(ledger: Ledger, memory: str) -> int:
    measure, space = AXES[memory]
    return ledger.total(measure, space=space)
