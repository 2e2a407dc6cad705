"""Fused, the first paper's order: one block per head walks the key/value tiles outside and the query tiles inside."""
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.layout.common import Launch, Layout, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

MAX_ROW_REGISTERS = 96  # elements of q (and of o) one thread keeps in registers


@dataclass(frozen=True)
class FusedKvOuterLayout(Layout):
    """`threads_per_row` threads keep a query row, each a slice of q and o. Shared memory holds one K and one V tile of `block_k` rows
    and, when a row is split, two rounds of partial scores, one per thread."""

    block_q: int
    block_k: int
    head_dim: int
    threads_per_row: int
    grid_order: ClassVar[str] = "head, then batch"

    @classmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling) -> "FusedKvOuterLayout":
        fewest = ceil_div(problem.head_dim, MAX_ROW_REGISTERS)
        threads_per_row = 1 << (fewest - 1).bit_length()
        return cls(tiling.block_q, tiling.block_k, problem.head_dim, threads_per_row)

    @property
    def threads(self) -> int:
        return self.block_q * self.threads_per_row

    @property
    def slice_elements(self) -> int:
        """Elements of q and of o that one thread keeps in registers."""
        return ceil_div(self.head_dim, self.threads_per_row)

    @property
    def row_elements(self) -> int:
        """Elements of a row of the K and V tiles, padded to a whole slice per thread."""
        return self.slice_elements * self.threads_per_row

    @property
    def v_tile(self) -> int:
        """Where the V tile starts behind the K tile, in elements."""
        return self.block_k * self.row_elements

    @property
    def partial_scores(self) -> int:
        """Where the partial scores start, in elements."""
        return 2 * self.v_tile

    @property
    def shared_bytes(self) -> int:
        return 4 * (self.partial_scores + (2 * self.threads if self.threads_per_row > 1 else 0))

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        return (Launch("fused_kv_outer", (problem.heads, problem.batch, 1), (self.threads, 1, 1), self.shared_bytes),)
