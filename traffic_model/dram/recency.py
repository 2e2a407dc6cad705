"""Recency: how much room was taken since a chunk was named: what decides whether a cache of lines used last still holds it."""
import numpy as np

NEVER = -1


class Recency:
    """chunks: how many there are, each of which takes room once it is named."""

    def __init__(self, chunks: int):
        self.last, self.room, self.now = np.full(chunks, NEVER), np.zeros(chunks), 0
        self.newest = np.zeros(1024)  # room of what was named last at each time

    def since(self, chunk: np.ndarray) -> np.ndarray:
        """Bytes, of other chunks and of what passed; infinite for a chunk that was never named."""
        last = self.last[chunk]
        seen = last != NEVER
        earliest = last[seen].min(initial=self.now)
        taken = self.newest[earliest:self.now + 1][::-1].cumsum()[::-1]
        return np.where(seen, taken[np.where(seen, last - earliest, 0)] - self.room[chunk], np.inf)

    def name(self, chunks: np.ndarray, room: np.ndarray) -> None:
        """These are named, each once, and take so much room from now on."""
        before = self.last[chunks]
        seen = before != NEVER
        np.subtract.at(self.newest, before[seen], self.room[chunks[seen]])
        self.now += 1
        if self.now == len(self.newest):
            self.newest = np.concatenate([self.newest, np.zeros(len(self.newest))])
        self.newest[self.now] += room.sum()
        self.last[chunks], self.room[chunks] = self.now, room

    def passing(self, amount: float) -> None:
        """So many bytes are named that nobody names again."""
        self.newest[self.now] += amount
