"""What the fused kernel should move: query tiles outside, key/value tiles inside, online softmax, S and P never stored."""
from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, STATS, WRITE, K, O, P, Q, V, ledger
from traffic_model.layout import FusedLayout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk


def ledgers(problem: AttentionProblem, layout: FusedLayout) -> list[Ledger]:
    """The one launch. HBM cells never hold out-of-range elements; SHARED cells count what is done, whole tiles, padding included."""
    w, d = walk(problem, layout.block_q, layout.block_k), problem.head_dim
    moved = w.key_rows * d * problem.element_bytes
    per_tile = w.tiles * SHARED_BYTES
    stats = (w.tiles + w.query_tiles) * layout.block_q * layout.thread_columns * SHARED_BYTES  # a maximum per visit, at the end a sum
    return [ledger(
        requested={
            (Q, HBM, READ): problem.query_bytes, (K, HBM, READ): moved, (V, HBM, READ): moved, (O, HBM, WRITE): problem.query_bytes,
            (Q, SHARED, WRITE): w.query_tiles * SHARED_BYTES * d * layout.block_q,
            (K, SHARED, WRITE): per_tile * d * layout.block_k,
            (V, SHARED, WRITE): per_tile * layout.value_columns * layout.block_k,
            (Q, SHARED, READ): per_tile * d * layout.block_q * layout.thread_columns,  # by every column of threads
            (K, SHARED, READ): per_tile * d * layout.block_k * layout.thread_rows,
            (P, SHARED, WRITE): per_tile * layout.block_k * layout.block_q,
            (P, SHARED, READ): per_tile * layout.block_k * layout.block_q * layout.thread_columns,
            (V, SHARED, READ): per_tile * layout.block_k * layout.value_columns * layout.thread_rows,
            (STATS, SHARED, WRITE): stats, (STATS, SHARED, READ): stats * layout.thread_columns,
        },
        compulsory={(Q, HBM, READ): problem.query_bytes, (K, HBM, READ): problem.key_bytes, (V, HBM, READ): problem.key_bytes,
                    (O, HBM, WRITE): problem.query_bytes})]
