"""Fused on the tensor cores of compute capability 9.0: wgmma, bulk tensor copies, a warpgroup that copies."""
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.layout.common import WARP
from traffic_model.layout.tensor_core import HOPPER, TensorCoreLayout
from traffic_model.tiling import THREE_GROUPS

GROUP_ROWS = 64  # query rows that one wgmma multiplies
WARPGROUP = 4 * WARP  # threads
REGISTERS = 65536  # of one multiprocessor
COPY_REGISTERS, MOST_REGISTERS, REGISTER_STEP = 24, 240, 8  # of a thread whose warpgroup gives registers away, or takes them
ALIGNMENT = 1024  # bytes: tiles that wgmma reads start at multiples of so many, dynamic shared memory need not
BARRIER_BYTES = 8


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
