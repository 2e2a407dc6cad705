"""Standard attention as the FlashAttention paper counts it: a kernel per operation, every matrix to memory and back.

Source: the operations of algorithms 0 and 3 of arXiv 2205.14135, with the separate mask and dropout kernels of the GPT-2 it was measured
in. The paper prints only the sum; for N = M it is 4U + 4W forward and 8U + 7W backward, with mask and dropout 4U + 8.5W and 8U + 9.5W
(U: bytes of Q, W: bytes of S in fp16). What a mask holds is not counted: one row of N elements serves a whole batch entry.
"""
from traffic_model.paper.shape import READ, WRITE, Moves, Shape


def forward(shape: Shape, mask: bool = False, dropout: bool = False) -> Moves:
    """Bytes by (step, array, direction). `dropout` also keeps one byte per pair that says what was dropped."""
    q, k, s = shape.queries, shape.keys, shape.scores
    moves = {("scores", "Q", READ): q, ("scores", "K", READ): k, ("scores", "S", WRITE): s}
    if mask:
        moves |= {("mask", "S", READ): s, ("mask", "S", WRITE): s}
    moves |= {("softmax", "S", READ): s, ("softmax", "P", WRITE): s}
    if dropout:
        moves |= {("dropout", "P", READ): s, ("dropout", "kept", WRITE): shape.pairs, ("dropout", "P", WRITE): s}
    return moves | {("output", "P", READ): s, ("output", "V", READ): k, ("output", "O", WRITE): q}


def backward(shape: Shape, dropout: bool = False) -> Moves:
    """Bytes by (step, array, direction). Adding a mask has no backward pass of its own."""
    q, k, s = shape.queries, shape.keys, shape.scores
    moves = {("dV", "P", READ): s, ("dV", "dO", READ): q, ("dV", "dV", WRITE): k,
             ("dP", "dO", READ): q, ("dP", "V", READ): k, ("dP", "dP", WRITE): s}
    if dropout:
        moves |= {("dropout", "dP", READ): s, ("dropout", "kept", READ): shape.pairs, ("dropout", "dP", WRITE): s}
    return moves | {("softmax", "P", READ): s, ("softmax", "dP", READ): s, ("softmax", "dS", WRITE): s,
                    ("dQ", "dS", READ): s, ("dQ", "K", READ): k, ("dQ", "dQ", WRITE): q,
                    ("dK", "dS", READ): s, ("dK", "Q", READ): q, ("dK", "dK", WRITE): k}
