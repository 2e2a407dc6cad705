"""Cache: how likely a line is gone from L2, given how many different bytes were named since it was.

L2 is no exact list of the lines used last: it is hashed over slices, and on large GPUs it is split in two partitions that may both hold a
line. So it keeps less than its size, and a line's chance to be gone rises smoothly: 1 − exp(−(bytes named since ÷ capacity)^sharpness).
Capacity is a share of the GPU's L2. What is written takes room too, and how it does depends on who comes back to it. A few lines are
always lost. All are fitted, see constants.py.
"""
from dataclasses import dataclass

import numpy as np

from traffic_model.dram.constants import Constants
from traffic_model.gpus import Gpu

PARTITIONED = ("8.0", "9.0")  # compute capabilities whose L2 is two halves: the A100's by NVIDIA's paper, the H200's by its reads
ONE_SIDE = 8  # blocks, the first of a grid, that run beside one half


@dataclass(frozen=True)
class Cache:
    """size: of the GPU's L2, bytes; partitioned: whether it is two halves, each of which also keeps what its own multiprocessors read of
    the other's."""

    size: float
    constants: Constants
    partitioned: bool = True

    @classmethod
    def of(cls, gpu: Gpu, constants: Constants) -> "Cache":
        return cls(gpu.l2_mib * 2**20, constants, gpu.compute_capability in PARTITIONED)

    def lost(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone once so many other bytes were read."""
        return self._lost(named, self.constants.capacity_share, self.constants.sharpness)

    def lost_to_writes(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone once so many other bytes were named, most of them written and soon read."""
        return self._lost(named, self.constants.written_capacity_share, self.constants.written_sharpness)

    def lost_to_stream(self, named: np.ndarray | float) -> np.ndarray | float:
        """The same where most of them were written and nobody comes back: some lines go long before the others."""
        c = self.constants
        early = c.early_share * self._lost(named, c.early_capacity_share, c.early_sharpness)
        return early + (1 - early) * self._lost(named, c.written_capacity_share, c.stream_sharpness)

    def lost_in_loop(self, named: float, blocks: int) -> float:
        """The same where all that passes is read and written again and again by so many blocks.

        Few blocks read through one half of L2 alone. Of what that half has lost, the half that lies in the other one is still there, until
        it is too much for that one too.
        """
        c = self.constants
        if self.partitioned and blocks <= ONE_SIDE:
            near, far = (self._lost(bytes_, c.side_capacity_share, c.side_sharpness) for bytes_ in (named, named / 2))
            return near * (1 + far) / 2
        return self._lost(named, c.written_capacity_share, c.loop_sharpness)

    def stays(self, written: float, read: float) -> float:
        """Bytes written that are still in L2 when the kernel ends."""
        most = self.constants.dirty_share * self.size * min(1, self.constants.dirty_weight * written / max(1, written + read))
        return min(written, most)

    def _lost(self, named, share, sharpness):
        always = self.constants.always_lost
        return always - (1 - always) * np.expm1(-(named / (share * self.size)) ** sharpness)
