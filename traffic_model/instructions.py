"""How many instructions the ladder's kernels issue: a multiprocessor's arithmetic is bound by these, not by multiply-adds alone.

The constants are instructions per thread, read in the machine code of the kernels as the pinned compiler makes it for compute capability
9.0 at d = 64 and 64×64 tiles; tests/test_instructions.py reads them again. What stands outside the loops is counted once per thread.
Taken to be the same for other tilings, head sizes and architectures: an assumption, not a fact.
"""
from dataclasses import dataclass

from traffic_model.errors import Refusal
from traffic_model.kernel import Kernel
from traffic_model.layout import Layout
from traffic_model.layout.common import WARP, ceil_div
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk

LOAD = {"float32": 0, "float16": 1, "bfloat16": 1}  # converting an element on its way in
STORE = {"float32": 0, "float16": 1, "bfloat16": 5}  # and out
PRODUCT_STEP = 12  # addresses and loop of two steps of a register-blocked product
SHARED_WORDS = 4  # elements of one 128-bit read


@dataclass(frozen=True)
class Instructions:
    """Of all warps of a launch: how many are issued, and how many of those are fp32 multiply-adds."""

    issued: float
    multiply_adds: float


def instructions(kernel: Kernel, algorithm: str, problem: AttentionProblem, layout: Layout) -> Instructions:
    """Instructions of one launch of an algorithm. Raises Refusal for an algorithm whose machine code was not read."""
    if (algorithm, kernel.name) not in KERNELS:
        raise Refusal(f"the instructions of {algorithm}'s {kernel.name} kernel are not known.")
    issued, multiply_adds = KERNELS[algorithm, kernel.name](problem, layout)
    return Instructions(issued / WARP, multiply_adds / WARP)


def product_step(rows: int, columns: int) -> float:
    """One thread, one step of a product of `rows` × `columns` in registers: multiply-adds, reads of both sides, half a loop."""
    return rows * columns + ceil_div(rows, SHARED_WORDS) + ceil_div(columns, SHARED_WORDS) + PRODUCT_STEP / 2


def _naive_scores(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    pairs, d, e = _pairs(problem), problem.head_dim, problem.dtype
    return pairs * (235 + STORE[e] + d * (23.25 + 2 * LOAD[e])), pairs * d


def _naive_softmax(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    e = problem.dtype
    passes = {"maximum": 16.4 + LOAD[e], "sum": 20.75 + LOAD[e], "normalise": 26 + LOAD[e] + STORE[e]}
    return _pairs(problem) * sum(passes.values()), 0


def _naive_output(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    work = _pairs(problem) * problem.head_dim
    return work * (27.75 + 2 * LOAD[problem.dtype]), work


def _tiled_scores(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    w, d, e = walk(problem, layout.block_q, layout.block_k), problem.head_dim, problem.dtype
    rows, keys = layout.rows_per_thread, layout.keys_per_thread
    per_tile = {
        "outside the loops": 835 * layout.threads,
        "Q tile": layout.block_q * d * (9.25 + LOAD[e]), "K tile": layout.block_k * d * (8.5 + LOAD[e]),
        "product": d * product_step(rows, keys) * layout.threads,
        "S tile": layout.block_q * layout.block_k * (49.25 + STORE[e]),
    }
    return w.tiles * sum(per_tile.values()), w.tiles * d * rows * keys * layout.threads


def _tiled_softmax(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    e = problem.dtype
    once = problem.query_heads * problem.seq_len * layout.softmax_threads * 347
    passes = {"maximum and sum": 25.5 + LOAD[e], "normalise": 23.75 + LOAD[e] + STORE[e]}
    return once + _pairs(problem) * sum(passes.values()), 0


def _tiled_output(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    w, e = walk(problem, layout.block_q, layout.block_k), problem.dtype
    rows, columns = layout.rows_per_thread, layout.columns_per_thread
    once = w.query_tiles * layout.threads * 433
    per_tile = {
        "loop": 52 * layout.threads,
        "P tile": layout.block_q * layout.block_k * (8.9 + LOAD[e]), "V tile": layout.block_k * layout.value_columns * (7.25 + LOAD[e]),
        "product": layout.block_k * product_step(rows, columns) * layout.threads,
    }
    return once + w.tiles * sum(per_tile.values()), w.tiles * layout.block_k * rows * columns * layout.threads


def _fused(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    w, d, e = walk(problem, layout.block_q, layout.block_k), problem.head_dim, problem.dtype
    rows, keys, columns = layout.rows_per_thread, layout.keys_per_thread, layout.columns_per_thread
    once = w.query_tiles * (559 * layout.threads + layout.block_q * d * (15.5 + LOAD[e]))
    per_tile = {
        "K and V tile": layout.block_k * layout.value_columns * 2 * (5.9 + LOAD[e]),
        "product of Q and K": d * product_step(rows, keys) * layout.threads,
        "online softmax": rows * keys * 11.3 * layout.threads,
        "product of P and V": layout.block_k * product_step(rows, columns) * layout.threads,
    }
    products = w.tiles * rows * (d * keys + layout.block_k * columns) * layout.threads
    return once + w.tiles * sum(per_tile.values()), products


def _fused_kv_outer(problem: AttentionProblem, layout: Layout) -> tuple[float, float]:
    w, part = walk(problem, layout.block_q, layout.block_k), layout.slice_elements
    per_key = 3 * part + part / 2 + 33  # q·k, p·v and α·o, reads of K and V, the rest of an online softmax
    per_visit = 11.5 * part  # O comes and goes
    visits = w.tiles * layout.threads
    return visits * (layout.block_k * per_key + per_visit), visits * layout.block_k * 2 * part


def _pairs(problem: AttentionProblem) -> int:
    return problem.visible_pairs * problem.query_heads


KERNELS = {
    ("naive", "scores"): _naive_scores, ("naive", "softmax"): _naive_softmax, ("naive", "output"): _naive_output,
    ("tiled", "scores"): _tiled_scores, ("tiled", "softmax"): _tiled_softmax, ("tiled", "output"): _tiled_output,
    ("fused", "fused"): _fused, ("fused_kv_outer", "fused_kv_outer"): _fused_kv_outer,
}
