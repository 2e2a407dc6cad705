"""What a lane does with its rows between two products on tensor cores: the online softmax and the output, the same for every path.

A lane keeps, of each 16 rows of its warp, two: g = lane / 4 and g + 8. Of s it has the columns 8·n + 2·t and 8·n + 2·t + 1, t = lane mod 4,
as elements 4·n, 4·n + 1 of the first row and 4·n + 2, 4·n + 3 of the second; o lies likewise. The four lanes of a row exchange its maximum
and its sum by shuffles; STATS never lies in shared memory. All arrays are local; those of one row have an element per row.

m stays as it is, and α is 1, until a score exceeds it by 2^8: o / ℓ is the same whatever m is, fp32 holds what grows meanwhile, and most
tiles need no rescaling then.
"""
import math
from collections.abc import Callable
from typing import NamedTuple

from numba import float32, int32

from numba_kernels.device import cuda
from numba_kernels.ptx.common import larger, power_of_two

MINUS_INFINITY = float32(-math.inf)
EVERYONE = 0xFFFFFFFF
SLACK = float32(8)  # powers of two by which a row may outgrow the maximum that it is measured from


class Rows(NamedTuple):
    """Device functions on rows r and r + 1 of a lane, whose s begins at element `at`.

    hide(s, at, row, first_key, N, M): −∞ where query `row`, or `row` + 8, does not see the key.
    maximum(s, at, m, l, alpha, r, scale): m' = max(m, s), α = 2^(scale · (m − m')), l = α l; whether o must be rescaled by α in this warp.
    exponentials(s, at, m, l, r, scale): s = 2^(scale · (s − m)), l = l + Σ s.
    rescale(o, at, alpha, r): o = α o.
    normaliser(l, r): 1 / Σ l over the four lanes of row r; 0 for a row that saw no key.
    """

    hide: Callable
    maximum: Callable
    exponentials: Callable
    rescale: Callable
    normaliser: Callable


def rows(block_k: int, head_dim: int, keys_seen: Callable) -> Rows:
    """For key tiles of block_k. keys_seen: the mask."""
    scores, columns = block_k // 2, head_dim // 2  # elements of s and of o that a lane has of its two rows

    def hide(s, at, row, first_key, N, M):
        first = first_key + cuda.laneid % 4 * 2
        for r in range(2):
            sees = int32(min(keys_seen(row + 8 * r, N, M) - first, block_k))
            for n in range(0, scores, 4):
                for c in range(2):
                    if int32(2 * n + c) >= sees:
                        s[at + n + 2 * r + c] = MINUS_INFINITY

    def maximum(s, at, m, l, alpha, first_row, scale):
        grown = False
        for r in range(2):
            top = m[first_row + r]
            for n in range(at + 2 * r, at + scores, 4):
                top = larger(top, larger(s[n], s[n + 1]))
            top = larger(top, cuda.shfl_xor_sync(EVERYONE, top, 1))
            top = larger(top, cuda.shfl_xor_sync(EVERYONE, top, 2))
            grows = scale * top - scale * m[first_row + r] > SLACK
            alpha[first_row + r] = power_of_two(scale * m[first_row + r] - scale * top) if grows else float32(1)
            if grows:
                m[first_row + r] = top
            l[first_row + r] *= alpha[first_row + r]
            grown = grown or grows
        return cuda.any_sync(EVERYONE, grown)

    def exponentials(s, at, m, l, first_row, scale):
        for r in range(2):
            top = m[first_row + r]
            safe = scale * (top if top > MINUS_INFINITY else float32(0))  # nothing seen yet: 2^(−∞ − 0) = 0 where −∞ − −∞ is NaN
            total = l[first_row + r]
            for n in range(at + 2 * r, at + scores, 4):
                s[n] = power_of_two(scale * s[n] - safe)
                s[n + 1] = power_of_two(scale * s[n + 1] - safe)
                total += s[n] + s[n + 1]
            l[first_row + r] = total

    def rescale(o, at, alpha, first_row):
        for r in range(2):
            for n in range(at + 2 * r, at + columns, 4):
                o[n] *= alpha[first_row + r]
                o[n + 1] *= alpha[first_row + r]

    def normaliser(l, r):
        total = l[r] + cuda.shfl_xor_sync(EVERYONE, l[r], 1)
        total += cuda.shfl_xor_sync(EVERYONE, total, 2)
        return float32(1) / total if total > float32(0) else float32(0)

    return Rows(*map(cuda.jit(device=True, forceinline=True), (hide, maximum, exponentials, rescale, normaliser)))
