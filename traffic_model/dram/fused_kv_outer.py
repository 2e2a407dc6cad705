"""Fused, the first paper's order: for every key tile all rows of Q, O and STATS that see it come by, of all heads that run at once."""
from traffic_model.cells import SHARED_BYTES
from traffic_model.dram.cache import Cache
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import Places
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.problem import AttentionProblem
from traffic_model.walk import rows_seeing


def moves(problem: AttentionProblem, layout: FusedKvOuterLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """The one launch. O and STATS come from DRAM only where L2 has lost what was written there."""
    rows, row = rows_seeing(problem, layout.block_q, layout.block_k), problem.head_dim * problem.element_bytes
    scratch_row = (problem.head_dim + 2) * SHARED_BYTES  # running O, a maximum and a sum
    blocks = min(problem.query_heads, places["fused_kv_outer"].gpu)  # at once
    between = blocks * rows * (row + scratch_row)
    lost_rows = float((cache.lost_in_loop(between, blocks) * rows)[1:].sum()) * problem.query_heads  # none came by before the first
    return [Moves(problem.query_bytes + 2 * problem.key_bytes, between.max(), lost_rows * (row + scratch_row),
                  problem.query_bytes + lost_rows * scratch_row)]
