"""Meaning: what a name that a kernel closes over may stand for."""
import types

import numpy as np
from numba import types as numba_types
from numba.np.numpy_support import as_dtype

BUILTINS = (range, min, max, abs, int, float, bool)


def is_builtin(value: object) -> bool:
    """One of Python's own functions that a kernel may call."""
    return any(value is builtin for builtin in BUILTINS)


def scalar_dtype(value: object) -> np.dtype | None:
    """The dtype of one of Numba's or NumPy's types of number (float32, int64, np.float32, …); None for anything else."""
    if isinstance(value, numba_types.Number | numba_types.Boolean):
        return as_dtype(value)
    return np.dtype(value) if isinstance(value, type) and issubclass(value, np.number | np.bool_) else None


def is_scalar_type(value: object) -> bool:
    """Whether it is one of Numba's or NumPy's types of number."""
    return scalar_dtype(value) is not None


def is_constant(value: object) -> bool:
    """A float: it keeps its name, for its width is part of its meaning. Whole numbers have become literals by then."""
    return isinstance(value, float | np.floating)


def device_function(value: object) -> types.FunctionType | None:
    """The Python function behind a device function, plain or decorated; None for anything else."""
    function = getattr(value, "py_func", value)
    return function if isinstance(function, types.FunctionType) else None
