"""What the naive kernels should move: three kernels, no shared memory, S and P through HBM."""
from traffic_model.kernel import Kernel
from traffic_model.layout import NaiveLayout
from traffic_model.layout import naive_layout as resolve_layout
from traffic_model.ledger import Cell, Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Array, Direction, Measure, Space

__all__ = ["kernels", "resolve_layout"]


def kernels(problem: AttentionProblem, layout: NaiveLayout) -> list[Kernel]:
    """The three launches in order, each with its requested and compulsory bytes."""
    pairs, e, d = problem.visible_pairs * problem.query_heads, problem.element_bytes, problem.head_dim
    n, m, heads = problem.seq_len, problem.kv_len, problem.query_heads
    blocks = lambda columns: (-(-columns // layout.tile_columns), -(-n // layout.tile_rows), heads)
    tile = (layout.tile_columns, layout.tile_rows, 1)
    q = o = problem.query_bytes
    k = v = problem.key_bytes
    s = p = problem.score_bytes
    return [
        Kernel("scores", blocks(m), tile, _ledger(  # every score reads a row of Q and a row of K
            requested={("Q", "READ"): pairs * d * e, ("K", "READ"): pairs * d * e, ("S", "WRITE"): pairs * e},
            compulsory={("Q", "READ"): q, ("K", "READ"): k, ("S", "WRITE"): s})),
        Kernel("softmax", (-(-n // layout.softmax_threads), problem.heads, problem.batch), (layout.softmax_threads, 1, 1), _ledger(
            requested={("S", "READ"): 3 * pairs * e, ("P", "WRITE"): pairs * e},  # maximum, sum, normalised write
            compulsory={("S", "READ"): s, ("P", "WRITE"): p})),
        Kernel("output", blocks(d), tile, _ledger(  # every output element reads a row of P and a column of V
            requested={("P", "READ"): pairs * d * e, ("V", "READ"): pairs * d * e, ("O", "WRITE"): o},
            compulsory={("P", "READ"): p, ("V", "READ"): v, ("O", "WRITE"): o})),
    ]


def _ledger(requested: dict, compulsory: dict) -> Ledger:
    cells = lambda named: {Cell(Array[a], Space.HBM, Direction[way]): b for (a, way), b in named.items()}
    return Ledger.of(Measure.REQUESTED, cells(requested)) | Ledger.of(Measure.COMPULSORY, cells(compulsory))
