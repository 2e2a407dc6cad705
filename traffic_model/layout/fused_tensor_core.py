"""Fused on tensor cores: the walk of fused, with a layout for compute capability 9.0 (Hopper) and one for 8.0 and up (Ampere).

Tiles lie in shared memory as they do in HBM, two bytes an element, cut into tiles of 64 columns (128 bytes a row) one behind the other;
the chunks of 16 bytes of a row are exchanged, so that the eight rows that are read together lie in different banks.
"""
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout.common import WARP, Launch, Layout, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import THREE_GROUPS, Tiling

NAME = "fused_tensor_core"
DTYPES = ("bfloat16", "float16")
HEAD_DIMS = (64, 128)
ELEMENT_BYTES = 2
GROUP_ROWS = 64  # query rows that one wgmma multiplies
WARPGROUP = 4 * WARP  # threads
HOPPER, AMPERE = "9.0", "8.0"  # compute capabilities
REGISTERS = 65536  # of one multiprocessor of either
COPY_REGISTERS, MOST_REGISTERS, REGISTER_STEP = 24, 240, 8  # of a thread whose warpgroup gives registers away, or takes them
ALIGNMENT = 1024  # bytes: tiles that wgmma reads start at multiples of so many, dynamic shared memory need not
BARRIER_BYTES = 8
ALIKE = 1.03  # times that differ by less are the same


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
    rates: ClassVar[dict[int, dict[tuple[int, int], int]]]  # {d: {tiling: TFLOP/s}}, largest first: H200, 16 heads, N 16,384, full

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


@dataclass(frozen=True)
class HopperLayout(TensorCoreLayout):
    """One warpgroup starts copies, one for each 64 query rows multiplies. Shared memory: the Q tile, `stages` K tiles, as many V tiles and
    the barriers: of Q, then of each stage K full, V full, K empty, V empty. S, P and O stay in registers."""

    stages: int = 2
    query_tiles: ClassVar[tuple[int, ...]] = (64, 128, THREE_GROUPS)
    capability: ClassVar[str] = HOPPER
    copy_registers: ClassVar[int] = COPY_REGISTERS
    rates: ClassVar = {64: {(192, 128): 515, (128, 128): 458, (64, 128): 465}, 128: {(128, 128): 653}}

    @property
    def groups(self) -> int:
        """Warpgroups that multiply."""
        return self.block_q // GROUP_ROWS

    @property
    def threads(self) -> int:
        return WARPGROUP * (1 + self.groups)

    @property
    def key_readers(self) -> int:
        return self.groups

    @property
    def keeps_queries(self) -> bool:
        return False

    @property
    def resident_blocks(self) -> int:
        return 1 if self.groups > 1 or self.head_dim > GROUP_ROWS else 2

    @property
    def multiply_registers(self) -> int:
        """Registers of a thread that multiplies, once those that copy have given theirs away."""
        down = lambda registers: registers // REGISTER_STEP * REGISTER_STEP
        each = down(REGISTERS // (self.threads * self.resident_blocks))
        return min(MOST_REGISTERS, down((each * (1 + self.groups) - COPY_REGISTERS) // self.groups))

    @property
    def barriers(self) -> int:
        """Where the barriers start, in bytes."""
        return self.query_tile_bytes + 2 * self.stages * self.key_tile_bytes

    @property
    def shared_bytes(self) -> int:
        return ALIGNMENT + self.barriers + BARRIER_BYTES * (1 + 4 * self.stages)


@dataclass(frozen=True)
class AmpereLayout(TensorCoreLayout):
    """Four warps share the query rows in bands of 16. Shared memory: the Q tile, two K tiles and two V tiles: one is multiplied while the
    next one comes. S, P and O stay in registers, and Q where the head is short."""

    key_tiles: ClassVar[tuple[int, ...]] = (16, 32, 64)
    capability: ClassVar[str] = AMPERE
    rates: ClassVar = {64: {(128, 64): 335}, 128: {(128, 32): 378}}
    warps: ClassVar[int] = 4
    threads: ClassVar[int] = 4 * WARP

    @property
    def key_readers(self) -> int:
        return self.warps

    @property
    def bands(self) -> int:
        """Of 16 query rows, of a warp."""
        return self.block_q // (16 * self.warps)

    @property
    def keeps_queries(self) -> bool:
        return self.head_dim == min(HEAD_DIMS)

    @property
    def resident_blocks(self) -> int:
        return 2

    @property
    def shared_bytes(self) -> int:
        return self.query_tile_bytes + 4 * self.key_tile_bytes


class FusedTensorCoreLayout:
    """Which of the two a GPU takes."""

    @staticmethod
    def path(gpu: Gpu) -> type[TensorCoreLayout]:
        """Raises Refusal for a GPU whose tensor cores know no bf16."""
        if float(gpu.compute_capability) < float(AMPERE):
            raise Refusal(f"{NAME} needs tensor cores that take bf16, from compute capability {AMPERE} on, and {gpu.name} has "
                          f"{gpu.compute_capability}; take fused, the same walk without them.")
        return HopperLayout if gpu.compute_capability == HOPPER else AmpereLayout

    @classmethod
    def resolve(cls, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> TensorCoreLayout:
        """The layout for this GPU. Raises Refusal, too, for a dtype, a head size or a tile that the tensor cores do not take."""
        path = cls.path(gpu)
        require_taken(problem)
        for name, size, sizes in (("query", tiling.block_q, path.query_tiles), ("key", tiling.block_k, path.key_tiles)):
            if size not in sizes:
                nearest = min(sizes, key=lambda each: abs(each - size))
                raise Refusal(f"{NAME} takes {name} tiles of {' or '.join(map(str, sizes))} on {gpu.name}, not {size}; the nearest is "
                              f"{nearest}.")
        return path.resolve(problem, tiling, gpu)

    @classmethod
    def best_tiling(cls, problem: AttentionProblem, gpu: Gpu) -> Tiling:
        """The largest of the tilings that keep the busiest multiprocessor busy for about the shortest time, by the measured rates.

        Blocks run in rounds of as many as the multiprocessors hold; under a causal mask, where the longest start first, the rounds
        need not be whole. Raises Refusal as `resolve` does.
        """
        path = cls.path(gpu)
        require_taken(problem)
        rates = path.rates[problem.head_dim]

        def busy(tile):
            resident = path.choose(problem, Tiling(*tile)).resident_blocks
            rounds = ceil_div(problem.seq_len, tile[0]) * problem.query_heads / (gpu.multiprocessors * resident)
            return (math.ceil(rounds) if problem.mask == "full" else max(1, rounds)) * resident * tile[0] / rates[tile]

        return Tiling(*next(tile for tile in rates if busy(tile) <= ALIKE * min(map(busy, rates))))


def require_taken(problem: AttentionProblem) -> None:
    """Raises Refusal for a dtype or a head size that the tensor-core kernels do not take."""
    if problem.dtype not in DTYPES:
        raise Refusal(f"{NAME} multiplies {' and '.join(DTYPES)}, not {problem.dtype}; take fused, which keeps fp32.")
    if problem.head_dim not in HEAD_DIMS:
        raise Refusal(f"{NAME} takes head dims {' and '.join(map(str, HEAD_DIMS))}, not {problem.head_dim}; take fused.")
