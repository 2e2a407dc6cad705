"""predict: algorithm, problem, tiling and GPU in; layout and ledgers out, before anything runs."""
from dataclasses import dataclass
from functools import cached_property, lru_cache

from traffic_model import fused, fused_kv_outer, fused_tensor_core, naive, tiled
from traffic_model.dram import MOVES, DramBytes, dram_bytes
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.kernel import Kernel
from traffic_model.layout import LAYOUTS, Layout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Measure
from traffic_model.warps import warp_ledgers

ALGORITHMS = {"naive": naive.ledgers, "tiled": tiled.ledgers, "fused": fused.ledgers, "fused_kv_outer": fused_kv_outer.ledgers,
              "fused_tensor_core": fused_tensor_core.ledgers}


@dataclass(frozen=True)
class Prediction:
    """What one algorithm should move on one problem: one ledger per kernel, and their sum."""

    algorithm: str
    problem: AttentionProblem
    tiling: Tiling
    layout: Layout
    gpu: Gpu
    kernels: tuple[Kernel, ...]

    @cached_property
    def ledger(self) -> Ledger:
        """The algorithm's ledger: the sum over its kernels."""
        return sum((kernel.ledger for kernel in self.kernels[1:]), self.kernels[0].ledger)

    @property
    def compulsory_bytes(self) -> int:
        return self.ledger.total(Measure.COMPULSORY)

    @cached_property
    def warps(self) -> tuple[Kernel, ...]:
        """The same launches with what their warp accesses name: distinct bytes, sectors and wavefronts. Found when first asked for."""
        ledgers = warp_ledgers(self.algorithm, self.problem, self.layout)
        return tuple(Kernel(kernel.launch, ledger) for kernel, ledger in zip(self.kernels, ledgers))

    @cached_property
    def dram(self) -> tuple[DramBytes, ...]:
        """What crosses L2 and DRAM in each launch: modelled, not exact. Found when first asked for, which may take a second. Raises Refusal
        for an algorithm that is not modelled."""
        return dram_bytes(self.algorithm, self.problem, self.layout, self.gpu)

    def record(self) -> dict:
        """The JSON object that `python -m traffic_model predict --json` prints."""
        summed = lambda name: sum(getattr(each, name) for each in self.dram)
        dram = dict(read_bytes=summed("read_bytes"), write_bytes=summed("write_bytes")) if self.algorithm in MOVES else None
        return dict(algorithm=self.algorithm, problem=self.problem.record(), tiling=self.tiling.record(), layout=self.layout.record(),
                    measures=sorted(self.ledger.measures), ledger=self.ledger.records(), flops=self.problem.flops,
                    compulsory_bytes=self.compulsory_bytes, dram=dram,
                    kernels=[kernel.record() for kernel in self.kernels])


@lru_cache(maxsize=4096)
def predict(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> Prediction:
    """Closed forms only: exact integers. Raises Refusal for an unknown algorithm or a tiling the GPU cannot hold.

    >>> from traffic_model import find_gpu
    >>> naive, fused = (predict(name, AttentionProblem(4096, 64), Tiling(64, 64), find_gpu("H200 SXM")) for name in ("naive", "fused"))
    >>> naive.compulsory_bytes, fused.compulsory_bytes
    (272629760, 4194304)
    >>> fused.ledger.total(Measure.REQUESTED, "k", "hbm", "read")
    67108864
    """
    if algorithm not in ALGORITHMS:
        raise Refusal(f"algorithm {algorithm} is not known; choose {', '.join(ALGORITHMS)}.")
    layout = LAYOUTS[algorithm].resolve(problem, tiling, gpu)
    kernels = map(Kernel, layout.launches(problem), ALGORITHMS[algorithm](problem, layout))
    return Prediction(algorithm, problem, tiling, layout, gpu, tuple(kernels))
