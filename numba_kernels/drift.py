"""A worker's reference: one configuration that it measures first and again every ten minutes, so that a GPU that slows down shows."""
import statistics
import time
from collections.abc import Callable

from numba_kernels import saved

EVERY = 600.0  # seconds


class Reference:
    """measure: () -> the run's object, or None if it was refused. clock: () -> seconds."""

    def __init__(self, measure: Callable[[], dict | None], clock: Callable[[], float] = time.monotonic, every: float = EVERY):
        self._measure, self._clock, self._every = measure, clock, every
        self._due, self._first, self.drift = None, None, None

    def look(self) -> dict | None:
        """The run's object if the reference was due and ran, else None. `drift` is then its median time over the first one's,
        minus one; it stays None where nothing is timed, as on the CPU."""
        if self._due is not None and self._clock() < self._due:
            return None
        record = self._measure()
        self._due = self._clock() + self._every
        times = saved.total_times_ms(record) if record and not record.get("out_of_memory") else []
        if times:
            self._first = self._first or statistics.median(times)
            self.drift = statistics.median(times) / self._first - 1
        return record
