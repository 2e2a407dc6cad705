"""Seats of a ring without GPUs: all of them in this process, blocks copied between arrays in the machine's own memory.

The same functions as numba_kernels/ring_gpu.py; what has to end before is ignored, since everything here ends before the next begins.
"""
import importlib

import numpy as np

from numba_kernels.host import allocate, free_bytes, get, put
from numba_kernels.spec import KernelSpec


class Launched:
    """A launch that has ended. counts: as the backend's launch returns them."""

    def __init__(self, spec: KernelSpec, counts: np.ndarray):
        self.spec, self.counts = spec, counts


class Copied:
    """A copy that has been made. bytes: what it moved."""

    def __init__(self, size: int):
        self.bytes = size


class Seat:
    """One member of the ring."""

    put, allocate, get = map(staticmethod, (put, allocate, get))

    def __init__(self, backend: str):
        self._launch = importlib.import_module(f"numba_kernels.{backend}").launch

    def launch(self, spec: KernelSpec, arrays: dict[str, np.ndarray], counting: str, after: list) -> Launched:
        return Launched(spec, self._launch(spec, arrays, counting))

    def hand_on(self, blocks: list[tuple[np.ndarray, np.ndarray]], to: "Seat", after: list) -> Copied:
        """Copies each (source here, target there)."""
        moved = 0
        for source, target in blocks:
            np.copyto(target, source)
            moved += target.nbytes
        return Copied(moved)

    def finish(self) -> None:
        """Waits until all that was begun has ended."""


def seats(gpus: int, backend: str) -> list[Seat]:
    """backend: cpu or simulator, which runs the launches."""
    return [Seat(backend) for _ in range(gpus)]


def free_bytes_of_each(seats: list[Seat]) -> int | None:
    """Memory that one of them can still allocate; None where the system does not say."""
    free = free_bytes()
    return None if free is None else free // len(seats)


def peer_access(seats: list[Seat]) -> bool | None:
    """Whether blocks go from GPU to GPU: there are none."""
    return None
