"""What the fused kernel should move: query tiles outside, key/value tiles inside, online softmax, S and P never stored."""
from traffic_model.kernel import Kernel
from traffic_model.layout import FusedLayout
from traffic_model.layout import fused_layout as resolve_layout
from traffic_model.ledger import Cell, Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Measure, Space

__all__ = ["key_tiles_seen", "kernels", "resolve_layout"]

READ, WRITE, HBM, SHARED = Direction.READ, Direction.WRITE, Space.HBM, Space.SHARED
SHARED_ELEMENT_BYTES = 4  # tiles are kept in fp32


def kernels(problem: AttentionProblem, layout: FusedLayout) -> list[Kernel]:
    """The one launch, with its requested and compulsory bytes.

    HBM cells never hold out-of-range elements. SHARED cells count what is done: whole tiles, padding included.
    """
    visits = [key_tiles_seen(problem, layout, first) for first in range(0, problem.seq_len, layout.block_q)]
    tiles = sum(visits) * problem.query_heads
    rows = sum(min(count * layout.block_k, problem.kv_len) for count in visits) * problem.query_heads  # ragged last tile in true size
    fill = tiles * layout.tile_elements * SHARED_ELEMENT_BYTES
    use = fill * layout.block_q  # every row of the query tile meets every element of the K tile, and of the V tile, once
    moved = rows * problem.head_dim * problem.element_bytes
    requested = {
        Cell(Array.Q, HBM, READ): problem.query_bytes,
        Cell(Array.K, HBM, READ): moved, Cell(Array.K, SHARED, WRITE): fill, Cell(Array.K, SHARED, READ): use,
        Cell(Array.V, HBM, READ): moved, Cell(Array.V, SHARED, WRITE): fill, Cell(Array.V, SHARED, READ): use,
        Cell(Array.O, HBM, WRITE): problem.query_bytes,
    }
    if layout.threads_per_row > 1:  # each thread puts down its part of a score and picks up every part
        parts = tiles * layout.block_k * layout.threads * SHARED_ELEMENT_BYTES
        requested |= {Cell(Array.S, SHARED, WRITE): parts, Cell(Array.S, SHARED, READ): parts * layout.threads_per_row}
    compulsory = {Cell(Array.Q, HBM, READ): problem.query_bytes, Cell(Array.K, HBM, READ): problem.key_bytes,
                  Cell(Array.V, HBM, READ): problem.key_bytes, Cell(Array.O, HBM, WRITE): problem.query_bytes}
    ledger = Ledger.of(Measure.REQUESTED, requested) | Ledger.of(Measure.COMPULSORY, compulsory)
    return [Kernel(*launch, ledger) for launch in layout.launches(problem)]


def key_tiles_seen(problem: AttentionProblem, layout: FusedLayout, first_row: int) -> int:
    """Key tiles that the query tile starting at `first_row` walks: up to the last key its last row sees."""
    last_row = min(first_row + layout.block_q, problem.seq_len) - 1
    return -(-problem.keys_seen(last_row) // layout.block_k)
