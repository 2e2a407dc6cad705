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

LINE, SECTOR = 128, 32  # bytes: what L2 holds or gives up together, and what it fetches


def moves(problem: AttentionProblem, layout: NaiveLayout, places: dict[str, Places], cache: Cache) -> list[Moves]:
    """Of each launch, in order."""
    return [_scores(problem, layout, cache), _softmax(problem, layout, places["softmax"], cache),
            _output(problem, layout, places["output"], cache)]


def _scores(problem: AttentionProblem, layout: NaiveLayout, cache: Cache) -> Moves:
    """Keys fastest: K comes by once for every few rows, with the scores that leave in between."""
    w, row = walk(problem, layout.rows, layout.columns), problem.head_dim * problem.element_bytes
    between = (w.key_rows * row + problem.score_bytes) / w.query_tiles
    again = cache.lost_to_sweep(between) * max(0, w.key_rows * row - problem.key_bytes)
    return Moves(problem.query_bytes + problem.key_bytes, between, again, problem.score_bytes)


def _softmax(problem: AttentionProblem, layout: NaiveLayout, places: Places, cache: Cache) -> Moves:
    """A thread per row: between its visits to an element, of which there are three, all resident rows come by. A thread writes P element by
    element: until a line is full L2 must hold it, one of S and one of P for every resident row that has not ended. Some leave half written;
    where those lines alone crowd L2, elements of one sector are fetched one by one."""
    keys = np.sort(keys_seen_by(problem.mask, np.arange(problem.seq_len), problem.seq_len, problem.kv_len))
    rows, total = problem.query_heads * problem.seq_len, max(1, keys.sum())
    resident = min(places.gpu * layout.softmax_threads, rows)
    shorter = np.concatenate([[0], keys.cumsum()[:-1]])
    row_bytes = resident * problem.element_bytes / len(keys)
    between = row_bytes * (shorter + keys * np.arange(len(keys), 0, -1))  # rows go side by side until they end
    ahead = row_bytes * cache.constants.ahead_share * shorter  # P of shorter rows while longer ones read S again
    third = float((keys * cache.lost_alone(between)).sum() / total)
    lost = third + float((keys * cache.lost_to_reads(between + ahead)).sum() / total)
    going_on = float((keys * (2 * np.arange(len(keys), 0, -1) - 1)).sum() / total / len(keys))  # rows that have not ended beside one
    lines = min(1, going_on * max(1, rows / resident)) * resident * 2 * LINE
    most = min(SECTOR // problem.element_bytes, problem.kv_len) - 1  # times that a sector can come back before its elements are through
    partial = third * min(most, cache.constants.partial_share * lines / cache.size)
    crowded = third * most * cache.crowded_out(lines)
    return Moves(problem.score_bytes, between.max(), (lost + partial + crowded) * problem.score_bytes,
                 (1 + partial + cache.constants.crowd_written_share * crowded) * problem.score_bytes)


def _output(problem: AttentionProblem, layout: NaiveLayout, places: Places, cache: Cache) -> Moves:
    """The blocks beside each other along the head read the same rows of P and are taken as one."""
    beside, rows = ceil_div(problem.head_dim, layout.columns), layout.rows * problem.element_bytes
    together = places._replace(blocks=max(1, places.blocks // beside), warps=places.warps * beside)
    together = together._replace(gpu=together.blocks * (places.gpu // places.blocks))
    walkers = Walkers.of(problem, visited(problem, layout.rows, layout.columns), together, problem.key_bytes, rows * problem.head_dim,
                         rows * problem.kv_len)
    return Moves(problem.score_bytes + problem.key_bytes, walkers.between, walkers.again(cache), problem.query_bytes)
