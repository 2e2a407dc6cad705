"""Fused: every block keeps its query tile and walks along the keys of its head."""
from traffic_model.dram.cache import Cache
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import Places
from traffic_model.dram.waves import Walkers
from traffic_model.layout import FusedLayout
from traffic_model.problem import AttentionProblem
from traffic_model.walk import visited


def moves(problem: AttentionProblem, layout: FusedLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """The one launch. A block's own bytes: its tile of Q in, its tile of O out."""
    keys, queries = 2 * problem.key_bytes, problem.query_bytes
    walkers = Walkers.of(problem, visited(problem, layout.block_q, layout.block_k), places["fused"], keys,
                         2 * layout.block_q * problem.head_dim * problem.element_bytes)
    return [Moves(queries + keys, walkers.between, walkers.again(cache), queries)]
