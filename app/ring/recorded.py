"""What a ring at these very settings counted and took where it was recorded."""
from functools import lru_cache
from statistics import median

from app.records import where_and_when
from app.ring.counted import verdict
from app.settings import Settings
from numba_kernels import ring_saved
from numba_kernels.ring_results import RingRun
from traffic_model.units import milliseconds

shipped = lru_cache(ring_saved.recorded)


def recorded(settings: Settings, gpus: int) -> str | None:
    """In a sentence, beside one GPU's time where that was recorded; None where no such ring was."""
    for header, runs in shipped():
        alike = {run.gpus: run for run in runs if (run.problem, run.tiling) == (settings.problem, settings.tiling)}
        if header["gpu"] == settings.gpu.driver_name and gpus in alike:
            ran = alike[gpus]
            beside = f", on one GPU {_once_round(alike[1])}" if 1 in alike else ""
            return (f"Recorded on {gpus} × {where_and_when(header)}: {verdict(ran, settings.gpu)}; once round {_once_round(ran)}"
                    f"{beside}; error against float64 {ran.relative_error:.1e}.")
    return None


def _once_round(ran: RingRun) -> str:
    return milliseconds(median(ran.ring_times_ms))
