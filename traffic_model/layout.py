"""Layout: how a kernel spreads its work over threads and shared memory. Resolved once, imported by kernels and predictions alike."""
from dataclasses import asdict, dataclass
from typing import NamedTuple

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import TILE_SIZES, Tiling

MAX_ROW_REGISTERS = 96  # elements of q (and of o) one thread keeps in registers; from 97 on a row is split over threads
GRID_LIMIT = 65535  # blocks along y and along z; x takes 2³¹ − 1


class Launch(NamedTuple):
    """One kernel launch: its name, and blocks and threads along x, y, z."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]


@dataclass(frozen=True)
class NaiveLayout:
    """A thread per score (lanes along keys), a thread per softmax row, a thread per output element (lanes along the head)."""

    tile_columns: int = 32
    tile_rows: int = 8
    softmax_threads: int = 128
    access_bytes: int = 4
    grid_order: str = "key tile or head slice fastest, then query rows, then head and batch"

    @property
    def shared_bytes(self) -> int:
        return 0

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        """The three launches in order."""
        tile = (self.tile_columns, self.tile_rows, 1)
        blocks = lambda columns: (_ceil_div(columns, self.tile_columns), _ceil_div(problem.seq_len, self.tile_rows), problem.query_heads)
        rows = (_ceil_div(problem.seq_len, self.softmax_threads), problem.heads, problem.batch)
        return (Launch("scores", blocks(problem.kv_len), tile), Launch("softmax", rows, (self.softmax_threads, 1, 1)),
                Launch("output", blocks(problem.head_dim), tile))

    def record(self) -> dict:
        return asdict(self) | dict(shared_bytes=self.shared_bytes)


@dataclass(frozen=True)
class FusedLayout:
    """One block per query tile: `block_q` rows, each kept by `threads_per_row` threads that share out its head dimension.

    Shared memory holds one K and one V tile of `block_k` rows of `row_elements` fp32 (the head dimension, padded to a whole slice
    per thread), then, when a row is split, two rounds of partial scores, one per thread.
    """

    block_q: int
    block_k: int
    head_dim: int
    threads_per_row: int
    access_bytes: int = 4
    grid_order: str = "query tile fastest, then head, then batch"

    @property
    def threads(self) -> int:
        return self.block_q * self.threads_per_row

    @property
    def slice_elements(self) -> int:
        """Elements of q and of o that one thread keeps in registers."""
        return _ceil_div(self.head_dim, self.threads_per_row)

    @property
    def row_elements(self) -> int:
        """Elements of one row of the K and V tiles, padding included."""
        return self.slice_elements * self.threads_per_row

    @property
    def tile_elements(self) -> int:
        """Elements of the K tile, and of the V tile."""
        return self.block_k * self.row_elements

    @property
    def partial_score_elements(self) -> int:
        """Elements of the partial scores in shared memory; none while one thread keeps the whole row."""
        return 2 * self.threads if self.threads_per_row > 1 else 0

    @property
    def shared_bytes(self) -> int:
        return 4 * (2 * self.tile_elements + self.partial_score_elements)

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        """The one launch."""
        return (Launch("fused", (_ceil_div(problem.seq_len, self.block_q), problem.heads, problem.batch), (self.threads, 1, 1)),)

    def record(self) -> dict:
        derived = ("threads", "slice_elements", "row_elements", "shared_bytes")
        return asdict(self) | {name: getattr(self, name) for name in derived}


def naive_layout(problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> NaiveLayout:
    """The naive kernels' layout; the tiling plays no part in it. Raises Refusal if the grid would not fit."""
    layout = NaiveLayout()
    _require_grid("batch × heads", problem.query_heads)
    _require_grid("blocks of 8 query rows", _ceil_div(problem.seq_len, layout.tile_rows))
    return layout


def fused_layout(problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> FusedLayout:
    """The fused kernel's layout. Raises Refusal, naming the largest legal key tile, if it needs more shared memory than the GPU allows."""
    _require_grid("heads", problem.heads)
    _require_grid("batch", problem.batch)
    layout = _fused(problem, tiling)
    if layout.shared_bytes > gpu.shared_limit_bytes:
        legal = [k for k in TILE_SIZES if _fused(problem, Tiling(tiling.block_q, k)).shared_bytes <= gpu.shared_limit_bytes]
        choice = f"the largest legal key tile is {legal[-1]}" if legal else "no key tile is legal at this head size and query tile"
        raise Refusal(f"a {tiling} tiling at d = {problem.head_dim} needs {layout.shared_bytes / 1024:g} KiB of shared memory per block, "
                      f"but {gpu.name} allows {gpu.shared_kib_per_block} KiB; {choice}.")
    return layout


def _fused(problem: AttentionProblem, tiling: Tiling) -> FusedLayout:
    threads_per_row = _ceil_div(problem.head_dim, MAX_ROW_REGISTERS)
    return FusedLayout(tiling.block_q, tiling.block_k, problem.head_dim, threads_per_row)


def _require_grid(name: str, blocks: int) -> None:
    if blocks > GRID_LIMIT:
        raise Refusal(f"{blocks:,} {name} exceed the grid's limit; the largest is {GRID_LIMIT:,}.")


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)
