"""What a saved run says of the GPU it ran on: name, driver, CUDA version, clocks and measured copy bandwidth."""
from cuda.bindings import driver

from numba_kernels import timing
from numba_kernels.device import cuda


def describe() -> dict:
    """{"gpu", "driver", "cuda", "clocks", "copy_gb_per_s"}; no serial numbers."""
    device = cuda.get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    _, version = driver.cuDriverGetVersion()
    rated = lambda attribute: driver.cuDeviceGetAttribute(attribute, device.id)[1] // 1000
    clocks = dict(sm_mhz=rated(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                  memory_mhz=rated(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), kind="rated, not locked")
    return dict(gpu=name, driver=_driver_version(), cuda=f"{version // 1000}.{version % 1000 // 10}", clocks=clocks,
                copy_gb_per_s=round(timing.copy_gb_per_s(), 1))


def _driver_version() -> str | None:
    """The display driver's version, from its own tool; None where that is missing."""
    import subprocess

    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True, timeout=20).stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return None
