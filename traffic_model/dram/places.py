"""Places: how many blocks of a launch a multiprocessor holds at once, and whether they compete for its schedulers.

Registers are those of the compiled kernels where they are fewer than the launch bounds leave: read in the recorded runs, compiled for
compute capability 9.0 at d = 64 and 64×64 tiles. Taken to be the same for other tilings, head sizes and architectures.
"""
from typing import NamedTuple

from traffic_model.gpus import Gpu
from traffic_model.layout import Launch
from traffic_model.occupancy import launch_occupancy

REGISTERS = {("naive", "scores"): 40, ("naive", "softmax"): 44, ("naive", "output"): 40,
             ("tiled", "scores"): 113, ("tiled", "softmax"): 29, ("tiled", "output"): 90}  # fused: the bound is what is compiled
CONTENDED = 3  # warps per scheduler; with fewer each has its turn when it is ready


class Places(NamedTuple):
    """blocks: per multiprocessor; gpu: on all of them; contended: whether a scheduler has more warps than it can serve at once."""

    blocks: int
    gpu: int
    contended: bool


def places(algorithm: str, launch: Launch, gpu: Gpu) -> Places:
    bound = launch_occupancy(launch, gpu)
    compiled = REGISTERS.get((algorithm, launch.name), bound.use.registers)
    held = launch_occupancy(launch, gpu, min(compiled, bound.use.registers))
    blocks = max(1, held.blocks)
    return Places(blocks, blocks * gpu.multiprocessors, blocks * held.use.warps >= CONTENDED * gpu.partitions)
