"""The gpu backend: kernels compiled by numba-cuda and launched on the current CUDA device."""
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
from numba import float32, int64, types, uint64

from numba_kernels.device import cuda
from numba_kernels.ports import COPIES, OFF, SPACING, flush_bytes, gpu_ports, tallies
from numba_kernels.results import Resources
from numba_kernels.spec import KernelSpec
from numba_kernels.storage import ARRAY_DTYPES, KERNEL_TYPES
from traffic_model.errors import Refusal
from traffic_model.layout import Launch
from traffic_model.layout.tensor_core import HOPPER

# Not fastmath=True: that would let the compiler assume there is no infinity, and masks are −∞.
FASTMATH = {"contract", "arcp", "afn", "nsz", "reassoc"}
STATIC_SHARED_LIMIT = 48 * 1024
WIDE = re.compile(r"\b(?:LDG|STG|LDS|STS)(?:\.\w+)*\.(?:64|128)\b")
_kernels = {}  # compiled kernels by (text, layout, mask, dtype, counting mode, compute capability)
_allowed = set()  # (key of a kernel, device) whose limit of shared memory is set


def text_and_signature(spec: KernelSpec, counting: str) -> tuple[Callable, tuple]:
    """The kernel's text with its device functions closed over, and its argument types."""
    ports = spec.ports(spec, counting) if spec.ports else gpu_ports(counting, len(spec.cells), spec.threads, spec.dtype)
    keys_seen = cuda.jit(device=True, forceinline=True)(spec.keys_seen)
    sizes = (float32 if isinstance(value, float) else int64 for _, value in spec.sizes)
    maps = {box.array for box in spec.boxes}
    element = lambda name: uint64 if name in maps else float32 if name in spec.scratch else KERNEL_TYPES[spec.dtype]
    signature = (*(types.Array(element(name), 1, "C") for name in spec.arrays), types.Array(int64, 1, "C"), *sizes)
    return spec.text(spec.layout, keys_seen, ports), signature


def launch_bounds(launch: Launch) -> tuple[int, int]:
    """Threads per block, and blocks per multiprocessor that the compiler leaves registers for."""
    x, y, z = launch.block
    return x * y * z, launch.resident_blocks


def resources(spec: KernelSpec) -> Resources:
    """Registers, shared bytes (static and dynamic) and local bytes of the kernel that is timed: counting off."""
    attributes = _function(_compiled(spec, OFF)).attrs
    return Resources(attributes.regs, attributes.shared + spec.shared_bytes, attributes.local)


def wide_accesses(spec: KernelSpec) -> Counter[str]:
    """How many instructions of the kernel that is timed move 8 or 16 bytes a thread, by opcode, such as LDS.128. Needs nvdisasm."""
    return Counter(WIDE.findall(next(iter(_compiled(spec, OFF).overloads.values())).inspect_sass()))


def allocate(elements: int, dtype: str):
    """A device array, poisoned: every element is NaN until a kernel writes it."""
    array = cuda.device_array(elements, ARRAY_DTYPES[dtype])
    cuda.cudadrv.driver.device_memset(array, 0xFF, array.nbytes)
    return array


put = cuda.to_device


def get(array) -> np.ndarray:
    return array.copy_to_host()


def launch(spec: KernelSpec, arrays: dict, counting: str, progress=None) -> np.ndarray:
    """Runs the whole grid and returns int64 bytes, cell by cell the measures that `counting` counts. progress is told once, at the end."""
    counts = new_counts()
    enqueue(spec, arrays, counting, counts, stream=0)
    cuda.synchronize()
    if progress:
        progress(spec.blocks, spec.blocks)
    return summed(counts, spec, counting)


def new_counts():
    """Zeros for the counts of a launch, in COPIES copies that `summed` adds up."""
    return cuda.to_device(np.zeros(COPIES * SPACING, np.int64))


def summed(counts, spec: KernelSpec, counting: str) -> np.ndarray:
    """What `launch` returns, of a launch that has ended."""
    return counts.copy_to_host().reshape(COPIES, SPACING).sum(axis=0)[:tallies(counting, len(spec.cells))]


def enqueue(spec: KernelSpec, arrays: dict, counting: str, counts, stream) -> None:
    """Puts the launch on a stream and returns at once."""
    kernel = _compiled(spec, counting)
    sizes = (np.float32(value) if isinstance(value, float) else np.int64(value) for _, value in spec.sizes)
    launch = kernel[spec.launch.grid, spec.launch.block, stream, _shared_bytes(spec, counting)]
    launch(*_arguments(spec, arrays), counts, *sizes)


def times_ms(spec: KernelSpec, arrays: dict, repeat: int, warmup: int, l2: str, counting: str) -> list[float]:
    """Device time of the launch, see numba_kernels/timing.py."""
    from numba_kernels import timing  # needs the CUDA driver's bindings, which import slowly

    return timing.times_ms(spec, arrays, repeat, warmup, l2, counting)


def free_bytes() -> int:
    """Device memory that can still be allocated."""
    return cuda.current_context().get_memory_info().free


def _compiled(spec: KernelSpec, counting: str):
    """The dispatcher of this text and layout, ready on the current device. Compiled once per process and compute capability, and loaded
    once per device, by numba-cuda; sizes and grid do not recompile."""
    device = cuda.get_current_device()
    key = (spec.text, spec.layout, spec.keys_seen, spec.dtype, spec.negated, counting, device.compute_capability)
    if key not in _kernels:
        _require_capability(spec)
        text, signature = text_and_signature(spec, counting)
        kernel = cuda.jit(text, fastmath=FASTMATH, launch_bounds=launch_bounds(spec.launch))
        kernel.compile(signature)
        _kernels[key] = kernel
    if (key, device.id) not in _allowed:
        _allow_shared(_kernels[key], _shared_bytes(spec, counting))
        _allowed.add((key, device.id))
    return _kernels[key]


def _arguments(spec: KernelSpec, arrays: dict) -> list:
    if not spec.boxes:
        return [arrays[name] for name in spec.arrays]
    from numba_kernels.tensor_maps import tensor_map  # needs the CUDA driver's bindings, which import slowly

    maps = {box.array: tensor_map(arrays[box.array], box, spec.dtype) for box in spec.boxes}
    return [maps.get(name, arrays[name]) for name in spec.arrays]


def _require_capability(spec: KernelSpec) -> None:
    needed = getattr(spec.layout, "capability", None)
    if needed is None:
        return
    here = cuda.get_current_device().compute_capability
    least = tuple(map(int, needed.split(".")))
    if here < least or (needed == HOPPER and here != least):
        raise Refusal(f"this layout of {spec.launch.name} is for compute capability {needed} and this device has "
                      f"{'.'.join(map(str, here))}; name the device with --gpu.")


def _shared_bytes(spec, counting) -> int:
    return max(spec.shared_bytes, flush_bytes(tallies(counting, len(spec.cells)), spec.threads))


def _function(kernel):
    return next(iter(kernel.overloads.values()))._codelibrary.get_cufunc()


def _allow_shared(kernel, shared_bytes: int) -> None:
    # numba-cuda leaves the limit at 48 KiB: above, the attribute must be set on the kernel's handle
    if shared_bytes <= STATIC_SHARED_LIMIT:
        return
    from cuda.bindings import driver

    device = cuda.get_current_device()
    limit = device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    if shared_bytes > limit:
        raise Refusal(f"{shared_bytes / 1024:g} KiB of shared memory per block are more than this device allows ({limit / 1024:g} KiB); "
                      f"choose a smaller key tile.")
    attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    handle = driver.CUkernel(int(_function(kernel).handle))
    error, = driver.cuKernelSetAttribute(attribute, shared_bytes, handle, driver.CUdevice(device.id))
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"CUDA driver: {error.name} while allowing {shared_bytes} bytes of shared memory")
