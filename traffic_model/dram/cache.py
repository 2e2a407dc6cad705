"""Cache: how likely a line is gone from L2, given how many other bytes were named since it was.

L2 is no exact list of the lines used last: it is hashed over slices, and on large GPUs it is two halves, each with its own
multiprocessors. A line lives in one of them, and multiprocessors beside the other half come to keep a copy there. So L2 holds less than its
size, and a line's chance to be gone rises smoothly: 1 − exp(−(bytes named since ÷ capacity)^sharpness). Capacity is a share of the GPU's
L2, and depends on who names what: what is written takes room too, and what all read takes it twice. A few lines are always lost. All
are fitted, see constants.py.
"""
from dataclasses import dataclass

import numpy as np

from traffic_model.dram.constants import Constants
from traffic_model.gpus import Gpu

PARTITIONED = ("8.0", "9.0")  # compute capabilities whose L2 is two halves: the A100's by NVIDIA's paper, the H200's by its reads
FIRST = 8  # blocks of a grid, which start beside one half: on eight multiprocessors that %smid names together; the others, beside either


@dataclass(frozen=True)
class Cache:
    """size: of the GPU's L2, bytes; partitioned: whether it is two halves."""

    size: float
    constants: Constants
    partitioned: bool = True

    @classmethod
    def of(cls, gpu: Gpu, constants: Constants) -> "Cache":
        return cls(gpu.l2_mib * 2**20, constants, gpu.compute_capability in PARTITIONED)

    def lost(self, taken: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone once others took so much room (see `room`)."""
        return self._lost(taken, self.constants.capacity_share, self.constants.sharpness)

    def room(self, readers: np.ndarray) -> np.ndarray:
        """What a line takes, in its own size, after so many blocks have read it: each of them may be the one that has it copied."""
        return 2 - (1 - self.constants.copied) ** np.maximum(0, readers - 1) if self.partitioned else np.ones_like(readers)

    def lost_alone(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone that a single block comes back to, once so many others were read, while it writes as much."""
        return self._lost(named, self.constants.alone_capacity_share, self.constants.alone_sharpness)

    def lost_to_reads(self, named: np.ndarray | float) -> np.ndarray | float:
        """The chance that a line is gone that a single block comes back to, once so many others were read."""
        return self._lost(named, self.constants.read_capacity_share, self.constants.read_sharpness)

    def lost_to_stream(self, read: np.ndarray, written: np.ndarray) -> np.ndarray:
        """The chance that a line is gone that all come back to, while others are read and as many are written to which nobody comes back:
        some go long before the others."""
        c = self.constants
        early = c.early_share * self._lost(self._early(read, written), c.early_capacity_share, c.early_sharpness)
        return early + (1 - early) * self._lost(read + written, c.written_capacity_share, c.written_sharpness)

    def left_by_halves(self, read: np.ndarray, written: np.ndarray) -> np.ndarray:
        """The chance that a sector leaves for DRAM once half of it is written, before others were read and written and the rest comes."""
        return self._lost(self._early(read, written), self.constants.half_written_capacity_share, self.constants.half_written_sharpness)

    def lost_to_sweep(self, named: float) -> float:
        """The chance that a line is gone that all come back to, while nearly all that passes is read, by all."""
        return self._lost(named, self.constants.sweep_capacity_share, self.constants.sweep_sharpness)

    def lost_in_loop(self, named: np.ndarray, blocks: int) -> np.ndarray:
        """The same where so many blocks each read and write their own share of it in turn, again and again.

        A half must hold what its own blocks name, and lines of its own that blocks of the other name: half of those. What it has lost
        of the other's lines may still be there.
        """
        c, each = self.constants, named / blocks
        lost = lambda bytes_: self._lost(bytes_, c.half_capacity_share, c.half_sharpness)
        if not self.partitioned:
            return lost(named * .75)  # no line is there twice
        there = max(0, blocks - FIRST) / 2
        here = blocks - there
        gone_here, gone_there = lost(each * (here + there / 2)), lost(each * (there + here / 2))
        mean = lambda near, far: near * (1 + far) / 2
        return (here * mean(gone_here, gone_there) + there * mean(gone_there, gone_here)) / blocks

    def crowded_out(self, named: float) -> float:
        """The chance that a line is gone between two visits to its elements, one after the other, while so many others are."""
        return self._lost(named, self.constants.crowd_capacity_share, self.constants.crowd_sharpness)

    def stays(self, written: float, read: float) -> float:
        """Bytes written that are still in L2 when the kernel ends."""
        most = self.constants.dirty_share * self.size * min(1, self.constants.dirty_weight * written / max(1, written + read))
        return min(written, most)

    def _early(self, read, written):
        """What counts for lines that go early: written bytes more than those that are read; as many as in all where they are equal."""
        weight = self.constants.written_weight
        return (read + weight * written) * 2 / (1 + weight)

    def _lost(self, named, share, sharpness):
        always = self.constants.always_lost
        return always - (1 - always) * np.expm1(-(named / (share * self.size)) ** sharpness)
