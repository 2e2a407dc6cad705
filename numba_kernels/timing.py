"""Device time of a kernel, without the host's launch cost.

A launch with five array arguments costs the host tens of microseconds, more than a short kernel takes. So a kernel is captured into
a CUDA graph, as many copies in a row as fill TARGET_MS, and the graph is replayed between two events; a sample is the elapsed time
over the number of copies. All replays are queued before the first is waited for. L2 is warm: every copy reads the same arrays.
"""
import numpy as np
from cuda.bindings import driver

from numba_kernels import gpu
from numba_kernels.device import cuda
from numba_kernels.spec import KernelSpec

TARGET_MS = 1.0
MOST_COPIES = 200


def times_ms(spec: KernelSpec, arrays: dict, repeat: int, warmup: int) -> list[float]:
    """`repeat` samples of the kernel's device time in ms, counting off, after `warmup` replays. L2 warm."""
    stream = cuda.stream()
    counts = cuda.to_device(np.zeros(len(spec.cells), np.int64))
    gpu.enqueue(spec, arrays, "off", counts, stream)  # compiles and loads the kernel before anything is captured
    single = _replays(_capture(spec, arrays, counts, stream, copies=1), stream, repeat=2)[-1]
    copies = int(min(MOST_COPIES, max(1, TARGET_MS // single)))
    graph = _capture(spec, arrays, counts, stream, copies)
    _replays(graph, stream, warmup)
    return [sample / copies for sample in _replays(graph, stream, repeat)]


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


def _capture(spec, arrays, counts, stream, copies):
    handle = driver.CUstream(int(stream.handle))
    _check(driver.cuStreamBeginCapture(handle, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    for _ in range(copies):
        gpu.enqueue(spec, arrays, "off", counts, stream)
    graph = _check(driver.cuStreamEndCapture(handle))
    return _check(driver.cuGraphInstantiate(graph, 0))


def _replays(graph, stream, repeat: int) -> list[float]:
    events = [(cuda.event(), cuda.event()) for _ in range(repeat)]
    for start, end in events:
        start.record(stream)
        _check(driver.cuGraphLaunch(graph, driver.CUstream(int(stream.handle))))
        end.record(stream)
    stream.synchronize()
    return [start.elapsed_time(end) for start, end in events]


def _check(answer):
    error, *values = answer
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"CUDA driver: {driver.cuGetErrorString(error)[1].decode()}")
    return values[0] if values else None
