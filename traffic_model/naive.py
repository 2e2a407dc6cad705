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
    pairs = problem.visible_pairs * problem.query_heads * problem.element_bytes
    rows = pairs * problem.head_dim  # every score reads a row of Q and of K, every pair meets a row of V
    q = o = problem.query_bytes
    k = v = problem.key_bytes
    s = p = problem.score_bytes
    ledgers = [
        _ledger(requested={("Q", "READ"): rows, ("K", "READ"): rows, ("S", "WRITE"): pairs},
                compulsory={("Q", "READ"): q, ("K", "READ"): k, ("S", "WRITE"): s}),
        _ledger(requested={("S", "READ"): 3 * pairs, ("P", "WRITE"): pairs},  # passes: maximum, sum, normalised write
                compulsory={("S", "READ"): s, ("P", "WRITE"): p}),
        _ledger(requested={("P", "READ"): rows, ("V", "READ"): rows, ("O", "WRITE"): o},
                compulsory={("P", "READ"): p, ("V", "READ"): v, ("O", "WRITE"): o}),
    ]
    return [Kernel(*launch, ledger) for launch, ledger in zip(layout.launches(problem), ledgers)]


def _ledger(requested: dict, compulsory: dict) -> Ledger:
    cells = lambda named: {Cell(Array[a], Space.HBM, Direction[way]): b for (a, way), b in named.items()}
    return Ledger.of(Measure.REQUESTED, cells(requested)) | Ledger.of(Measure.COMPULSORY, cells(compulsory))
