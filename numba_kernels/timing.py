"""Device time of a kernel, without the host's launch cost.

A launch with five array arguments costs the host tens of microseconds, more than a short kernel takes. So a kernel is captured into
a CUDA graph, as many copies in a row as fill TARGET_MS, and the graph is replayed between two events; a sample is the elapsed time
over the number of copies. All replays are queued before the first is waited for. With a warm L2 every copy finds what the one before
it left there; for a cold one a graph holds one copy, and before each replay a buffer larger than L2 is overwritten.
"""
import numpy as np
from cuda.bindings import driver

from numba_kernels import gpu
from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec

TARGET_MS = 1.0
MOST_COPIES = 200
FEWEST_SAMPLES, ENOUGH_MS = 3, 250.0  # a kernel that takes long gets fewer samples and warm-ups than asked for, as many as fit
FLUSH_BYTES = 2**28  # more than any L2 holds


def times_ms(spec: KernelSpec, arrays: dict, repeat: int, warmup: int, l2: str = "warm", counting: str = "off") -> list[float]:
    """Samples of the kernel's device time in ms: `repeat` of them after `warmup` replays, fewer of both if they take long.

    l2: "warm" or "cold". One launch, untimed, comes before everything; it also compiles and loads the kernel.
    """
    stream = cuda.stream()
    counts = gpu.new_counts()
    gpu.enqueue(spec, arrays, counting, counts, stream)
    once = _capture(spec, arrays, counting, counts, stream, copies=1)
    single, = _replays(once, stream, repeat=1)
    if single > ENOUGH_MS and l2 == "warm":
        return [single, *_replays(once, stream, min(repeat, FEWEST_SAMPLES) - 1)]
    fitting = int(ENOUGH_MS // single)
    repeat, warmup = min(repeat, max(FEWEST_SAMPLES, fitting)), min(warmup, fitting)
    flush = cuda.device_array(FLUSH_BYTES, np.uint8) if l2 == "cold" else None
    copies = 1 if l2 == "cold" else int(min(MOST_COPIES, max(1, TARGET_MS // single)))
    graph = _capture(spec, arrays, counting, counts, stream, copies) if copies > 1 else once
    _replays(graph, stream, warmup)
    return [sample / copies for sample in _replays(graph, stream, repeat, flush)]


def copy_gb_per_s(bytes_each: int = 4 * 10**9, repeat: int = 10) -> float:
    """Measured device-to-device copy bandwidth in GB/s, bytes read plus bytes written: the roof for moving data through HBM."""
    source, target = (cuda.device_array(bytes_each, np.uint8) for _ in range(2))
    stream, start, end = cuda.stream(), cuda.event(), cuda.event()
    target.copy_to_device(source, stream=stream)  # the first one also maps the memory
    start.record(stream)
    for _ in range(repeat):
        target.copy_to_device(source, stream=stream)
    end.record(stream)
    end.synchronize()
    return 2 * bytes_each * repeat / start.elapsed_time(end) / 1e6


def _capture(spec, arrays, counting, counts, stream, copies):
    handle = driver.CUstream(int(stream.handle))
    answered(driver.cuStreamBeginCapture(handle, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    for _ in range(copies):
        gpu.enqueue(spec, arrays, counting, counts, stream)
    graph = answered(driver.cuStreamEndCapture(handle))
    return answered(driver.cuGraphInstantiate(graph, 0))


def _replays(graph, stream, repeat: int, flush=None) -> list[float]:
    events = [(cuda.event(), cuda.event()) for _ in range(repeat)]
    for start, end in events:
        if flush is not None:
            cuda.cudadrv.driver.device_memset(flush, 0, flush.nbytes, stream=stream)
        start.record(stream)
        answered(driver.cuGraphLaunch(graph, driver.CUstream(int(stream.handle))))
        end.record(stream)
    stream.synchronize()
    return [start.elapsed_time(end) for start, end in events]


def answered(answer: tuple):
    """What a call of the driver's bindings gave. Raises RuntimeError with its words for an error."""
    error, *values = answer
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"CUDA driver: {driver.cuGetErrorString(error)[1].decode()}")
    return values[0] if values else None
