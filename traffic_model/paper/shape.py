"""Shape: the sizes that the papers' accounts are written in, and the words of their tables."""
from collections.abc import Mapping
from dataclasses import dataclass

from traffic_model.errors import Refusal

READ, WRITE = "read", "write"
Moves = Mapping[tuple[str, str, str], int]  # (step, array, direction): bytes


@dataclass(frozen=True)
class Shape:
    """One attention as the papers count it: `heads` (batch × heads) of N queries and M keys of d elements of e bytes.

    Raises Refusal for a size that is not a whole number from 1 up.
    """

    n: int
    d: int
    heads: int = 1
    m: int | None = None
    e: int = 2

    def __post_init__(self):
        if self.m is None:
            object.__setattr__(self, "m", self.n)
        for name, value in vars(self).items():
            if not isinstance(value, int) or value < 1:
                raise Refusal(f"{name} {value} is not a whole number from 1 up; the smallest is 1.")

    @property
    def queries(self) -> int:
        """Bytes of Q, O, dQ or dO: U in the derivations, where N = M."""
        return self.heads * self.n * self.d * self.e

    @property
    def keys(self) -> int:
        """Bytes of K, V, dK or dV."""
        return self.heads * self.m * self.d * self.e

    @property
    def pairs(self) -> int:
        """(query, key) pairs of all heads: bytes of a mask of one byte each."""
        return self.heads * self.n * self.m

    @property
    def scores(self) -> int:
        """Bytes of S, P, dS or dP: W in the derivations."""
        return self.pairs * self.e

    def tiles(self, length: int, block: int) -> int:
        """Tiles of `block` rows in `length` rows. Raises Refusal for a block that is not a whole number from 1 up."""
        if not isinstance(block, int) or block < 1:
            raise Refusal(f"a tile of {block} rows is not a whole number of them from 1 up; the smallest is 1.")
        return -(-length // block)


GPT2_MEDIUM = Shape(n=1024, d=64, heads=16 * 64, e=2)  # FlashAttention, figure 2: 16 heads, batch 64, fp16


def total_bytes(*passes: Moves) -> int:
    """Bytes of all steps of these passes."""
    return sum(sum(moves.values()) for moves in passes)
