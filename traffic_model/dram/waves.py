"""Waves: blocks that walk along the same keys, as many at a time as the GPU holds, and what of K and V they find in L2.

Blocks start in the grid's order, each where a place is free first. If all kept the same pace, each wave would read K and V once, and begin
at key 0 again. They do not: blocks of one multiprocessor compete for its schedulers, which favour the oldest; some are a little slower
than others; and who finds nothing in L2 waits for DRAM, so that those behind catch up. Waves come apart, which spares reads while the keys
fit into L2 and multiplies them where they do not. So the walk is followed step by step.
"""
from dataclasses import dataclass
from typing import Self

import numpy as np

from traffic_model.dram.cache import Cache
from traffic_model.dram.places import Places
from traffic_model.dram.recency import Recency
from traffic_model.layout.common import ceil_div
from traffic_model.problem import AttentionProblem

STEPS = 64  # of the longest walk; what lies between two steps is one chunk
WAVES = 16  # that are followed; those after them are like the last of these
GOLDEN = (5**.5 - 1) / 2  # its multiples, less their whole parts, are spread evenly in whatever order
NOBODY = -1  # in a place


@dataclass(frozen=True)
class Walkers:
    """The blocks of one launch, head after head.

    visits: key tiles of each query tile of a head, in the grid's order. heads: query heads of the batch; sharing: how many, one after the
    other, walk along the same keys. places: blocks per multiprocessor; contended: whether they compete for its schedulers. Bytes:
    shared_bytes lie along the longest walk; each block alone moves own_bytes, half at its start and half at its end, and own_walk_bytes
    along the longest walk.
    """

    visits: np.ndarray
    heads: int
    sharing: int
    multiprocessors: int
    places: int
    contended: bool
    shared_bytes: float
    own_bytes: float
    own_walk_bytes: float = 0.0

    @classmethod
    def of(cls, problem: AttentionProblem, visits: np.ndarray, places: Places, shared_bytes: float, own_bytes: float,
           own_walk_bytes: float = 0.0) -> Self:
        """shared_bytes: of all heads."""
        return cls(visits, problem.query_heads, problem.heads // problem.kv_heads, places.gpu // places.blocks, places.blocks,
                   places.contended, shared_bytes / problem.batch / problem.kv_heads, own_bytes, own_walk_bytes)

    @property
    def between(self) -> float:
        """Bytes named while one wave walks: of the heads in flight, and of the blocks alone."""
        groups, blocks, places = self.heads // self.sharing, len(self.visits) * self.sharing, self.multiprocessors * self.places
        in_flight = min(groups, 1 + (places - 1) / blocks)
        return in_flight * self.shared_bytes + min(places, groups * blocks) * (self.own_bytes + self.own_walk_bytes)

    def again(self, cache: Cache) -> float:
        """Bytes of what they share that come from DRAM a second time or more often."""
        groups, blocks = self.heads // self.sharing, len(self.visits) * self.sharing
        if blocks * groups <= self.multiprocessors * self.places:
            return 0.0  # one wave
        steps, most = self.visits * (STEPS / self.visits.max()), WAVES * self.multiprocessors * self.places
        followed = np.tile(steps, min(self.heads, ceil_div(most, len(steps))))[:most]
        missed, walked = self._follow(cache, followed)
        half = np.searchsorted(walked, walked[-1] / 2)
        late = (missed[-1] - missed[half]) / max(walked[-1] - walked[half], 1)  # per step, once waves have come apart
        rest = steps.sum() * self.heads - followed.sum()
        return max(0.0, float(missed[-1] + rest * late) - groups * self.shared_bytes)

    def _follow(self, cache: Cache, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(bytes from DRAM, steps walked) so far, each time that a block is through. length: of the blocks' walks, in steps."""
        per_group = len(self.visits) * self.sharing
        pace = 1 - cache.constants.spread * (np.arange(len(length)) * GOLDEN % 1)
        favour = (1 - cache.constants.favour * self.contended) ** np.arange(self.places)  # of the oldest on a multiprocessor, the next, …
        chunk_bytes, own_step = self.shared_bytes / STEPS, self.own_walk_bytes / STEPS
        queue = Recency(ceil_div(len(length), per_group) * STEPS, chunk_bytes)
        block = np.full((self.multiprocessors, self.places), NOBODY)
        first = np.arange(min(len(length), block.size))
        block[first % self.multiprocessors, first // self.multiprocessors] = first
        position, waiting = np.zeros(block.shape), len(first)
        queue.passing(len(first) * self.own_bytes / 2)
        missed, walked, history = 0.0, 0.0, [(0.0, 0.0)]
        while (live := block != NOBODY).any():
            who, where = block[live], np.where(live, block, len(length))
            share = np.where(live, favour[where.argsort(axis=1).argsort(axis=1)], 0)
            speed = (self.places * share / np.maximum(share.sum(axis=1, keepdims=True), favour[-1]))[live] * pace[who]
            ends, base = length[who], who // per_group * STEPS
            at = position[live]
            while True:  # until a block is through
                chunk = base + np.minimum(at.astype(np.int64), STEPS - 1)
                named = np.flatnonzero(np.bincount(chunk))
                lost = cache.lost(queue.since(named))
                missed += lost.sum() * chunk_bytes
                queue.name(named, len(who) * own_step)
                step = speed / (1 + cache.constants.stall * lost[named.searchsorted(chunk)])
                at = at + step
                walked += step.sum()
                if (at >= ends).any():
                    break
            position[live] = at
            through = live & (position >= np.where(live, length[np.minimum(where, len(length) - 1)], np.inf))
            queue.passing(through.sum() * self.own_bytes)
            for place in np.argwhere(through).tolist():
                block[*place], position[*place] = (waiting, 0) if waiting < len(length) else (NOBODY, 0)
                waiting += waiting < len(length)
            history.append((missed, walked))
        return tuple(np.array(history).T)
