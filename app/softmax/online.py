"""The online softmax of one query row, step by step in fp32, in the order the fused kernels follow; and three ways to get it wrong.

For each tile of keys, with scores s, weights p and rows v of V:

    m' = max(m, s)     α = exp(m − m')     p = exp(s − m')     ℓ = α ℓ + Σ p     o = α o + Σ p v

and at the end out = o / ℓ, or zeros where ℓ is 0: no key was seen. Sums run key by key.
"""
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

SENTINEL = np.float32(-10_000)  # a finite number in the place of −∞, as many attention masks are written
MINUS_INFINITY = np.float32(-math.inf)


class Broken(StrEnum):
    """What is left out of the arithmetic, or done badly."""

    NOTHING = "nothing"
    NO_RESCALE = "no rescale"
    SENTINEL = "finite sentinel"
    HALF = "fp16 sums"


@dataclass(frozen=True)
class Step:
    """One tile: the maximum before and after it, α, what α leaves of ℓ and o, the tile's weights, and ℓ and o with them.

    o, kept_o: shape [d]; weights: shape [keys of the tile]. `alpha` is what the rows kept are multiplied by if nothing is broken.
    """

    m_before: float
    m: float
    alpha: float
    l_before: float
    o_before: np.ndarray
    kept_l: float
    kept_o: np.ndarray
    weights: np.ndarray
    l: float
    o: np.ndarray

    @property
    def out(self) -> np.ndarray:
        """The output if no tile came after this one, fp32, shape [d]."""
        return self.o.astype(np.float32) / np.float32(self.l) if self.l > 0 else np.zeros_like(self.o, np.float32)


def steps(tiles: Sequence[np.ndarray], values: np.ndarray, broken: Broken = Broken.NOTHING) -> list[Step]:
    """tiles: scores, fp32, −∞ where masked, each of shape [keys of the tile]; values: V, fp32, shape [all keys, d]."""
    sum_type = np.float16 if broken == Broken.HALF else np.float32
    lowest = SENTINEL if broken == Broken.SENTINEL else MINUS_INFINITY
    m, l, o, made, first = lowest, sum_type(0), np.zeros(values.shape[1], sum_type), [], 0
    for scores in tiles:
        s = np.maximum(scores, lowest)
        top = max(m, s.max())
        safe = top if top > MINUS_INFINITY else np.float32(0)  # nothing seen yet: exp(−∞ − 0) = 0 where −∞ − −∞ is NaN
        alpha = np.exp(m - safe)
        kept_l, kept_o = (l, o) if broken == Broken.NO_RESCALE else (sum_type(l * alpha), (o * alpha).astype(sum_type))
        weights = np.exp(s - safe)
        new_l, new_o = _add(kept_l, kept_o, weights, values[first:first + len(s)], sum_type)
        made.append(Step(float(m), float(top), float(alpha), float(l), o, float(kept_l), kept_o, weights, float(new_l), new_o))
        m, l, o, first = top, new_l, new_o, first + len(s)
    return made


def exact(scores: np.ndarray, values: np.ndarray, ends: Sequence[int]) -> np.ndarray:
    """Softmax by its definition in float64, over the first `end` keys for each of `ends`. Shape [ends, d]; zeros where none is seen."""
    top = scores.max()
    weights = np.exp(scores - (top if top > -math.inf else 0))
    sums, products = np.cumsum(weights), np.cumsum(weights[:, None] * values, axis=0)
    last = np.asarray(ends) - 1
    return products[last] / np.where(sums[last] > 0, sums[last], 1)[:, None]


def _add(l, o: np.ndarray, weights: np.ndarray, values: np.ndarray, sum_type) -> tuple:
    """ℓ + Σ p and o + Σ p v, one key after another, each sum rounded to `sum_type`. cumsum adds in that order."""
    l = np.cumsum(np.concatenate([[l], weights]).astype(sum_type), dtype=sum_type)[-1]
    products = (weights[:, None] * values).astype(sum_type)
    return l, np.cumsum(np.concatenate([o[None], products]), axis=0, dtype=sum_type)[-1]
