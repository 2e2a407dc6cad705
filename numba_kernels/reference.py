"""Attention in float64, by the definition: what every kernel's output is compared with."""
import numpy as np

from traffic_model.masks import keys_seen_by

ROWS_AT_ONCE = 1024  # so that memory stays linear in the sequence length
SCORES_CHECKED = 2**26  # of one head; longer sequences are checked on some of their rows


def checked_rows(n: int, m: int) -> np.ndarray:
    """The query rows that are compared: all of them up to N·M = 2²⁶, above that as many, evenly spread, first and last included."""
    return np.unique(np.linspace(0, n - 1, min(n, max(1, SCORES_CHECKED // m))).astype(int))


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: str, scale: float, rows: np.ndarray | None = None) -> np.ndarray:
    """softmax(scale · q kᵀ + mask) v in float64.

    q: [batch, heads, N, d]; k, v: [batch, kv heads, M, d]; returns [batch, heads, N, d], or only these `rows` of N. "causal" is
    aligned bottom-right: query i sees keys j ≤ i + M − N. A query that sees no key gives zeros, one
    that sees no score but −∞ has no softmax and gives NaN.
    """
    batch, heads, n, d = q.shape
    rows = np.arange(n) if rows is None else rows
    out = np.zeros((batch, heads, len(rows), d))
    for b, h in np.ndindex(batch, heads):
        kv_head = h // (heads // k.shape[1])
        keys, values = k[b, kv_head].astype(np.float64), v[b, kv_head].astype(np.float64)
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[first:first + ROWS_AT_ONCE]
            out[b, h, first:first + len(some)] = _rows(q[b, h, some].astype(np.float64), keys, values, mask, scale, some, n)
    return out


def errors(out: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """(‖out − reference‖ / ‖reference‖, largest absolute difference). NaN if any element is. 0 for an all-zero match."""
    difference = out.astype(np.float64) - reference
    norm = np.linalg.norm(reference)
    apart = np.linalg.norm(difference)
    return float(apart / norm if norm > 0 else apart), float(np.abs(difference).max())


def _rows(q, k, v, mask, scale, queries, n):
    s = scale * (q @ k.T)
    if mask == "causal":
        s[np.arange(len(k))[None, :] > queries[:, None] + len(k) - n] = -np.inf
    m = s.max(axis=1, keepdims=True)
    p = np.exp(s - np.where(np.isfinite(m), m, 0))
    l = p.sum(axis=1, keepdims=True)
    blind = keys_seen_by(mask, queries, n, len(k))[:, None] == 0
    return (p @ v) / np.where(blind, 1, l)
