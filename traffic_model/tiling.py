"""Tiling: what a person chooses."""
from dataclasses import asdict, dataclass

from traffic_model.errors import Refusal

TILE_SIZES = (16, 32, 64, 128, 256)
THREE_GROUPS = 192  # rows of a query tile that three warpgroups share, on tensor cores alone


@dataclass(frozen=True)
class Tiling:
    """Rows of a query tile (Br in the paper) and of a key/value tile (Bc). Raises Refusal for a size the kernels do not take.

    >>> Tiling(100, 64)
    Traceback (most recent call last):
    traffic_model.errors.Refusal: query tile 100 is not one of 16, 32, 64, 128, 256; the nearest is 128.
    """

    block_q: int = 64
    block_k: int = 64

    def __post_init__(self):
        for name, value, more in (("query tile", self.block_q, (THREE_GROUPS,)), ("key tile", self.block_k, ())):
            if type(value) is not int or value not in TILE_SIZES + more:  # 64.0 and True are no sizes either
                among = f"{name} {value} is not one of {', '.join(map(str, TILE_SIZES))}"
                if type(value) is not int:
                    raise Refusal(f"{among}, as a whole number.")
                nearest = min(TILE_SIZES, key=lambda size: (abs(size - value), size))
                raise Refusal(f"{among}; the nearest is {nearest}.")

    def record(self) -> dict:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.block_q}×{self.block_k}"
