"""Register blocking, shared by `tiled` and `fused`: each thread computes a small block of rows × columns from shared memory.

Lanes of a warp form 8 rows × 4 columns, interleaved (row from lane bits 1, 3, 4; column from bits 0, 2), so that neighbouring lanes
read the same 16 bytes and a 128-bit read of a warp takes 2 wavefronts instead of 4. A thread's columns come in runs of up to 4
consecutive ones, a run every 4 × `thread_columns`. Tiles that are multiplied along d (or along keys) are kept transposed, their
rows padded by 4 elements: warps fill them in patches of 4 rows × 8 columns, which then touch each bank once.
"""
import math
from dataclasses import dataclass

from traffic_model.layout.common import WARP, Layout, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

PATCH_ROWS, PATCH_COLUMNS = 4, 8  # of a tile that one warp loads at a time
WARP_ROWS, WARP_COLUMNS = 8, 4  # of threads in a warp
PAD = 4  # elements behind each row of a transposed tile
ROWS_PER_THREAD = {16: 2, 32: 4, 64: 4, 128: 8, 256: 8}


@dataclass(frozen=True)
class BlockedLayout(Layout):
    """A block computes `block_q` query rows with thread_rows × thread_columns threads."""

    block_q: int
    block_k: int
    head_dim: int
    rows_per_thread: int
    thread_columns: int

    @classmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling):
        columns = 8 if problem.head_dim <= 64 else 16
        return cls(tiling.block_q, tiling.block_k, problem.head_dim, ROWS_PER_THREAD[tiling.block_q], columns)

    @property
    def thread_rows(self) -> int:
        return self.block_q // self.rows_per_thread

    @property
    def threads(self) -> int:
        return self.thread_rows * self.thread_columns

    @property
    def warps(self) -> int:
        return self.threads // WARP

    @property
    def keys_per_thread(self) -> int:
        """Scores of a row that a thread computes."""
        return self.block_k // self.thread_columns

    @property
    def key_run(self) -> int:
        """Consecutive keys of a thread."""
        return math.gcd(self.keys_per_thread, 4)

    @property
    def columns_per_thread(self) -> int:
        """Output elements of a row that a thread computes; together a little more than d where d does not divide."""
        return ceil_div(self.head_dim, self.thread_columns)

    @property
    def column_run(self) -> int:
        """Consecutive output columns of a thread."""
        return math.gcd(self.columns_per_thread, 4)

    @property
    def value_columns(self) -> int:
        """Columns of the V tile: the head, padded to a whole number per thread."""
        return self.columns_per_thread * self.thread_columns

    @property
    def value_patches(self) -> int:
        """Patches across the V tile, at least as many as across the head."""
        return self.value_columns // PATCH_COLUMNS

    @property
    def query_stride(self) -> int:
        """Elements from one row of a tile transposed along queries to the next."""
        return self.block_q + PAD

    @property
    def key_stride(self) -> int:
        """Elements from one row of a tile transposed along keys to the next."""
        return self.block_k + PAD

    @property
    def value_stride(self) -> int:
        """Elements from one row of the V tile to the next: the padded head, and 8 more to spread the banks."""
        return self.value_columns + PATCH_COLUMNS
