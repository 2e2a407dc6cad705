"""Capacity: bytes that a forward pass keeps in a GPU's memory, and the longest sequence that fits."""
from dataclasses import replace

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.predict import ALGORITHMS
from traffic_model.problem import LARGEST, AttentionProblem

FP32 = 4


def forward_bytes(algorithm: str, problem: AttentionProblem) -> dict[str, int]:
    """{array: bytes} of everything in memory at once: inputs, output, and what kernels leave for each other (whole S and P, or scratch).

    Weights and what a backward pass would keep are not in it. Raises Refusal for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise Refusal(f"algorithm {algorithm} is not known; choose {', '.join(ALGORITHMS)}.")
    rows = problem.query_heads * problem.seq_len
    matrices = {"S": problem.score_matrix_bytes, "P": problem.score_matrix_bytes}
    between = {"naive": matrices, "tiled": matrices,
               "fused_kv_outer": {"running O": rows * problem.head_dim * FP32, "STATS": rows * 2 * FP32}}
    return {"Q": problem.query_bytes, "K": problem.key_bytes, "V": problem.key_bytes, "O": problem.query_bytes} | between.get(algorithm, {})


def fits(algorithm: str, problem: AttentionProblem, gpu: Gpu) -> bool:
    """Whether the forward pass fits the whole memory of this GPU, as if nothing else were in it."""
    return sum(forward_bytes(algorithm, problem).values()) <= gpu.dram_gb * 1e9


def longest(algorithm: str, problem: AttentionProblem, gpu: Gpu) -> int:
    """The largest N = M at which the forward pass of such a problem still fits; at most what the kernels take, 0 if nothing fits."""
    shortest, largest = 0, LARGEST["seq_len"]
    while shortest < largest:
        middle = (shortest + largest + 1) // 2
        if fits(algorithm, replace(problem, seq_len=middle, kv_len=middle), gpu):
            shortest = middle
        else:
            largest = middle - 1
    return shortest
