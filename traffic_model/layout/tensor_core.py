"""What the layouts of both tensor-core kernels have in common.

Tiles lie in shared memory as they do in HBM, two bytes an element, cut into tiles of 64 columns (128 bytes a row) one behind the other;
the chunks of 16 bytes of a row are exchanged, so that the eight rows that are read together lie in different banks.
"""
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.layout.common import Launch, Layout, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

NAME = "fused_tensor_core"
HOPPER, AMPERE = "9.0", "8.0"  # compute capabilities
ELEMENT_BYTES = 2


@dataclass(frozen=True)
class TensorCoreLayout(Layout):
    """A block computes `block_q` query rows. heads_fastest: under a causal mask blocks differ in work, and the longest start first."""

    block_q: int
    block_k: int
    head_dim: int
    heads_fastest: bool
    access_bytes: ClassVar[int] = 16  # of a lane that copies or loads; of O a lane writes 4 bytes
    query_tiles: ClassVar[tuple[int, ...]] = (64, 128)
    key_tiles: ClassVar[tuple[int, ...]] = (64, 128)
    capability: ClassVar[str]  # the least that the kernel needs
    rates: ClassVar[dict[int, dict[tuple[int, int], int]]]  # {d: {tiling: TFLOP/s}}: H200, 16 heads, N = 16,384, full

    @classmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling) -> "TensorCoreLayout":
        return cls(tiling.block_q, tiling.block_k, problem.head_dim, problem.mask == "causal")

    @property
    @abstractmethod
    def threads(self) -> int:
        """Threads per block."""

    @property
    @abstractmethod
    def key_readers(self) -> int:
        """Warps, or groups of them, of a block that each read every K and V tile from shared memory."""

    @property
    @abstractmethod
    def keeps_queries(self) -> bool:
        """Whether a block reads its query rows from shared memory once, or again for every key tile."""

    @property
    @abstractmethod
    def resident_blocks(self) -> int:
        """Blocks per multiprocessor that the compiler leaves registers for."""

    @property
    def query_tile_bytes(self) -> int:
        return self.block_q * self.head_dim * ELEMENT_BYTES

    @property
    def key_tile_bytes(self) -> int:
        return self.block_k * self.head_dim * ELEMENT_BYTES

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        tiles = ceil_div(problem.seq_len, self.block_q)
        grid = (problem.heads, tiles, problem.batch) if self.heads_fastest else (tiles, problem.heads, problem.batch)
        return (Launch(NAME, grid, (self.threads, 1, 1), self.shared_bytes, self.resident_blocks),)

    def record(self) -> dict:
        order = "head fastest, then query tile from the last to the first, then batch"
        return super().record() | (dict(grid_order=order) if self.heads_fastest else {}) | dict(compute_capability=self.capability)
