"""What every layout has in common: launches, shared memory, and the refusal of what a GPU cannot hold."""
from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import ClassVar, NamedTuple, Self

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import TILE_SIZES, Tiling

GRID_LIMITS = (2**31 - 1, 65535, 65535)  # blocks along x, y and z
WARP = 32


class Launch(NamedTuple):
    """One kernel launch: its name, blocks and threads along x, y, z, and bytes of dynamic shared memory per block.

    resident_blocks: how many blocks per multiprocessor the compiler should leave registers for.
    """

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int = 0
    resident_blocks: int = 1


class Layout(ABC):
    """A frozen dataclass of what recompiles a kernel; sizes of the problem that do not are given to `launches`."""

    access_bytes: ClassVar[int] = 4  # of every access to shared memory; in HBM an access is one element
    grid_order: ClassVar[str] = "query tile fastest, then head, then batch"
    query_tiles: ClassVar[tuple[int, ...]] = TILE_SIZES

    @classmethod
    @abstractmethod
    def choose(cls, problem: AttentionProblem, tiling: Tiling) -> Self:
        """The layout for this problem and tiling, legal or not."""

    @abstractmethod
    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        """The kernel launches in order."""

    @property
    @abstractmethod
    def shared_bytes(self) -> int:
        """Bytes of shared memory per block of the launch that needs most."""

    @classmethod
    def resolve(cls, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> Self:
        """The layout, or a Refusal: for too much shared memory (it names the nearest legal key tile) or too large a grid."""
        if tiling.block_q not in cls.query_tiles:
            nearest = min(cls.query_tiles, key=lambda size: abs(size - tiling.block_q))
            raise Refusal(f"a query tile of {tiling.block_q} is one that only fused_tensor_core takes; the nearest is {nearest}.")
        layout = cls.choose(problem, tiling)
        if layout.shared_bytes > gpu.shared_limit_bytes:
            raise Refusal(f"a {tiling} tiling at d = {problem.head_dim} needs {layout.shared_bytes / 1024:g} KiB of shared memory per "
                          f"block, but {gpu.name} allows {gpu.shared_kib_per_block} KiB; {cls._advice(problem, tiling, gpu)}.")
        for launch in layout.launches(problem):
            if any(blocks > limit for blocks, limit in zip(launch.grid, GRID_LIMITS)):
                written = lambda numbers: " × ".join(f"{number:,}" for number in numbers)
                raise Refusal(f"the {launch.name} kernel would need a grid of {written(launch.grid)} blocks; a GPU takes "
                              f"{written(GRID_LIMITS)}.")
        return layout

    @classmethod
    def _advice(cls, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> str:
        fits = lambda q, k: cls.choose(problem, Tiling(q, k)).shared_bytes <= gpu.shared_limit_bytes
        keys = [k for k in TILE_SIZES if fits(tiling.block_q, k)]
        if keys:
            return f"the largest legal key tile is {keys[-1]}"
        rows = [q for q in TILE_SIZES if fits(q, TILE_SIZES[0])]
        return f"the largest legal query tile is {rows[-1]}, with a key tile of {TILE_SIZES[0]}" if rows else "no tile is legal there"

    def record(self) -> dict:
        """The layout as a JSON object: what recompiles, and what follows from it."""
        return asdict(self) | dict(access_bytes=self.access_bytes, grid_order=self.grid_order, shared_bytes=self.shared_bytes)


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)
