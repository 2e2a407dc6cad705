"""What register-blocked kernels have in common (traffic_model/layout/blocked.py): patches that fill tiles, threads that multiply them."""
from dataclasses import dataclass

import numpy as np

from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, WRITE, O, Q
from traffic_model.layout.blocked import PATCH_COLUMNS, PATCH_ROWS, WARP_COLUMNS, WARP_ROWS, BlockedLayout
from traffic_model.layout.common import WARP
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import SECTOR, Array
from traffic_model.warps.access import Source
from traffic_model.warps.bases import Bases
from traffic_model.warps.heads import kv_heads, query_heads
from traffic_model.warps.lanes import Axis, grid, lines

PATCH = lines(PATCH_ROWS, PATCH_COLUMNS)
INTERLEAVED = tuple((lane // 2 % 2 + lane // 8 * 2, lane % 2 + lane // 4 % 2 * 2) for lane in range(WARP))


def patch_rows(length: int, stride: int, period: int = 1, times: np.ndarray | int = 1) -> Axis:
    """The rows of patches over `length` rows, which are `stride` elements apart. times: of all, or of each four rows."""
    return Axis.of(np.arange(0, length, PATCH_ROWS), PATCH_ROWS, 1, length, stride, period, times)


def patch_columns(length: int, stride: int, period: int = 1) -> Axis:
    """The columns of patches over `length` columns, which are `stride` elements apart."""
    return Axis.of(range(0, length, PATCH_COLUMNS), PATCH_COLUMNS, 1, length, stride, period)


@dataclass(frozen=True)
class Blocked:
    """The warp accesses of a register-blocked kernel.

    start: of a tile in shared memory, in elements; times: how often the block's warps together go through it, over all blocks.
    """

    problem: AttentionProblem
    layout: BlockedLayout

    @property
    def period(self) -> int:
        """Elements of a sector in HBM."""
        return SECTOR // self.problem.element_bytes

    def load(self, array: Array, tile_times: np.ndarray) -> Source:
        """Patches of Q, K or V from HBM. tile_times: how often each tile of rows is read."""
        p, d = self.problem, self.problem.head_dim
        length, block, heads = (p.seq_len, self.layout.block_q, query_heads) if array == Q else (p.kv_len, self.layout.block_k, kv_heads)
        times = np.repeat(tile_times, block // PATCH_ROWS)[:-(-length // PATCH_ROWS)]
        return grid(Cell(array, HBM, READ), p.element_bytes, PATCH, heads(p, length * d),
                    patch_rows(length, d, self.period, times), patch_columns(d, 1, self.period))

    def store(self) -> Source:
        """O to HBM, each thread its own elements."""
        n, d = self.problem.seq_len, self.problem.head_dim
        rows, columns = self.rows(d, self.period, n), self.columns(1, self.period, d)
        return grid(Cell(O, HBM, WRITE), self.problem.element_bytes, INTERLEAVED, query_heads(self.problem, n * d), rows, columns)

    def fill(self, array: Array, start: int, times: int, rows: Axis, columns: Axis) -> Source:
        """Patches of a tile into shared memory."""
        return grid(Cell(array, SHARED, WRITE), SHARED_BYTES, PATCH, Bases.repeated(start, times), rows, columns)

    def put(self, array: Array, start: int, times: int, rows: Axis, columns: Axis) -> Source:
        """Each thread's own rows and columns into shared memory."""
        return grid(Cell(array, SHARED, WRITE), SHARED_BYTES, INTERLEAVED, Bases.repeated(start, times), rows, columns)

    def use_rows(self, array: Array, start: int, times: int, steps: int, stride: int) -> Source:
        """Each thread reads its rows at every step of a product, the same for all columns of threads."""
        sharing = self.layout.thread_columns // WARP_COLUMNS  # warps
        return self._use(array, start, times * sharing, self.rows(1), Axis.together(steps, WARP_COLUMNS, stride, 1))

    def use_columns(self, array: Array, start: int, times: int, steps: int, stride: int, columns: Axis) -> Source:
        """Each thread reads its columns at every step of a product, the same for all rows of threads."""
        sharing = self.layout.thread_rows // WARP_ROWS  # warps
        return self._use(array, start, times * sharing, Axis.together(steps, WARP_ROWS, stride, 1), columns)

    def rows(self, stride: int, period: int = 1, length: int | None = None) -> Axis:
        """The rows that threads compute, of one tile or of all tiles over `length` rows."""
        block, own = self.layout.block_q, self.layout.rows_per_thread
        length = length or block
        warps = np.arange(0, -(-length // block) * block, WARP_ROWS * own)
        return Axis.of(np.add.outer(warps, np.arange(own)).ravel(), WARP_ROWS, own, length, stride, period)

    def keys(self, stride: int) -> Axis:
        """The keys of a tile that threads compute scores of."""
        return self._runs(self.layout.keys_per_thread, self.layout.key_run, self.layout.block_k, stride, 1)

    def columns(self, stride: int, period: int = 1, length: int | None = None) -> Axis:
        """The columns of O that threads compute, of the padded head or below `length`."""
        return self._runs(self.layout.columns_per_thread, self.layout.column_run, length or self.layout.value_columns, stride, period)

    def threads(self, stride: int) -> Axis:
        """The columns of threads."""
        return self._runs(1, 1, self.layout.thread_columns, stride, 1)

    def _runs(self, own, run, length, stride, period):
        across = self.layout.thread_columns * run
        starts = [warp + n % run + n // run * across for warp in range(0, across, WARP_COLUMNS * run) for n in range(own)]
        return Axis.of(starts, WARP_COLUMNS, run, length, stride, period)

    def _use(self, array, start, times, rows, columns):
        return grid(Cell(array, SHARED, READ), SHARED_BYTES, INTERLEAVED, Bases.repeated(start, times), rows, columns)
