"""Which keys a query sees. A mask is one function; kernels compile the same text, so model and kernel agree on the meaning.

i: query row, N: queries, M: keys. The answer is how many keys, from key 0 on, row i sees.
"""
from types import FunctionType

import numpy as np


def full(i, N, M):
    """Every query sees every key."""
    return M


def causal(i, N, M):
    """Bottom-right aligned, as in FlashAttention 2.1 and later: the last query sees every key."""
    return min(max(i + M - N + 1, 0), M)


MASKS = {"full": full, "causal": causal}


def keys_seen_by(mask: str, rows: np.ndarray, N: int, M: int) -> np.ndarray:
    """How many keys each of these rows sees, shape [rows]: the mask's own text, with a min and a max that take arrays."""
    over_arrays = FunctionType(MASKS[mask].__code__, {"min": np.minimum, "max": np.maximum})
    return np.broadcast_to(over_arrays(rows, N, M), rows.shape)
