"""Attention in float64, by the definition: what every kernel's output is compared with."""
import numpy as np

ROWS = 1024  # queries at a time, so that memory stays linear in the sequence length


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: str, scale: float) -> np.ndarray:
    """softmax(scale · q kᵀ + mask) v in float64.

    q: [batch, heads, N, d]; k, v: [batch, kv heads, M, d]; returns [batch, heads, N, d]. "causal" is aligned bottom-right: query i
    sees keys j ≤ i + M − N. A query that sees no key gives zeros.
    """
    batch, heads, n, d = q.shape
    out = np.zeros((batch, heads, n, d))
    for b, h in np.ndindex(batch, heads):
        kv_head = h // (heads // k.shape[1])
        keys, values = k[b, kv_head].astype(np.float64), v[b, kv_head].astype(np.float64)
        for first in range(0, n, ROWS):
            rows = slice(first, min(first + ROWS, n))
            out[b, h, rows] = _rows(q[b, h, rows].astype(np.float64), keys, values, mask, scale, first, n)
    return out


def errors(out: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """(‖out − reference‖ / ‖reference‖, largest absolute difference). NaN if any element is. 0 for an all-zero match."""
    difference = out.astype(np.float64) - reference
    norm = np.linalg.norm(reference)
    apart = np.linalg.norm(difference)
    return float(apart / norm if norm > 0 else apart), float(np.abs(difference).max())


def _rows(q, k, v, mask, scale, first, n):
    s = scale * (q @ k.T)
    if mask == "causal":
        queries = first + np.arange(len(q))[:, None]
        s[np.arange(len(k))[None, :] > queries + len(k) - n] = -np.inf
    m = s.max(axis=1, keepdims=True)
    p = np.exp(s - np.where(np.isfinite(m), m, 0))
    l = p.sum(axis=1, keepdims=True)
    return (p @ v) / np.where(l > 0, l, 1)
