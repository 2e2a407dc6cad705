"""Fused attention on tensor cores: the walk of `fused`, multiplied sixteen elements at a time. One text per hardware path.

Hopper (compute capability 9.0): fused_tensor_core_hopper.py. Ampere (8.0 and up): fused_tensor_core_ampere.py. Both keep S, P and O in
registers (tensor_rows.py), take bf16 and fp16 with fp32 sums, and count what they move through ports of their own (tensor_ports.py).
"""
from numba_kernels.fused_tensor_core_ampere import fused_tensor_core_ampere
from numba_kernels.fused_tensor_core_hopper import fused_tensor_core_hopper
from numba_kernels.ports import WARPS
from numba_kernels.spec import Box, KernelSpec
from numba_kernels.tensor_ports import ampere_ports, hopper_ports
from traffic_model.errors import Refusal
from traffic_model.layout import TensorCoreLayout
from traffic_model.layout.tensor_core import HOPPER, NAME
from traffic_model.ledger import Cell
from traffic_model.masks import MASKS
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Space

Q, K, V, S, P, O, STATS = Array
HBM, SHARED, READ, WRITE = *Space, *Direction
CELLS = (Cell(Q, HBM, READ), Cell(K, HBM, READ), Cell(V, HBM, READ), Cell(O, HBM, WRITE),
         Cell(Q, SHARED, WRITE), Cell(K, SHARED, WRITE), Cell(V, SHARED, WRITE),
         Cell(Q, SHARED, READ), Cell(K, SHARED, READ), Cell(V, SHARED, READ))
ALMOST_NO_SCALE = 1e-30  # 0 · −∞ is NaN where a key is hidden; with this scale every score is 0 to fp32, and −∞ stays


def kernels(problem: AttentionProblem, layout: TensorCoreLayout) -> list[KernelSpec]:
    """The one launch. A negative scale is that of −Q."""
    sizes = (("N", problem.seq_len), ("M", problem.kv_len), ("heads", problem.query_heads),
             ("queries_per_kv", problem.heads // problem.kv_heads), ("scale", abs(problem.scale) or ALMOST_NO_SCALE))
    hopper = layout.capability == HOPPER
    text, ports = (fused_tensor_core_hopper, hopper_ports) if hopper else (fused_tensor_core_ampere, ampere_ports)
    boxes = _boxes(problem, layout) if hopper else ()
    return [KernelSpec(text, layout, MASKS[problem.mask], problem.dtype, CELLS, launch, tuple("QKVO"), sizes, ports=ports, boxes=boxes,
                       negated=problem.scale < 0) for launch in layout.launches(problem)]


def require(backend: str, counting: str) -> None:
    """Raises Refusal for what has no tensor cores and for a measure that they leave no trace of."""
    if backend != "gpu":
        raise Refusal(f"{NAME} runs on a GPU's tensor cores and the {backend} backend has none; take fused, the same walk without them.")
    if counting == WARPS:
        raise Refusal(f"{NAME} cannot count by warps: a bulk copy and an operand that a tensor core reads by itself have no lanes; "
                      f"count requests.")


def _boxes(problem: AttentionProblem, layout: TensorCoreLayout) -> tuple[Box, ...]:
    """What the copy engine takes of Q, K and V at a time: 64 columns of a tile."""
    queries = (problem.query_heads, problem.seq_len, problem.head_dim)
    keys = (problem.batch * problem.kv_heads, problem.kv_len, problem.head_dim)
    return (Box("Q", queries, layout.block_q), Box("K", keys, layout.block_k), Box("V", keys, layout.block_k))
