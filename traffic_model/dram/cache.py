"""Cache: how likely a line is gone from L2, given how many different bytes were named since it was.

L2 is no exact list of the lines used last: it is hashed over slices, and on large GPUs it is split in two partitions that may both hold a
line. So it keeps less than its size, and a line's chance to be gone rises smoothly: 1 − exp(−(bytes named since ÷ capacity)^sharpness).
Capacity is a share of the GPU's L2. Where most of what passes is written, the rise is less steep. All are fitted, see constants.py.
"""
from dataclasses import dataclass

import numpy as np

from traffic_model.dram.constants import Constants
from traffic_model.gpus import Gpu


@dataclass(frozen=True)
class Cache:
    """size: of the GPU's L2, bytes."""

    size: float
    constants: Constants

    @classmethod
    def of(cls, gpu: Gpu, constants: Constants) -> "Cache":
        return cls(gpu.l2_mib * 2**20, constants)

    def lost(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone once so many other bytes were read."""
        return self._lost(named, self.constants.capacity_share, self.constants.sharpness)

    def lost_to_writes(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone once so many other bytes were named, most of them written."""
        return self._lost(named, self.constants.written_capacity_share, self.constants.written_sharpness)

    def lost_in_loop(self, named: np.ndarray | float) -> np.ndarray | float:
        """The same where all that passes is read and written again and again."""
        return self._lost(named, self.constants.written_capacity_share, self.constants.loop_sharpness)

    def stays(self, written: float, read: float) -> float:
        """Bytes written that are still in L2 when the kernel ends."""
        most = self.constants.dirty_share * self.size * min(1, self.constants.dirty_weight * written / max(1, written + read))
        return min(written, most)

    def _lost(self, named, share, sharpness):
        return -np.expm1(-(named / (share * self.size)) ** sharpness)
