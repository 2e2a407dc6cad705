"""Which keys a query sees. A mask is one function; kernels compile the same text, so model and kernel agree on the meaning.

i: query row, N: queries, M: keys. The answer is how many keys, from key 0 on, row i sees.
"""


def full(i, N, M):
    """Every query sees every key."""
    return M


def causal(i, N, M):
    """Bottom-right aligned, as in FlashAttention 2.1 and later: the last query sees every key."""
    return min(max(i + M - N + 1, 0), M)


MASKS = {"full": full, "causal": causal}
