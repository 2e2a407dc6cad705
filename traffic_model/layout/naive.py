"""Naive: no tiles, no shared memory."""
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.layout.common import Launch, Layout, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

MULTIPROCESSOR_THREADS = 1024  # every GPU's multiprocessor holds at least these


@dataclass(frozen=True)
class NaiveLayout(Layout):
    """A thread per score (lanes along keys), a thread per softmax row, a thread per output element (lanes along the head)."""

    columns: int = 32
    rows: int = 8
    softmax_threads: int = 128
    grid_order: ClassVar[str] = "key tile or head slice fastest, then query rows, then head and batch"

    @classmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling) -> "NaiveLayout":
        """The same for every tiling."""
        return cls()

    @property
    def shared_bytes(self) -> int:
        return 0

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        block = (self.columns, self.rows, 1)
        grid = lambda width: (ceil_div(width, self.columns), ceil_div(problem.seq_len, self.rows), problem.query_heads)
        softmax_rows = (ceil_div(problem.seq_len, self.softmax_threads), problem.heads, problem.batch)
        full = lambda threads: MULTIPROCESSOR_THREADS // threads  # little to keep in registers: as many threads as there can be
        return (Launch("scores", grid(problem.kv_len), block, resident_blocks=full(self.columns * self.rows)),
                Launch("softmax", softmax_rows, (self.softmax_threads, 1, 1), resident_blocks=full(self.softmax_threads)),
                Launch("output", grid(problem.head_dim), block, resident_blocks=full(self.columns * self.rows)))
