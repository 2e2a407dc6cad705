"""What the tensor-core kernel should move: the tiles of fused, kept in the storage type, read by whole warps or warpgroups."""
from traffic_model.cells import HBM, READ, SHARED, WRITE, K, O, Q, V, ledger
from traffic_model.layout import TensorCoreLayout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk


def ledgers(problem: AttentionProblem, layout: TensorCoreLayout) -> list[Ledger]:
    """The one launch. S, P and STATS stay in registers. HBM cells never hold out-of-range elements; SHARED cells count whole tiles."""
    w = walk(problem, layout.block_q, layout.block_k)
    moved = w.key_rows * problem.head_dim * problem.element_bytes
    keys = w.tiles * layout.key_tile_bytes
    queries = (w.query_tiles if layout.keeps_queries else w.tiles) * layout.query_tile_bytes
    return [ledger(
        requested={
            (Q, HBM, READ): problem.query_bytes, (K, HBM, READ): moved, (V, HBM, READ): moved, (O, HBM, WRITE): problem.query_bytes,
            (Q, SHARED, WRITE): w.query_tiles * layout.query_tile_bytes, (K, SHARED, WRITE): keys, (V, SHARED, WRITE): keys,
            (Q, SHARED, READ): queries, (K, SHARED, READ): keys * layout.key_readers, (V, SHARED, READ): keys * layout.key_readers,
        },
        compulsory={(Q, HBM, READ): problem.query_bytes, (K, HBM, READ): problem.key_bytes, (V, HBM, READ): problem.key_bytes,
                    (O, HBM, WRITE): problem.query_bytes})]
