"""Which recorded times the Time page shows: those of the sidebar's settings, else the nearest that were recorded, and it says so."""
import math
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from app.records import chooses_tiling, has_times, of_task
from app.settings import Settings
from traffic_model import AttentionProblem, Tiling, find_gpu

FLOOR_POINTS = 16
NOT_SHAPE = ("seq_len", "kv_len", "scale")


class Shown(NamedTuple):
    """header: the file's; runs: timed, of one shape and one tiling; too_large: those of that shape that ran out of memory;
    settings: theirs, at the sidebar's N; note: None if they are the sidebar's."""

    header: dict
    runs: list[dict]
    too_large: list[dict]
    settings: Settings
    note: str | None


def nearest(recordings: list[tuple[dict, list[dict]]], settings: Settings) -> Shown:
    """recordings: (header, runs) of each file, at least one with times. The GPU counts first, then the shape, then the tiling."""
    timed = [(header, run) for header, runs in recordings for run in runs
             if has_times(run) and run["problem"]["kv_len"] == run["problem"]["seq_len"]]
    tilings = Counter(Tiling(**run["tiling"]) for _, run in timed)
    alike = lambda run: sum(run["problem"][name] == value for name, value in settings.problem.record().items() if name not in NOT_SHAPE)
    tiled = [each for each in timed if not chooses_tiling(each[1])] or timed
    header, best = max(tiled, key=lambda each: (each[0]["gpu"] == settings.gpu.driver_name, alike(each[1]),
                                                each[1]["tiling"] == settings.tiling.record(), tilings[Tiling(**each[1]["tiling"])]))
    runs = [run for found, run in timed if found["gpu"] == header["gpu"]]
    too_large = [run for found, every in recordings for run in every if found["gpu"] == header["gpu"] and run.get("out_of_memory")]
    shown = Settings(AttentionProblem(**best["problem"]), Tiling(**best["tiling"]), find_gpu(header["gpu"])).at(settings.n)
    alike = of_task(shown)
    return Shown(header, list(filter(alike, runs)), list(filter(alike, too_large)), shown, _note(shown, settings))


def chosen(recordings: list[tuple[dict, list[dict]]], gpus: Collection[str]) -> list[tuple[dict, list[dict]]]:
    """Those of these GPUs, by name; all of them where none of these was timed."""
    drivers = {header["gpu"] for header, runs in recordings if any(map(has_times, runs))} if gpus else ()
    wanted = {driver for driver in drivers if find_gpu(driver).name in gpus}
    return [(header, runs) for header, runs in recordings if header["gpu"] in wanted] if wanted else recordings


def beside(recordings: list[tuple[dict, list[dict]]], shown: Shown) -> dict[str, list[dict]]:
    """{GPU's name: its timed runs of the problem and the tiling that are shown, with L2 as cold or warm}, of every other GPU."""
    found, alike = {}, of_task(shown.settings)
    for header, runs in recordings:
        if header["gpu"] != shown.header["gpu"] and header.get("l2") == shown.header.get("l2"):
            same = [run for run in runs if has_times(run) and alike(run)]
            if same:
                found.setdefault(find_gpu(header["gpu"]).name, []).extend(same)
    return found


def gpus(recordings: list[tuple[dict, list[dict]]], settings: Settings) -> list[str]:
    """By name, the one that is shown first: every GPU with times of what is shown at these settings."""
    if len({header["gpu"] for header, _ in recordings}) == 1:  # asked at each step of a slider
        return []
    shown = nearest(recordings, settings)
    return [shown.settings.gpu.name, *beside(recordings, shown)]


def unfused_floor(shown: Shown) -> dict[int, float]:
    """{N: ms}: three kernels' compulsory bytes at the recorded GPU's measured copy bandwidth.

    From the N where S and P of one head outgrow L2: below, they need not cross DRAM at all and the floor would claim too much.
    """
    bandwidth = shown.header.get("copy_gb_per_s")
    lengths = [run["problem"]["seq_len"] for run in shown.runs]
    first = math.ceil(math.sqrt(shown.settings.gpu.l2_mib * 2**20 / (2 * shown.settings.problem.element_bytes)))
    if not bandwidth or max(lengths) <= first:
        return {}
    between = (round(first * (max(lengths) / first) ** (k / FLOOR_POINTS)) for k in range(FLOOR_POINTS + 1))
    return {n: shown.settings.at(n).problem.compulsory_three_kernel_bytes / bandwidth / 1e6
            for n in sorted({*between, *(n for n in lengths if n >= first)})}


def _note(shown: Settings, settings: Settings) -> str | None:
    """In a line: the caption says what is shown."""
    if shown == settings:
        return None
    return f"Not timed: {settings.conditions} on {settings.gpu.name}. Shown is what comes nearest, on {shown.gpu.name}."
