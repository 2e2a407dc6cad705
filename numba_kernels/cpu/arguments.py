"""Arguments: arrays and sizes as the generated source takes them."""
import numpy as np

from numba_kernels.cpu.generate import host_dtype
from numba_kernels.spec import KernelSpec
from traffic_model.errors import Refusal


def checked_arguments(spec: KernelSpec, arrays: dict[str, np.ndarray]) -> tuple[list[np.ndarray], list[np.float32 | int]]:
    """(the arrays in the spec's order, the sizes). Raises Refusal for an array of another type or shape."""
    given = [_checked(name, arrays[name], spec) for name in spec.arrays]
    return given, [np.float32(value) if isinstance(value, float) else int(value) for _, value in spec.sizes]


def _checked(name, array, spec):
    """The array as the generated source takes it. float16 comes in as such and goes on as its bits."""
    wanted = host_dtype(spec, name)
    if array.dtype == np.float16 and wanted == np.uint16:
        array = array.view(wanted)
    if not (array.ndim == 1 and array.dtype == wanted and array.flags.c_contiguous and array.flags.writeable):
        raise Refusal(f"array {name} is {array.dtype} of shape {array.shape}; the cpu backend takes flat, contiguous, writable {wanted}.")
    return array
