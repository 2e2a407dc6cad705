"""Fused, the first paper's order: for every key tile all of Q, O and STATS of a head come by, of as many heads at once as there are."""
from traffic_model.cells import SHARED_BYTES
from traffic_model.dram.cache import Cache
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import Places
from traffic_model.layout import FusedKvOuterLayout
from traffic_model.problem import AttentionProblem
from traffic_model.walk import walk


def moves(problem: AttentionProblem, layout: FusedKvOuterLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """The one launch. O and STATS come from DRAM only where L2 has lost what was written there."""
    w, row = walk(problem, layout.block_q, layout.block_k), problem.head_dim * problem.element_bytes
    scratch_row = (problem.head_dim + 2) * SHARED_BYTES  # running O, a maximum and a sum
    blocks = min(problem.query_heads, places["fused_kv_outer"].gpu)  # at once
    between = blocks * w.query_rows * (row + scratch_row) / w.key_tiles
    lost = cache.lost_in_loop(between, blocks)
    again = max(0, w.query_rows * row - problem.query_bytes) + w.returns * scratch_row
    return [Moves(problem.query_bytes + 2 * problem.key_bytes, between, lost * again,
                  problem.query_bytes + lost * w.returns * scratch_row)]
