"""Compile: from a generated source to a function that can be called, through the cache on disk."""
import hashlib
import os
import sys
import threading
import types
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numba

from numba_kernels.cpu.cache import SUMS, cache_folder, drop_damaged, own_folder, prune, record, write_once
from numba_kernels.cpu.generate import Generated

LOCK = threading.Lock()  # one compilation at a time, whatever the number of sessions
READY = {}  # (generated kernel, argument types) -> compiled function


def compiled(kernel: Generated, signature: tuple) -> Callable:
    """The kernel compiled for arguments of these Numba types: from memory, from disk, or anew.

    A cache that cannot be used (damaged, full, made read-only meanwhile) costs a compilation, never the run.
    """
    key = (kernel, signature)
    if key not in READY:
        with LOCK:
            if key not in READY:  # another session may have been first
                try:
                    READY[key] = _load(kernel, signature, cache_folder())
                except OSError:
                    READY[key] = _load(kernel, signature, own_folder())
    return READY[key]


def _load(kernel, signature, folder):
    stem = f"{kernel.name}_{hashlib.sha256(kernel.source.encode()).hexdigest()[:20]}"
    path = folder / f"{stem}.py"
    write_once(path, kernel.source)
    function = getattr(_module(kernel.source, path), kernel.name)
    machine_code = lambda: sorted(Path(function.stats.cache_path).glob(f"{stem}.*.nb?"))
    sums = path.with_suffix(SUMS)
    drop_damaged(machine_code(), sums)
    with _side_by_side(kernel.registers):
        function.compile(signature)
    os.utime(path)  # used now: the last to be removed
    if function.stats.cache_misses:
        record(machine_code(), sums)
        prune(folder)
    return function


@contextmanager
def _side_by_side(registers):
    """Numba leaves out LLVM's pass that makes vectors of what stands side by side (SLP). Registers need it, for the loops over them are
    unrolled before loops are vectorised. Whoever else compiles meanwhile gets it too, which does no harm."""
    before = numba.config.SLP_VECTORIZE
    numba.config.SLP_VECTORIZE = int(registers or before)
    try:
        yield
    finally:
        numba.config.SLP_VECTORIZE = before


def _module(source, path):
    """The source as a module; run from the text at hand, since the file may meanwhile be another process's."""
    module = types.ModuleType(f"tilescope_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where Numba looks it up when it loads machine code
    exec(compile(source, str(path), "exec"), module.__dict__)
    return module
