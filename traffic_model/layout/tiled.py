"""Tiled: three kernels like naive, but through shared memory."""
from dataclasses import dataclass, replace

from traffic_model.layout.blocked import BlockedLayout
from traffic_model.layout.common import Launch, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

ROW_THREADS = (32, 256)  # fewest and most threads on a row of S
ELEMENTS_PER_THREAD = 8  # of a row, while the number of threads allows it


@dataclass(frozen=True)
class TiledLayout(BlockedLayout):
    """scores: Q and K tiles, then the S tile on its way out, in the same memory. softmax: a block per row. output: P and V tiles."""

    softmax_threads: int = ROW_THREADS[1]

    @classmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling) -> "TiledLayout":
        blocked = super().choose(problem, tiling)
        wanted = ceil_div(problem.kv_len, ELEMENTS_PER_THREAD)
        fewest, most = ROW_THREADS
        return replace(blocked, softmax_threads=max(fewest, min(most, 1 << (wanted - 1).bit_length())))

    @property
    def k_tile(self) -> int:
        """Where the K tile starts behind the Q tile, in elements."""
        return self.head_dim * self.query_stride

    @property
    def v_tile(self) -> int:
        """Where the V tile starts behind the P tile, in elements."""
        return self.block_k * self.query_stride

    @property
    def scores_shared_bytes(self) -> int:
        return 4 * max(self.k_tile + self.head_dim * self.key_stride, self.block_q * self.key_stride)

    @property
    def softmax_shared_bytes(self) -> int:
        """A maximum and a sum per thread."""
        return 4 * 2 * self.softmax_threads

    @property
    def output_shared_bytes(self) -> int:
        return 4 * (self.v_tile + self.block_k * self.value_stride)

    @property
    def shared_bytes(self) -> int:
        return max(self.scores_shared_bytes, self.softmax_shared_bytes, self.output_shared_bytes)

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        query_tiles, block = ceil_div(problem.seq_len, self.block_q), (self.threads, 1, 1)
        heads = (problem.heads, problem.batch)
        return (Launch("scores", (query_tiles * ceil_div(problem.kv_len, self.block_k), *heads), block, self.scores_shared_bytes),
                Launch("softmax", (problem.seq_len, *heads), (self.softmax_threads, 1, 1), self.softmax_shared_bytes),
                Launch("output", (query_tiles, *heads), block, self.output_shared_bytes))
