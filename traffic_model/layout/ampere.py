"""Fused on the tensor cores of compute capability 8.0 and up: mma.sync, ldmatrix, cp.async."""
from dataclasses import dataclass
from typing import ClassVar

from traffic_model.layout.common import WARP
from traffic_model.layout.tensor_core import AMPERE, TensorCoreLayout

BAND_ROWS = 16  # query rows that one mma multiplies
SHORT_HEAD = 64  # up to which a warp keeps its query rows in registers


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
        return self.block_q // (BAND_ROWS * self.warps)

    @property
    def keeps_queries(self) -> bool:
        return self.head_dim <= SHORT_HEAD

    @property
    def resident_blocks(self) -> int:
        return 2

    @property
    def shared_bytes(self) -> int:
        return self.query_tile_bytes + 4 * self.key_tile_bytes
