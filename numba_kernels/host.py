"""What the backends without a GPU share: arrays in the machine's own memory, and neither times nor registers."""
import os

import numpy as np

from numba_kernels.storage import poison

put = np.ascontiguousarray
get = np.asarray


allocate = poison


def resources(spec) -> None:
    """Registers and local memory exist only on a GPU."""
    return None


def free_bytes() -> int | None:
    """Memory that can still be allocated; all there is where the system does not say; None where it says nothing."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        known = getattr(os, "sysconf_names", {})
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if "SC_PHYS_PAGES" in known else None
