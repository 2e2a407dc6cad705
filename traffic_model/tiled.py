"""What the tiled kernels should move: three kernels through shared memory, S and P still through HBM."""
from traffic_model.cells import HBM, READ, SHARED, SHARED_BYTES, STATS, WRITE, K, O, P, Q, S, V, ledger
from traffic_model.layout import TiledLayout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk


def ledgers(problem: AttentionProblem, layout: TiledLayout) -> list[Ledger]:
    """One ledger per launch, in order. Tiles that no row sees are skipped; the rest are processed whole in shared memory."""
    return [_scores(problem, layout), _softmax(problem, layout), _output(problem, layout)]


def _scores(problem: AttentionProblem, layout: TiledLayout) -> Ledger:
    w, d, row = walk(problem, layout.block_q, layout.block_k), problem.head_dim, problem.head_dim * problem.element_bytes
    per_tile = w.tiles * SHARED_BYTES
    return ledger(
        requested={
            (Q, HBM, READ): w.query_rows * row, (K, HBM, READ): w.key_rows * row, (S, HBM, WRITE): problem.score_bytes,
            (Q, SHARED, WRITE): per_tile * d * layout.block_q, (K, SHARED, WRITE): per_tile * d * layout.block_k,
            (Q, SHARED, READ): per_tile * d * layout.block_q * layout.thread_columns,  # by every column of threads
            (K, SHARED, READ): per_tile * d * layout.block_k * layout.thread_rows,
            (S, SHARED, WRITE): per_tile * layout.block_q * layout.block_k,
            (S, SHARED, READ): problem.visible_pairs * problem.query_heads * SHARED_BYTES,
        },
        compulsory={(Q, HBM, READ): problem.query_bytes, (K, HBM, READ): problem.key_bytes, (S, HBM, WRITE): problem.score_bytes})


def _softmax(problem: AttentionProblem, layout: TiledLayout) -> Ledger:
    levels = layout.softmax_threads.bit_length() - 1  # of the tree that joins maxima and sums, two numbers per thread
    stats = problem.seq_len * problem.query_heads * levels * layout.softmax_threads * 2 * SHARED_BYTES
    return ledger(
        requested={(S, HBM, READ): 2 * problem.score_bytes, (P, HBM, WRITE): problem.score_bytes,
                   (STATS, SHARED, WRITE): stats, (STATS, SHARED, READ): stats},
        compulsory={(S, HBM, READ): problem.score_bytes, (P, HBM, WRITE): problem.score_bytes})


def _output(problem: AttentionProblem, layout: TiledLayout) -> Ledger:
    w, row = walk(problem, layout.block_q, layout.block_k), problem.head_dim * problem.element_bytes
    per_key = w.tiles * layout.block_k * SHARED_BYTES
    return ledger(
        requested={
            (P, HBM, READ): problem.score_bytes, (V, HBM, READ): w.key_rows * row, (O, HBM, WRITE): problem.query_bytes,
            (P, SHARED, WRITE): per_key * layout.block_q, (V, SHARED, WRITE): per_key * layout.value_columns,
            (P, SHARED, READ): per_key * layout.block_q * layout.thread_columns,
            (V, SHARED, READ): per_key * layout.value_columns * layout.thread_rows,
        },
        compulsory={(P, HBM, READ): problem.score_bytes, (V, HBM, READ): problem.key_bytes, (O, HBM, WRITE): problem.query_bytes})
