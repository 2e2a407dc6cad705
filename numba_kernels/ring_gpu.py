"""Seats of a ring on the GPUs of this machine: each with a stream for its launches and one for what it sends, so that both go on at once.

A block goes from GPU to GPU by `cuMemcpyPeerAsync`, over NVLink or PCIe; where the two cannot reach each other's memory the driver takes
it through the host. What has to end before is waited for by the streams, with events, never by the host.
"""
import numpy as np
from cuda.bindings import driver

from numba_kernels import gpu
from numba_kernels.device import cuda
from numba_kernels.ports import OFF
from numba_kernels.spec import KernelSpec
from numba_kernels.timing import answered
from traffic_model.errors import Refusal


class _Queued:
    """Something on a stream, between two events; those after it wait for the second."""

    def __init__(self, seat: "Seat", stream, after: list["_Queued"], begin):
        with seat.device:
            for other in after:
                other.end.wait(stream)
            self._seat, self._start, self.end = seat, cuda.event(), cuda.event()
            self._start.record(stream)
            begin()
            self.end.record(stream)

    @property
    def ms(self) -> float:
        """Device time, once the seat has finished."""
        with self._seat.device:
            return self._start.elapsed_time(self.end)


class Launched(_Queued):
    """A launch."""

    def __init__(self, seat: "Seat", spec: KernelSpec, arrays: dict, counting: str, after: list[_Queued]):
        with seat.device:
            self._counts = seat.uncounted if counting == OFF else gpu.new_counts()
        self.spec, self._counting = spec, counting
        super().__init__(seat, seat.computing, after, lambda: gpu.enqueue(spec, arrays, counting, self._counts, seat.computing))

    @property
    def counts(self) -> np.ndarray:
        """As gpu.launch returns them, once the seat has finished."""
        with self._seat.device:
            return gpu.summed(self._counts, self.spec, self._counting)


class Copied(_Queued):
    """Copies from GPU to GPU. bytes: what they move."""

    def __init__(self, seat: "Seat", blocks: list[tuple], to: "Seat", after: list[_Queued]):
        self.bytes = 0
        super().__init__(seat, seat.sending, after, lambda: [self._copy(seat, to, *block) for block in blocks])

    def _copy(self, seat, to, source, target):
        pointer = cuda.cudadrv.driver.device_pointer
        answered(driver.cuMemcpyPeerAsync(pointer(target), to.context, pointer(source), seat.context, target.nbytes,
                                          driver.CUstream(int(seat.sending.handle))))
        self.bytes += target.nbytes


class Seat:
    """One GPU."""

    def __init__(self, number: int):
        self.number, self.device = number, cuda.gpus[number]
        with self.device:
            self.context = driver.CUcontext(int(cuda.current_context().handle))
            self.computing, self.sending, self.uncounted = cuda.stream(), cuda.stream(), gpu.new_counts()

    def put(self, array: np.ndarray):
        with self.device:
            return gpu.put(array)

    def allocate(self, elements: int, dtype: str):
        with self.device:
            return gpu.allocate(elements, dtype)

    def get(self, array) -> np.ndarray:
        with self.device:
            return gpu.get(array)

    def launch(self, spec: KernelSpec, arrays: dict, counting: str, after: list[_Queued]) -> Launched:
        return Launched(self, spec, arrays, counting, after)

    def hand_on(self, blocks: list[tuple], to: "Seat", after: list[_Queued]) -> Copied:
        """Copies each (source here, target there)."""
        return Copied(self, blocks, to, after)

    def finish(self) -> None:
        """Waits until all that was begun has ended."""
        with self.device:
            cuda.synchronize()

    def reach(self, other: "Seat") -> bool:
        """Lets copies from here write into another GPU's memory. False where the hardware does not."""
        if not answered(driver.cuDeviceCanAccessPeer(driver.CUdevice(self.number), driver.CUdevice(other.number))):
            return False
        with self.device:  # by the driver's bindings: numba-cuda's enable_peer_access fails
            error, = driver.cuCtxEnablePeerAccess(other.context, 0)
        if error != driver.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED:
            answered((error,))
        return True


def seats(gpus: int, backend: str) -> list[Seat]:
    """The machine's first GPUs. Raises Refusal where there are fewer: two members on one GPU would take turns, and move no bytes."""
    here = len(cuda.gpus)
    if gpus > here:
        raise Refusal(f"a ring of {gpus} GPUs needs as many and this machine shows {here}; take --gpus {here}, or --backend cpu, where "
                      f"all members run in one process.")
    return [Seat(number) for number in range(gpus)]


def free_bytes_of_each(seats: list[Seat]) -> int:
    """Device memory that can still be allocated on the fullest of them."""
    free = []
    for seat in seats:
        with seat.device:
            free.append(gpu.free_bytes())
    return min(free)


def peer_access(seats: list[Seat]) -> bool | None:
    """Whether every copy goes from GPU to GPU and not through the host; None for a ring of one, which copies nothing."""
    reached = [seat.reach(other) for seat, other in zip(seats, seats[1:] + seats[:1]) if seat is not other]
    return all(reached) if reached else None
