"""What the naive kernels should move: three kernels, no shared memory, S and P through HBM."""
from traffic_model.cells import HBM, READ, WRITE, K, O, P, Q, S, V, ledger
from traffic_model.layout import NaiveLayout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem


def ledgers(problem: AttentionProblem, layout: NaiveLayout) -> list[Ledger]:
    """One ledger per launch, in order."""
    q, k, s = problem.query_bytes, problem.key_bytes, problem.score_bytes
    rows = s * problem.head_dim  # every score reads a row of Q and of K; every output element a row of P and a column of V
    return [
        ledger(requested={(Q, HBM, READ): rows, (K, HBM, READ): rows, (S, HBM, WRITE): s},
               compulsory={(Q, HBM, READ): q, (K, HBM, READ): k, (S, HBM, WRITE): s}),
        ledger(requested={(S, HBM, READ): 3 * s, (P, HBM, WRITE): s},  # passes: maximum, sum, normalised write
               compulsory={(S, HBM, READ): s, (P, HBM, WRITE): s}),
        ledger(requested={(P, HBM, READ): rows, (V, HBM, READ): rows, (O, HBM, WRITE): q},
               compulsory={(P, HBM, READ): s, (V, HBM, READ): k, (O, HBM, WRITE): q}),
    ]
