"""Fused on the tensor cores of compute capability 9.0: wgmma, bulk tensor copies, a warpgroup that copies."""
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from traffic_model.gpus import Gpu
from traffic_model.layout.common import WARP, Launch, ceil_div
from traffic_model.layout.tensor_core import HOPPER, NAME, TensorCoreLayout
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import THREE_GROUPS, Tiling

GROUP_ROWS = 64  # query rows that one wgmma multiplies
WARPGROUP = 4 * WARP  # threads
REGISTERS = 65536  # of one multiprocessor
COPY_REGISTERS, MOST_REGISTERS, REGISTER_STEP = 24, 240, 8  # of a thread whose warpgroup gives registers away, or takes them
ALIGNMENT = 1024  # bytes: tiles that wgmma reads start at multiples of so many, dynamic shared memory need not
BARRIER_BYTES = 8


@dataclass(frozen=True)
class HopperLayout(TensorCoreLayout):
    """One warpgroup starts copies, one for each 64 query rows multiplies. Shared memory: the Q tile, `stages` K tiles, as many V tiles and
    the barriers: Q full, Q empty, then of each stage K full, V full, K empty, V empty. S, P and O stay in registers.

    Where query tiles take equally long there are as many blocks as the multiprocessors hold at once, and each takes one tile after the
    other: the next one's copies start before its output is written. Under a causal mask each tile has a block of its own.
    """

    stages: int = 2
    multiprocessors: int | None = None
    query_tiles: ClassVar[tuple[int, ...]] = (64, 128, THREE_GROUPS)
    capability: ClassVar[str] = HOPPER
    copy_registers: ClassVar[int] = COPY_REGISTERS
    rates: ClassVar = {64: {(192, 128): 518, (128, 128): 468, (64, 128): 497}, 128: {(128, 128): 648}}

    @classmethod
    def resolve(cls, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> Self:
        """As every layout's, for this GPU's number of multiprocessors."""
        return replace(super().resolve(problem, tiling, gpu), multiprocessors=gpu.multiprocessors)

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        tiles = ceil_div(problem.seq_len, self.block_q) * problem.query_heads
        at_once = tiles if self.heads_fastest or self.multiprocessors is None else self.multiprocessors * self.resident_blocks
        return (Launch(NAME, (min(tiles, at_once), 1, 1), (self.threads, 1, 1), self.shared_bytes, self.resident_blocks),)

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
        return ALIGNMENT + self.barriers + BARRIER_BYTES * (2 + 4 * self.stages)
