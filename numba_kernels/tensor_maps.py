"""Tensor maps: what Hopper's copy engine must know of an array in HBM, made by the driver and kept in HBM."""
import numpy as np
from cuda.bindings import driver

from numba_kernels.device import cuda
from numba_kernels.ptx.hopper import TILE_COLUMNS
from numba_kernels.spec import Box

TYPES = {"bfloat16": driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
         "float16": driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16}
ELEMENT_BYTES = 2
_maps = {}  # by address, box and dtype, which is all that a map says


def tensor_map(array, box: Box, dtype: str):
    """The map of a contiguous device array, in device memory: copies of 64 columns, chunks exchanged within 128 bytes, zeros outside."""
    address = array.device_ctypes_pointer.value
    if (address, box, dtype) not in _maps:
        _maps[address, box, dtype] = cuda.to_device(_encoded(address, box, dtype))
    return _maps[address, box, dtype]


def _encoded(address: int, box: Box, dtype: str) -> np.ndarray:
    heads, rows, columns = box.shape
    sizes = lambda *numbers: [driver.cuuint64_t(number) for number in numbers]
    steps = lambda *numbers: [driver.cuuint32_t(number) for number in numbers]
    error, made = driver.cuTensorMapEncodeTiled(
        TYPES[dtype], 3, address, sizes(columns, rows, heads), sizes(columns * ELEMENT_BYTES, rows * columns * ELEMENT_BYTES),
        steps(TILE_COLUMNS, box.rows, 1), steps(1, 1, 1), driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B, driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"CUDA driver: {error.name} while describing {box.array} to the copy engine")
    return np.array([int(word) for word in made.opaque], np.uint64)
