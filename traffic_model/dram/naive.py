"""Naive: a sweep over the keys for every eight rows; rows of S three times; blocks that walk along P's rows and V."""
import numpy as np

from traffic_model.dram.cache import Cache
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import Places
from traffic_model.dram.waves import Walkers
from traffic_model.layout import NaiveLayout
from traffic_model.layout.common import ceil_div
from traffic_model.masks import keys_seen_by
from traffic_model.problem import AttentionProblem
from traffic_model.walk import visited, walk

LINE = 128  # bytes: what L2 holds or gives up together


def moves(problem: AttentionProblem, layout: NaiveLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """Of each launch, in order."""
    return [_scores(problem, layout, cache), _softmax(problem, layout, places["softmax"], cache),
            _output(problem, layout, places["output"], cache)]


def _scores(problem: AttentionProblem, layout: NaiveLayout, cache: Cache) -> Moves:
    """Keys fastest: K comes by once for every few rows, with the scores that leave in between."""
    w, row = walk(problem, layout.rows, layout.columns), problem.head_dim * problem.element_bytes
    between = (w.key_rows * row + problem.score_bytes) / w.query_tiles
    again = cache.lost(between) * max(0, w.key_rows * row - problem.key_bytes)
    return Moves(problem.query_bytes + problem.key_bytes, between, again, problem.score_bytes)


def _softmax(problem: AttentionProblem, layout: NaiveLayout, places: Places, cache: Cache) -> Moves:
    """A thread per row: between two visits to an element all resident rows come by, which happens twice. A thread writes P element by
    element: until a line is full L2 must hold it, one of S and one of P for every resident row that has not ended, and some leave half
    written."""
    rows = problem.query_heads * problem.seq_len
    resident = min(places.gpu * layout.softmax_threads, rows)
    between = resident / rows * problem.score_bytes
    lost = cache.lost_to_writes(between)
    lines = resident * _going_on(problem) * 2 * LINE / (cache.constants.capacity_share * cache.size)
    partial = cache.constants.partial_share * lines * lost
    return Moves(problem.score_bytes, between, (2 * lost + partial) * problem.score_bytes, (1 + partial) * problem.score_bytes)


def _going_on(problem: AttentionProblem) -> float:
    """Share of a head's rows that have not ended yet, by those that go on beside them: 1 unless a mask ends them one after another."""
    keys = np.sort(keys_seen_by(problem.mask, np.arange(problem.seq_len), problem.seq_len, problem.kv_len))[::-1]
    return float((keys * (2 * np.arange(len(keys)) + 1)).sum() / max(1, keys.sum()) / len(keys))


def _output(problem: AttentionProblem, layout: NaiveLayout, places: Places, cache: Cache) -> Moves:
    """The blocks beside each other along the head read the same rows of P and are taken as one."""
    beside, rows = ceil_div(problem.head_dim, layout.columns), layout.rows * problem.element_bytes
    together = places._replace(blocks=max(1, places.blocks // beside))
    together = together._replace(gpu=together.blocks * (places.gpu // places.blocks))
    walkers = Walkers.of(problem, visited(problem, layout.rows, layout.columns), together, problem.key_bytes, rows * problem.head_dim,
                         rows * problem.kv_len)
    return Moves(problem.score_bytes + problem.key_bytes, walkers.between, walkers.again(cache), problem.query_bytes)
