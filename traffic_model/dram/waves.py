"""Waves: blocks that walk along the same keys, as many at a time as the GPU holds, and what of K and V they find in L2.

Blocks start in the grid's order, each where a place is free first. If all kept the same pace, each wave would read K and V once, and begin
at key 0 again. They do not, as clocks in the fused kernel show: blocks of one multiprocessor compete for its schedulers, which favour the
oldest; a scheduler may have more of them than its neighbour; and where nobody competes, who finds nothing in L2 waits for DRAM, so that
those behind catch up. Waves come apart, which spares reads while the keys fit into L2 and multiplies them where they do not. So the walk is
followed step by step.
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
NOBODY = -1  # in a place


@dataclass(frozen=True)
class Walkers:
    """The blocks of one launch, head after head.

    visits: key tiles of each query tile of a head, in the grid's order. heads: query heads of the batch; sharing: how many, one after the
    other, walk along the same keys. Bytes: shared_bytes lie along the longest walk; each block alone moves own_bytes, half at its start
    and half at its end, and own_walk_bytes along the longest walk.
    """

    visits: np.ndarray
    heads: int
    sharing: int
    places: Places
    shared_bytes: float
    own_bytes: float
    own_walk_bytes: float = 0.0

    @classmethod
    def of(cls, problem: AttentionProblem, visits: np.ndarray, places: Places, shared_bytes: float, own_bytes: float,
           own_walk_bytes: float = 0.0) -> Self:
        """shared_bytes: of all heads."""
        return cls(visits, problem.query_heads, problem.heads // problem.kv_heads, places, shared_bytes / problem.batch / problem.kv_heads,
                   own_bytes, own_walk_bytes)

    @property
    def between(self) -> float:
        """Bytes named while one wave walks: of the heads in flight, and of the blocks alone."""
        groups, blocks = self.heads // self.sharing, len(self.visits) * self.sharing
        in_flight = min(groups, 1 + (self.places.gpu - 1) / blocks)
        return in_flight * self.shared_bytes + min(self.places.gpu, groups * blocks) * (self.own_bytes + self.own_walk_bytes)

    def again(self, cache: Cache) -> float:
        """Bytes of what they share that come from DRAM a second time or more often."""
        groups, blocks = self.heads // self.sharing, len(self.visits) * self.sharing
        if blocks * groups <= self.places.gpu:
            return 0.0  # one wave
        steps, most = self.visits * (STEPS / self.visits.max()), WAVES * self.places.gpu
        followed = np.tile(steps, min(self.heads, ceil_div(most, len(steps))))[:most]
        missed, walked = self._follow(cache, followed)
        half = np.searchsorted(walked, walked[-1] / 2)
        late = (missed[-1] - missed[half]) / max(walked[-1] - walked[half], 1)  # per step, once waves have come apart
        every = steps.sum() * self.heads
        named = float(min(missed[-1] + (every - followed.sum()) * late, every * self.shared_bytes / STEPS))
        return max(0.0, named - groups * self.shared_bytes)

    def _follow(self, cache: Cache, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(bytes from DRAM, steps walked) so far, each time that a block is through. length: of the blocks' walks, in steps."""
        per_group, multiprocessors = len(self.visits) * self.sharing, self.places.gpu // self.places.blocks
        stall = 0 if self.places.contended else cache.constants.stall
        chunk_bytes, own_step = self.shared_bytes / STEPS, self.own_walk_bytes / STEPS
        queue = Recency(ceil_div(len(length), per_group) * STEPS)
        readers = np.zeros(len(queue.last))  # of each chunk since it came from DRAM
        block = np.full((multiprocessors, self.places.blocks), NOBODY)
        first = np.arange(min(len(length), block.size))
        block[first % multiprocessors, first // multiprocessors] = first
        position, waiting = np.zeros(block.shape), len(first)
        queue.passing(len(first) * self.own_bytes / 2)
        missed, walked, history = 0.0, 0.0, [(0.0, 0.0)]
        while (live := block != NOBODY).any():
            who = block[live]
            speed = self._speed(cache, block)[live]
            speed /= speed.max()  # the fastest does a step, so that none skips a chunk
            ends, base = length[who], who // per_group * STEPS
            at = position[live]
            while True:  # until a block is through
                chunk = base + np.minimum(at.astype(np.int64), STEPS - 1)
                reading = np.bincount(chunk)
                named = np.flatnonzero(reading)
                lost = cache.lost(queue.since(named))
                missed += lost.sum() * chunk_bytes
                readers[named] = readers[named] * (1 - lost) + reading[named]
                queue.name(named, cache.room(readers[named]) * chunk_bytes)
                step = speed / (1 + stall * lost[named.searchsorted(chunk)])
                queue.passing(step.sum() * own_step)
                at = at + step
                walked += step.sum()
                if (at >= ends).any():
                    break
            position[live] = at
            through = live & (position >= np.where(live, length[np.minimum(block, len(length) - 1)], np.inf))
            queue.passing(through.sum() * self.own_bytes)
            for place in np.argwhere(through).tolist():
                block[*place], position[*place] = (waiting, 0) if waiting < len(length) else (NOBODY, 0)
                waiting += waiting < len(length)
            history.append((missed, walked))
        return tuple(np.array(history).T)

    def _speed(self, cache: Cache, block: np.ndarray) -> np.ndarray:
        """Of each block on each multiprocessor, beside a mean one of a multiprocessor that is full."""
        c, places, live = cache.constants, self.places, block != NOBODY
        age = np.where(live, block, block.max() + 1).argsort(axis=1).argsort(axis=1)
        favour = (1 - c.favour * places.contended) ** (age * max(1, places.warps / places.schedulers))
        teams = max(1, places.schedulers // places.warps)  # of blocks that have schedulers of their own, in turn
        beside = np.stack([live[:, place % teams::teams].sum(axis=1) for place in range(places.blocks)], axis=1)
        share = np.where(live, favour * np.maximum(1.0, beside) ** -c.crowd, 0)
        together = places.blocks * (live.sum(axis=1, keepdims=True) / places.blocks) ** c.fill
        return together * share / np.maximum(share.sum(axis=1, keepdims=True), 1e-9)
