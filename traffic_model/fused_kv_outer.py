"""What the first paper's order should move: key/value tiles outside, so that O and STATS go out and come back for each of them."""
from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, STATS, WRITE, K, O, Q, S, V, ledger
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk


def ledgers(problem: AttentionProblem, layout: FusedKvOuterLayout) -> list[Ledger]:
    """The one launch. The running O is fp32 scratch; its last write is in the storage type. Scratch is not compulsory."""
    w, d, e = walk(problem, layout.block_q, layout.block_k), problem.head_dim, problem.element_bytes
    fill = w.key_tiles * layout.block_k * layout.row_elements * SHARED_BYTES
    use = w.tiles * layout.block_k * layout.row_elements * layout.block_q * SHARED_BYTES
    two = 2 * SHARED_BYTES  # a maximum and a sum
    requested = {
        (Q, HBM, READ): w.query_rows * d * e, (K, HBM, READ): w.longest_keys * d * e, (V, HBM, READ): w.longest_keys * d * e,
        (O, HBM, READ): w.returns * d * SHARED_BYTES, (O, HBM, WRITE): w.returns * d * SHARED_BYTES + problem.query_bytes,
        (STATS, HBM, READ): w.returns * layout.threads_per_row * two, (STATS, HBM, WRITE): w.query_rows * two,
        (K, SHARED, WRITE): fill, (V, SHARED, WRITE): fill, (K, SHARED, READ): use, (V, SHARED, READ): use,
    }
    if layout.threads_per_row > 1:  # each thread puts down its part of a score and picks up every part
        parts = w.tiles * layout.block_k * layout.threads * SHARED_BYTES
        requested |= {(S, SHARED, WRITE): parts, (S, SHARED, READ): parts * layout.threads_per_row}
    return [ledger(requested, compulsory={
        (Q, HBM, READ): problem.query_bytes, (K, HBM, READ): problem.key_bytes, (V, HBM, READ): problem.key_bytes,
        (O, HBM, WRITE): problem.query_bytes})]
