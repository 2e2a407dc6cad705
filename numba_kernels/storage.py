"""How elements are stored in HBM, and how a port converts them: fp32 in registers whatever the storage.

float32:  numpy float32, nothing to convert.
float16:  numpy float16.
bfloat16: the upper 16 bits of a float32, as numpy uint16, since numpy has no such type. Rounded to nearest even.
"""
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import float32, int32, types, uint16, uint32

from numba_kernels.device import cuda

ARRAY_DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16}
KERNEL_TYPES = {"float32": types.float32, "float16": types.float16, "bfloat16": types.uint16}
ELEMENT_BYTES = {name: np.dtype(dtype).itemsize for name, dtype in ARRAY_DTYPES.items()}


class Conversion(NamedTuple):
    """load(stored) -> fp32 and store(fp32) -> stored, inside a kernel."""

    load: Callable
    store: Callable


def encode(values: np.ndarray, dtype: str) -> np.ndarray:
    """fp32 values as they are stored."""
    if dtype != "bfloat16":
        return values.astype(ARRAY_DTYPES[dtype])
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def decode(stored: np.ndarray, dtype: str) -> np.ndarray:
    """Stored values as fp32, exactly."""
    if dtype != "bfloat16":
        return stored.astype(np.float32)
    return (stored.astype(np.uint32) << 16).view(np.float32)


def poison(elements: int, dtype: str) -> np.ndarray:
    """An array in which every element is NaN until a kernel writes it."""
    return encode(np.full(elements, np.nan, np.float32), dtype) if dtype != "bfloat16" else np.full(elements, 0x7FC0, np.uint16)


def gpu_conversion(dtype: str) -> Conversion:
    """Plain functions for `cuda.jit(device=True)`."""
    libdevice, half = cuda.libdevice, types.float16

    def same(x):
        return x

    def load_half(x):
        return float32(x)

    def store_half(x):
        return half(x)

    def load_bfloat(x):
        return libdevice.int_as_float(int32(uint32(x) << uint32(16)))

    def store_bfloat(x):
        bits = uint32(libdevice.float_as_int(x))
        return uint16((bits + uint32(0x7FFF) + (bits >> uint32(16) & uint32(1))) >> uint32(16))

    return {"float32": Conversion(same, same), "float16": Conversion(load_half, store_half),
            "bfloat16": Conversion(load_bfloat, store_bfloat)}[dtype]


def simulator_conversion(dtype: str) -> Conversion:
    """The same for Numba's simulator, with numpy scalars."""
    if dtype == "bfloat16":
        return Conversion(lambda x: decode(np.array([x], np.uint16), dtype)[0], lambda x: encode(np.array([x], np.float32), dtype)[0])
    return Conversion(np.float32, ARRAY_DTYPES[dtype])


def cpu_conversion(dtype: str) -> Conversion:
    """The same for Numba's CPU target, which takes no float16: both 2-byte types come as uint16, and bits are moved.

    The functions are copied into the generated source, so they close over nothing but numpy.
    """
    def load_half(x):
        magnitude = x & 0x7FFF
        if magnitude < 0x400:  # subnormal in half precision, normal in single
            bits = int(np.float32(np.float32(magnitude) * np.float32(2.0**-24)).view(np.uint32))
        elif magnitude < 0x7C00:
            bits = (magnitude << 13) + 0x38000000
        else:  # infinity and NaN
            bits = (magnitude << 13) | 0x7F800000
        return np.uint32(bits | (x & 0x8000) << 16).view(np.float32)

    def store_half(x):
        bits = int(np.float32(x).view(np.uint32))
        magnitude = bits & 0x7FFFFFFF
        if magnitude > 0x7F800000:
            half = 0x7E00  # NaN
        elif magnitude >= 0x477FF000:
            half = 0x7C00  # rounds to infinity
        elif magnitude < 0x38800000:  # subnormal: 0.5 has a last place of 2^-24, so adding it rounds
            half = int(np.float32(np.uint32(magnitude).view(np.float32) + np.float32(0.5)).view(np.uint32)) - 0x3F000000
        else:
            half = (magnitude + 0xFFF + (magnitude >> 13 & 1) - 0x38000000) >> 13
        return np.uint16(half | bits >> 16 & 0x8000)

    def load_bfloat(x):
        return np.uint32(x << 16).view(np.float32)

    def store_bfloat(x):
        bits = int(np.float32(x).view(np.uint32))
        if bits & 0x7FFFFFFF > 0x7F800000:
            return np.uint16(0x7FC0)  # NaN
        return np.uint16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)

    return {"float16": Conversion(load_half, store_half), "bfloat16": Conversion(load_bfloat, store_bfloat)}[dtype]
