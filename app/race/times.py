"""Recorded times for the race's clock: exactly these settings, or none."""
from dataclasses import dataclass
from statistics import median

from app.race.rungs import Rung
from app.records import has_times
from app.settings import Settings


@dataclass(frozen=True)
class Times:
    """milliseconds: per lane, the median of each of its kernels over all heads; source: recorded on NVIDIA H200, 29 Nov 2026."""

    milliseconds: tuple[tuple[float, ...], ...]
    source: str


def recorded(recordings: list[tuple[dict, list[dict]]], settings: Settings, rungs: tuple[Rung, ...]) -> Times | None:
    """recordings: (header, runs) of each file. Both lanes must have run on the settings' GPU, in one recording; the last one counts."""
    for header, runs in reversed(recordings):
        found = [_last(runs, rung, settings) for rung in rungs]
        if header["gpu"] == settings.gpu.driver_name and all(found):
            return Times(tuple(tuple(median(kernel["times_ms"]) for kernel in run["kernels"]) for run in found), found[0]["source"])
    return None


def _last(runs: list[dict], rung: Rung, settings: Settings) -> dict | None:
    wanted = settings.problem.record(), settings.tiling.record()
    of_rung = [run for run in runs if run["algorithm"] == rung.algorithm and has_times(run) and run["problem"] == wanted[0]
               and (run["tiling"] == wanted[1] or rung == Rung.NAIVE)]
    return of_rung[-1] if of_rung else None
