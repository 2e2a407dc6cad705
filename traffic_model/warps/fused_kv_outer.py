"""Warp accesses of the fused kernel in the first paper's order (numba_kernels/fused_kv_outer.py): a line for each of them.

Lanes lie along query rows; where a tile has fewer rows than a warp has lanes, two of the threads that share a row are in one warp.
"""
from dataclasses import dataclass

import numpy as np

from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, STATS, WRITE, K, O, Q, S, V
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.layout.common import WARP
from traffic_model.ledger import Cell
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import SECTOR, Array
from traffic_model.walk import visited, walk
from traffic_model.warps.access import Access, Lanes, Source
from traffic_model.warps.bases import Bases
from traffic_model.warps.heads import kv_heads, query_heads
from traffic_model.warps.lanes import Axis, Shape, grid, lines, spread

FP32_SECTOR = SECTOR // SHARED_BYTES  # elements: running O and STATS are fp32


def sources(problem: AttentionProblem, layout: FusedKvOuterLayout) -> list[list[Source]]:
    """Of the one launch."""
    visits, size = visited(problem, layout.block_q, layout.block_k), problem.element_bytes
    once, returns = np.ones_like(visits), np.maximum(visits - 1, 0)
    k = _KvOuter(problem, layout)
    found = [k.elements(Cell(Q, HBM, READ), size, visits), k.load(K), k.load(V),
             k.elements(Cell(O, HBM, READ), SHARED_BYTES, returns),
             k.elements(Cell(O, HBM, WRITE), SHARED_BYTES, returns), k.elements(Cell(O, HBM, WRITE), size, once),
             k.stats(Cell(STATS, HBM, READ), returns, k.every_part), k.stats(Cell(STATS, HBM, WRITE), visits, k.first_part),
             k.fill(K, 0), k.fill(V, layout.v_tile), k.use(K, 0), k.use(V, layout.v_tile)]
    return [found + ([k.part_put(), k.parts_got()] if layout.threads_per_row > 1 else [])]


@dataclass(frozen=True)
class _KvOuter:
    """visits: how often each query tile comes by; tile: where the K or the V tile starts in shared memory."""

    problem: AttentionProblem
    layout: FusedKvOuterLayout

    @property
    def shape(self) -> Shape:
        """A warp's lanes: (query row, part of the row), rows one after the other."""
        rows = min(self.layout.block_q, WARP)
        return tuple((lane % rows, lane // rows) for lane in range(min(self.layout.threads, WARP)))

    @property
    def rows(self) -> int:
        """Query rows of a warp."""
        return self.shape[-1][0] + 1

    @property
    def parts(self) -> int:
        """Threads of one row in a warp."""
        return self.shape[-1][1] + 1

    @property
    def every_part(self) -> Axis:
        """All threads of a row name the same, warp by warp."""
        return Axis.together(self.layout.threads_per_row // self.parts, self.parts, 0, FP32_SECTOR)

    @property
    def first_part(self) -> Axis:
        """One thread of a row."""
        return Axis.together(1, 1, 0, FP32_SECTOR)

    def elements(self, cell: Cell, size: int, visits: np.ndarray) -> Source:
        """Q or O: each thread its slice of its row, element by element."""
        n, d, period = self.problem.seq_len, self.problem.head_dim, SECTOR // size
        heads = query_heads(self.problem, n * d, size)
        return grid(cell, size, self.shape, heads, self._queries(d, period, visits), self._slices(d, period))

    def stats(self, cell: Cell, visits: np.ndarray, parts: Axis) -> Source:
        """The maximum of a row, then its sum."""
        both = query_heads(self.problem, 2 * self.problem.seq_len, SHARED_BYTES) * Bases.steps(1, 2, FP32_SECTOR)
        return grid(cell, SHARED_BYTES, self.shape, both, self._queries(2, FP32_SECTOR, visits), parts)

    def load(self, array: Array) -> Source:
        """All tiles of K or V from HBM, the block's threads along the elements of a tile."""
        m, d, size, block = self.problem.kv_len, self.problem.head_dim, self.problem.element_bytes, self.layout.block_k
        heads, whole = kv_heads(self.problem, m * d), Bases.steps(block * d, m // block, SECTOR // size)
        last = Bases.of(np.array([m // block * block * d]), 1, SECTOR // size)
        return Source(Cell(array, HBM, READ), tuple(
            access for rows, tiles in ((block, whole), (m % block, last)) for lanes, bases in self._pieces(rows, SECTOR // size).items()
            for access in spread(Cell(array, HBM, READ), size, lanes, heads * tiles * bases)))

    def fill(self, array: Array, tile: int) -> Source:
        """A tile into shared memory, padding included."""
        lanes, elements = len(self.shape), self.layout.block_k * self.layout.row_elements
        fills = Bases.repeated(tile, walk(self.problem, self.layout.block_q, self.layout.block_k).key_tiles)
        along = Axis.of(range(0, elements, lanes), lanes, 1, elements, 1, 1)
        return grid(Cell(array, SHARED, WRITE), SHARED_BYTES, lines(1, lanes), fills, Axis.together(1, 1, 0, 1), along)

    def use(self, array: Array, tile: int) -> Source:
        """Each thread its slice of every row of a tile, the same for all query rows."""
        row = self.layout.row_elements
        keys = Bases.repeated(tile, self._tiles) * Bases.steps(row, self.layout.block_k, 1)
        queries = Axis.together(self.layout.block_q // self.rows, self.rows, 0, 1)
        return grid(Cell(array, SHARED, READ), SHARED_BYTES, self.shape, keys, queries, self._slices(row, 1))

    def part_put(self) -> Source:
        """Key by key each thread puts down its part of a score,"""
        return self._exchange(Cell(S, SHARED, WRITE), range(len(self.shape)), 1)

    def parts_got(self) -> Source:
        """and picks up every part."""
        return self._exchange(Cell(S, SHARED, READ), (row for row, _ in self.shape), self.layout.threads_per_row)

    def _exchange(self, cell, lanes, times):
        warps = self._tiles * self.layout.block_k * self.layout.threads // len(self.shape)
        return Source(cell, (Access(cell, SHARED_BYTES, self.layout.partial_scores, tuple(lanes), warps * times),))

    @property
    def _tiles(self) -> int:
        return walk(self.problem, self.layout.block_q, self.layout.block_k).tiles

    def _queries(self, stride: int, period: int, visits: np.ndarray) -> Axis:
        n, rows = self.problem.seq_len, self.rows
        times = np.repeat(visits, self.layout.block_q // rows)[:-(-n // rows)]
        return Axis.of(np.arange(0, n, rows), rows, 1, n, stride, period, times)

    def _slices(self, length: int, period: int) -> Axis:
        own = self.layout.slice_elements
        starts = [first + c for first in range(0, self.layout.row_elements, self.parts * own) for c in range(own)]
        return Axis.of(starts, self.parts, own, length, 1, period)

    def _pieces(self, rows: int, period: int) -> dict[Lanes, Bases]:
        """The warp accesses that load a tile of which so many rows exist, from its first element. A row's padding is not loaded."""
        d, row, lanes, found = self.problem.head_dim, self.layout.row_elements, len(self.shape), {}
        for first in range(0, rows * row, lanes):
            places = [divmod(element, row) for element in range(first, first + lanes)]
            named = [j * d + c if j < rows and c < d else None for j, c in places]
            base = min((index for index in named if index is not None), default=None)
            if base is not None:
                those = tuple(None if index is None else index - base for index in named)
                found.setdefault(those, []).append(base)
        return {those: Bases.of(np.array(bases), 1, period) for those, bases in found.items()}
