"""Tiled: a sweep over the query tiles for every key tile; rows of S twice; blocks that walk along P's rows and V."""
import math

import numpy as np

from traffic_model.dram.cache import Cache
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import Places
from traffic_model.dram.waves import Walkers
from traffic_model.layout import TiledLayout
from traffic_model.masks import keys_seen_by
from traffic_model.problem import AttentionProblem
from traffic_model.walk import rows_seeing, visited

SECTOR = 32  # bytes: what DRAM moves


def moves(problem: AttentionProblem, layout: TiledLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """Of each launch, in order."""
    return [_scores(problem, layout, cache), _softmax(problem, places["softmax"], cache), _output(problem, layout, places["output"], cache)]


def _scores(problem: AttentionProblem, layout: TiledLayout, cache: Cache) -> Moves:
    """Query tiles fastest: those that see a key tile come by for it, with the tiles of S that leave in between. Where a row of S is no
    whole number of sectors, two tiles write one half of a sector each; DRAM must read what L2 gives up half written."""
    rows = rows_seeing(problem, layout.block_q, layout.block_k)
    columns = np.minimum(layout.block_k, problem.kv_len - np.arange(len(rows)) * layout.block_k)
    read, written = (rows * width * problem.element_bytes for width in (problem.head_dim, columns))
    again = (cache.lost_to_stream(read, written) * read)[1:].sum() * problem.query_heads  # at the first key tile none has been before
    shared = 1 - math.gcd(problem.kv_len * problem.element_bytes, SECTOR) / SECTOR  # rows whose tiles begin within a sector
    halves = float((cache.left_by_halves(read, written) * rows)[1:].sum()) * SECTOR * shared * problem.query_heads
    return Moves(problem.query_bytes + problem.key_bytes, (read + written).max(), again + halves, problem.score_bytes + halves)


def _softmax(problem: AttentionProblem, places: Places, cache: Cache) -> Moves:
    """A block per row: between its two visits to an element as many bytes come by as all resident rows have."""
    keys = keys_seen_by(problem.mask, np.arange(problem.seq_len), problem.seq_len, problem.kv_len)
    row = keys * problem.element_bytes
    between = min(places.gpu, problem.query_heads * problem.seq_len) * row
    again = (cache.lost_alone(between) * row).sum() * problem.query_heads
    return Moves(problem.score_bytes, between.max(), again, problem.score_bytes)


def _output(problem: AttentionProblem, layout: TiledLayout, places: Places, cache: Cache) -> Moves:
    """A block's own bytes: its rows of P along the walk, its tile of O in the end."""
    rows = layout.block_q * problem.element_bytes
    walkers = Walkers.of(problem, visited(problem, layout.block_q, layout.block_k), places, problem.key_bytes, rows * problem.head_dim,
                         rows * problem.kv_len)
    return Moves(problem.score_bytes + problem.key_bytes, walkers.between, walkers.again(cache), problem.query_bytes)
