"""A recurrent layer of attention's width, for comparison: linear attention, whose work and memory grow as N instead of N².

Per head a state of d×d (fp32) takes in each token as k·vᵀ and is read as q·state: 2·d² + 2·d² FLOP a token (Katharopoulos et al., arXiv
2006.16236, without the feature map and the normaliser, which are of order d). It computes something else than softmax attention.
"""
from traffic_model.problem import AttentionProblem

FP32 = 4


def flops(problem: AttentionProblem) -> int:
    """FLOP for N tokens: less than attention's 4·d per pair from N > d on, under a causal mask from N ≥ 2d on."""
    return 4 * problem.head_dim**2 * problem.seq_len * problem.query_heads


def state_bytes(problem: AttentionProblem) -> int:
    """Bytes of the state, whatever N."""
    return problem.query_heads * problem.head_dim**2 * FP32


def forward_bytes(problem: AttentionProblem) -> int:
    """Bytes in memory: Q, K, V and O as attention has them, and the state."""
    return problem.compulsory_one_kernel_bytes + state_bytes(problem)
