"""Decode: one new query per head against a cache of M keys, split over the keys so that it fills the GPU, and then combined.

A split keeps its own softmax: an output that is normalised by its own sum, and the logarithm of that sum; the combine step weighs them
(the split-KV scheme of Flash-Decoding, 2023). Partial outputs and logarithms are fp32.
"""
from traffic_model.errors import Refusal
from traffic_model.paper.shape import READ, WRITE, Moves, Shape

FP32 = 4


def decode(shape: Shape, splits: int, queries_per_kv: int = 1) -> Moves:
    """Bytes by (step, array, direction) for N = 1: `shape.heads` query heads, each `queries_per_kv` of them on one key/value head.

    The query heads of a group share the reading of K and V. One split writes O at once and needs no combine step. Raises Refusal for
    N ≠ 1, for more splits than keys, and for groups that do not divide the heads.
    """
    if shape.n != 1:
        raise Refusal(f"decoding has 1 query per head, not {shape.n}; take n = 1.")
    if not 1 <= splits <= shape.m:
        raise Refusal(f"{splits} splits of {shape.m} keys: a split has at least one key; take 1 to {shape.m}.")
    if queries_per_kv < 1 or shape.heads % queries_per_kv:
        raise Refusal(f"groups of {queries_per_kv} query heads do not divide {shape.heads} heads; take a divisor.")
    keys = shape.keys // queries_per_kv
    attend = {("attend", "Q", READ): splits * shape.queries, ("attend", "K", READ): keys, ("attend", "V", READ): keys}
    if splits == 1:
        return attend | {("attend", "O", WRITE): shape.queries}
    partial, logarithms = splits * shape.heads * shape.d * FP32, splits * shape.heads * FP32
    return attend | {("attend", "partial O", WRITE): partial, ("attend", "log sum", WRITE): logarithms,
                     ("combine", "partial O", READ): partial, ("combine", "log sum", READ): logarithms,
                     ("combine", "O", WRITE): shape.queries}
