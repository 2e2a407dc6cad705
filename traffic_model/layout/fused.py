"""Fused: one block per query tile, which stays; key/value tiles pass by."""
from dataclasses import dataclass

from traffic_model.layout.blocked import BlockedLayout
from traffic_model.layout.common import Launch, ceil_div
from traffic_model.problem import AttentionProblem

REGISTERS = 65536  # of one multiprocessor, on every GPU in the table
OTHER_REGISTERS = 64  # of a thread, beside s and o


@dataclass(frozen=True)
class FusedLayout(BlockedLayout):
    """Shared memory: the Q tile, the K tile (and in its place, once S is computed, P), the V tile, and a maximum per row and column
    of threads (STATS). S and o stay in registers. Offsets are in elements of fp32."""

    @property
    def k_tile(self) -> int:
        return self.head_dim * self.query_stride

    @property
    def v_tile(self) -> int:
        return self.k_tile + max(self.head_dim * self.key_stride, self.block_k * self.block_q)

    @property
    def stats(self) -> int:
        return self.v_tile + self.block_k * self.value_stride

    @property
    def shared_bytes(self) -> int:
        return 4 * (self.stats + self.thread_columns * self.block_q)

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        grid = (ceil_div(problem.seq_len, self.block_q), problem.heads, problem.batch)
        registers = self.rows_per_thread * (self.keys_per_thread + self.columns_per_thread) + OTHER_REGISTERS
        resident = max(1, REGISTERS // (self.threads * registers))
        return (Launch("fused", grid, (self.threads, 1, 1), self.shared_bytes, resident),)
