"""Places: how many blocks of a launch a multiprocessor holds at once, and how they share its schedulers.

Registers are those of the compiled kernels where they are fewer than the launch bounds leave: compiled for compute capability 9.0 at d = 64
and 64×64 tiles, the most of all masks. Taken to be the same for other tilings, head sizes and architectures.
"""
from typing import NamedTuple

from traffic_model.gpus import Gpu
from traffic_model.layout import Launch
from traffic_model.occupancy import launch_occupancy

REGISTERS = {("naive", "scores"): dict(float32=40, float16=40, bfloat16=40),
             ("naive", "softmax"): dict(float32=44, float16=32, bfloat16=32),
             ("naive", "output"): dict(float32=40, float16=40, bfloat16=40),
             ("tiled", "scores"): dict(float32=118, float16=118, bfloat16=118),
             ("tiled", "softmax"): dict(float32=46, float16=46, bfloat16=38),
             ("tiled", "output"): dict(float32=94, float16=92, bfloat16=92)}
CONTENDED = 3  # warps per scheduler; with fewer each has its turn when it is ready


class Places(NamedTuple):
    """blocks: per multiprocessor, which has so many schedulers; gpu: on all multiprocessors; warps: of a block."""

    blocks: int
    gpu: int
    warps: int
    schedulers: int

    @property
    def contended(self) -> bool:
        """Whether a scheduler has more warps than it can serve at once."""
        return self.blocks * self.warps >= CONTENDED * self.schedulers


def places(algorithm: str, launch: Launch, gpu: Gpu, dtype: str, registers: int | None = None) -> Places:
    """registers: per thread, where the compiled kernel is at hand."""
    bound = launch_occupancy(launch, gpu)
    compiled = registers or REGISTERS.get((algorithm, launch.name), {}).get(dtype, bound.use.registers)  # fused: the bound is compiled
    held = launch_occupancy(launch, gpu, min(compiled, bound.use.registers))
    blocks = max(1, held.blocks)
    return Places(blocks, blocks * gpu.multiprocessors, held.use.warps, gpu.partitions)
