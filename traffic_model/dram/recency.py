"""Recency: how many different bytes were named since a chunk was: what decides whether a cache of lines used last still holds it."""
import numpy as np

NEVER = -1


class Recency:
    """chunks: how many there are, of chunk_bytes each."""

    def __init__(self, chunks: int, chunk_bytes: float):
        self.last, self.chunk_bytes, self.now = np.full(chunks, NEVER), chunk_bytes, 0
        self.newest = np.zeros(1024)  # bytes whose latest naming was at each time

    def since(self, chunk: np.ndarray) -> np.ndarray:
        """Bytes; infinite for a chunk that was never named."""
        last = self.last[chunk]
        seen = last != NEVER
        earliest = last[seen].min(initial=self.now)
        bytes_since = self.newest[earliest:self.now + 1][::-1].cumsum()[::-1]
        return np.where(seen, bytes_since[np.where(seen, last - earliest, 0)], np.inf)

    def name(self, chunks: np.ndarray, passing: float) -> None:
        """These are named, each once, while so many bytes pass that nobody names again."""
        before = self.last[chunks]
        np.subtract.at(self.newest, before[before != NEVER], self.chunk_bytes)
        self.now += 1
        if self.now == len(self.newest):
            self.newest = np.concatenate([self.newest, np.zeros(len(self.newest))])
        self.newest[self.now] += len(chunks) * self.chunk_bytes + passing
        self.last[chunks] = self.now

    def passing(self, amount: float) -> None:
        self.newest[self.now] += amount
