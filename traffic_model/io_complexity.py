"""IO complexity: how attention's memory accesses grow, the exact counts behind the orders, and the paper's choice of tiles.

Source: arXiv 2205.14135, theorem 2 and proposition 3. M is the size of on-chip memory in elements, d ≤ M ≤ N·d. Standard attention needs
Θ(N·d + N²) accesses, FlashAttention Θ(N²·d²/M), and no exact algorithm does better for all M in that range. Counts are of one head.
"""
from typing import NamedTuple

from traffic_model.errors import Refusal
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.layout.common import ceil_div
from traffic_model.paper.flash import kv_outer_forward
from traffic_model.paper.shape import Shape, total_bytes
from traffic_model.paper.standard import forward
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

FP32 = 4
STATS = 2 * FP32  # a maximum and a sum


class Order(NamedTuple):
    """`order`: the function of N, d and M that stands in Θ(…). `exact`: elements moved. Their ratio is the constant that Θ hides."""

    order: float
    exact: int

    @property
    def constant(self) -> float:
        return self.exact / self.order


def standard(n: int, d: int) -> Order:
    """N·d + N² beside 4·N·d + 4·N²: the constant is 4."""
    return Order(n * d + n * n, total_bytes(forward(Shape(n, d, e=1))))


def flash(n: int, d: int, on_chip: int) -> Order:
    """N²·d²/M beside (1 + 3·Tc)·N·d with the paper's tiles: the constant tends to 12 = 3 × 4. Raises Refusal for M out of range."""
    if not d <= on_chip <= n * d:
        raise Refusal(f"M = {on_chip:,} elements: the orders hold from d = {d:,} to N·d = {n * d:,}.")
    _, block_k = block_rule(d, on_chip)
    return Order(n * n * d * d / on_chip, total_bytes(kv_outer_forward(Shape(n, d, e=1), block_k)))


def block_rule(d: int, on_chip: int) -> tuple[int, int]:
    """(Br, Bc) as the paper chooses them: Bc = ⌈M/4d⌉, Br = min(⌈M/4d⌉, d)."""
    if d < 1 or on_chip < 1:
        raise Refusal(f"d = {d} and M = {on_chip} are whole numbers of elements from 1 up.")
    block_k = ceil_div(on_chip, 4 * d)
    return min(block_k, d), block_k


def on_chip_elements(block_q: int, block_k: int, d: int) -> dict[str, int]:
    """{array: elements} that a step of the paper's algorithm has on chip, the score tile included."""
    return {"Q": block_q * d, "K": block_k * d, "V": block_k * d, "O": block_q * d, "S": block_q * block_k}


def rule_overflow(d: int, on_chip: int) -> int:
    """Elements by which the paper's tiles and their scores exceed M; negative: what is left.

    The rule gives a quarter of M to each of Q, K, V and O and none to the score tile. Below M = 8·d² they do not fit; above they do, but
    for what rounding Bc up costs, because Br stops at d.
    """
    return sum(on_chip_elements(*block_rule(d, on_chip), d).values()) - on_chip


def largest_key_tile(block_q: int, d: int, on_chip: int) -> int:
    """The largest Bc with which everything, the scores too, fits M: (M − 2·Br·d) / (2·d + Br), rounded down; 0 if none does."""
    return max(0, (on_chip - 2 * block_q * d) // (2 * d + block_q))


def tie_tile(algorithm: str, problem: AttentionProblem) -> float:
    """The tile at which a fused kernel requests as many HBM bytes as three ideal kernels must move, in the limit of large N.

    fused: Br = d/2, from 2·N²·d·e/Br = 4·N²·e. fused_kv_outer: Bc, from N²·(d·e + 2·4·d + 8·(t + 1))/Bc = 4·N²·e: Q, running O read and
    written in fp32, STATS written once and read by each of the t threads of a row. The paper's 3·d/4 keeps O in the storage type and
    leaves STATS out. With a smaller tile fusion requests more. Raises Refusal for an algorithm that is not fused.

    >>> tie_tile("fused", AttentionProblem(4096, head_dim=128))
    64.0
    """
    d, e = problem.head_dim, problem.element_bytes
    if algorithm == "fused":
        return d / 2
    if algorithm == "fused_kv_outer":
        threads_per_row = FusedKvOuterLayout.choose(problem, Tiling()).threads_per_row
        return (d * e + 2 * FP32 * d + STATS * (threads_per_row + 1)) / (4 * e)
    raise Refusal(f"algorithm {algorithm} is not fused; choose fused or fused_kv_outer.")
