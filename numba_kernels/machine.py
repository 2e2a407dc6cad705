"""What a saved run says of the GPU it ran on: name, driver, CUDA version, clocks and measured copy bandwidth."""
import subprocess

from cuda.bindings import driver

from numba_kernels import timing
from numba_kernels.device import cuda

SENSORS = ("sm_mhz", "memory_mhz", "celsius")


def describe() -> dict:
    """{"gpu", "driver", "cuda", "clocks", "copy_gb_per_s"}; no serial numbers."""
    device = cuda.get_current_device()
    _, version = driver.cuDriverGetVersion()
    rated = lambda attribute: driver.cuDeviceGetAttribute(attribute, device.id)[1] // 1000
    clocks = dict(sm_mhz=rated(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                  memory_mhz=rated(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), kind="rated, not locked")
    return dict(gpu=gpu_name(), driver=_driver_version(), cuda=f"{version // 1000}.{version % 1000 // 10}", clocks=clocks,
                copy_gb_per_s=round(timing.copy_gb_per_s(), 1))


def gpu_name() -> str:
    """As the driver says it."""
    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else name


def sensors(gpu: str) -> dict:
    """{"sm_mhz", "memory_mhz", "celsius"} of a GPU as CUDA_VISIBLE_DEVICES names it; each None where the vendor's tool does not say."""
    said = _smi("clocks.sm,clocks.mem,temperature.gpu", f"--id={gpu}").split(",")
    return dict(zip(SENSORS, [int(word) if word.strip().isdigit() else None for word in said] + [None] * len(SENSORS)))


def _driver_version() -> str | None:
    """The display driver's version; None where the vendor's tool is missing."""
    return next(iter(_smi("driver_version").split()), None)


def _smi(query: str, *options: str) -> str:
    """What nvidia-smi answers; empty where it is missing or fails."""
    try:
        command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits", *options]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
