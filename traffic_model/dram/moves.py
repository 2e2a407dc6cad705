"""Moves: what one launch asks of DRAM, as the algorithm files put it together."""
from typing import NamedTuple


class Moves(NamedTuple):
    """Bytes of one launch, L2 emptied before it. once: inputs, which come in at least once; between: what is named between two visits to
    the same line, which L2 would have to hold; again: what is read again because it does not; written: what goes out in the end if none
    of it stays in L2."""

    once: float
    between: float
    again: float
    written: float
