"""How much arithmetic each kernel does, by one convention.

A (query, key) pair that the mask leaves costs 4·d FLOP: a multiply and an add for each of the two products. Pairs are counted exactly,
for a causal mask and N ≠ M too, so causal is a little more than half of full. Softmax's own arithmetic, and what a kernel computes of a
tile only to hide it, are not counted.
"""
from traffic_model.errors import Refusal
from traffic_model.problem import AttentionProblem

CONVENTION = "4·d FLOP per visible (query, key) pair, exact under a causal mask; softmax's own arithmetic is not counted"
PER_PAIR_AND_ELEMENT = {"scores": 2, "softmax": 0, "output": 2, "fused": 4, "fused_kv_outer": 4, "fused_tensor_core": 4}


def kernel_flops(kernel: str, problem: AttentionProblem) -> int:
    """FLOP of one launch by its name; over an algorithm's launches they sum to `problem.flops`. Raises Refusal for an unknown kernel."""
    if kernel not in PER_PAIR_AND_ELEMENT:
        raise Refusal(f"kernel {kernel} is not known; choose {', '.join(PER_PAIR_AND_ELEMENT)}.")
    return PER_PAIR_AND_ELEMENT[kernel] * problem.head_dim * problem.visible_pairs * problem.query_heads
