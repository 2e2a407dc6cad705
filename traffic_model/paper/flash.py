"""Fused attention as the papers order it: whose tile stays, whose comes back. Dropout is drawn again from its seed, masks are free.

K/V outside (arXiv 2205.14135, algorithms 1 and 4): K, V, dK and dV once, whatever belongs to a query once per key tile; for N = M,
1 + 3·Tc and 4 + 4·Tc times U with Tc = ⌈M/Bc⌉. Queries outside (arXiv 2307.08691 forward): Q, O and dQ once, whatever belongs to a key
once per query tile, Tr = ⌈N/Br⌉. Statistics of a row are not counted.
"""
from traffic_model.paper.shape import READ, WRITE, Moves, Shape

STEP = "fused"


def kv_outer_forward(shape: Shape, block_k: int) -> Moves:
    """Bytes by (step, array, direction): running O is written in every key tile and read back in all but the first."""
    q, k, visits = shape.queries, shape.keys, shape.tiles(shape.m, block_k)
    return {(STEP, "K", READ): k, (STEP, "V", READ): k,
            (STEP, "Q", READ): visits * q, (STEP, "O", READ): (visits - 1) * q, (STEP, "O", WRITE): visits * q}


def kv_outer_backward(shape: Shape, block_k: int) -> Moves:
    """Bytes by (step, array, direction): O once, for the product of O and dO that each row needs; running dQ like O above."""
    q, k, visits = shape.queries, shape.keys, shape.tiles(shape.m, block_k)
    return {(STEP, "K", READ): k, (STEP, "V", READ): k, (STEP, "O", READ): q,
            (STEP, "Q", READ): visits * q, (STEP, "dO", READ): visits * q,
            (STEP, "dQ", READ): (visits - 1) * q, (STEP, "dQ", WRITE): visits * q,
            (STEP, "dK", WRITE): k, (STEP, "dV", WRITE): k}


def query_outer_forward(shape: Shape, block_q: int) -> Moves:
    """Bytes by (step, array, direction): nothing is written but O, once."""
    q, k, visits = shape.queries, shape.keys, shape.tiles(shape.n, block_q)
    return {(STEP, "Q", READ): q, (STEP, "K", READ): visits * k, (STEP, "V", READ): visits * k, (STEP, "O", WRITE): q}


def query_outer_backward(shape: Shape, block_q: int) -> Moves:
    """Bytes by (step, array, direction): running dK and dV are written in every query tile and read back in all but the first."""
    q, k, visits = shape.queries, shape.keys, shape.tiles(shape.n, block_q)
    return {(STEP, "Q", READ): q, (STEP, "dO", READ): q, (STEP, "O", READ): q, (STEP, "dQ", WRITE): q,
            (STEP, "K", READ): visits * k, (STEP, "V", READ): visits * k,
            (STEP, "dK", READ): (visits - 1) * k, (STEP, "dK", WRITE): visits * k,
            (STEP, "dV", READ): (visits - 1) * k, (STEP, "dV", WRITE): visits * k}
