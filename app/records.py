"""Records: predictions and runs as flat tables of plain values, which charts draw and which are exported as CSV.

A record of bytes is one cell of a ledger: algorithm, n, array, space, direction, measure, kind ("predicted" or "counted"), source, bytes.
A record of time is one run: algorithm, n, kind "timed", when ("recorded" or "live"), source, samples, and its median, tenth and ninetieth
percentile in ms. A run that did not fit into memory has no bytes and no time, only the bytes it would have needed.
"""
import math
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from itertools import product
from statistics import median, quantiles

from app.settings import Settings
from numba_kernels.saved import LIBRARY, SavedRuns, total_times_ms
from traffic_model import predict
from traffic_model.capacity import forward_bytes
from traffic_model.layout.tensor_core import NAME as TENSOR_CORE

LONGEST = 65535 * 8  # just under 512K: naive's grid takes 65,535 blocks of 8 query rows
LENGTHS = [2**k for k in range(7, 19)] + [LONGEST]  # from 128 on: where the lines of the Traffic chart have their points
ALGORITHMS = ("naive", "fused")  # on the Traffic chart
LADDER = ("naive", "tiled", "fused")  # on the Time chart: tiling, then fusion


def predicted(settings: Settings, lengths: list[int]) -> list[dict]:
    """Every cell that both algorithms should move at each of these sequence lengths."""
    records = []
    for n in lengths:
        at = settings.at(n)
        for algorithm in ALGORITHMS:
            ledger = predict(algorithm, at.problem, at.tiling, at.gpu).ledger.records()
            records += _cells(algorithm, n, ledger, "predicted", settings.gpu.name)
    return records


def counted(runs: list[dict]) -> list[dict]:
    """Every cell of these runs, each a saved run's line with its `source`. Of several runs of one cell, the last one stands."""
    latest = {(run["algorithm"], run["problem"]["seq_len"]): run for run in runs
              if run["algorithm"] in ALGORITHMS and not run.get("out_of_memory")}
    return [cell for (algorithm, n), run in _in_order(latest)
            for cell in _cells(algorithm, n, run["ledger"], "counted", run["source"])]


def timed(runs: list[dict]) -> list[dict]:
    """One record per run of the ladder, on tensor cores or of a library that has times, by rising N.

    Of several runs of one algorithm, N and source, the last one stands.
    """
    return [_time(run, total_times_ms(run)) for run in _with_times(runs)]


def timed_kernels(runs: list[dict]) -> list[dict]:
    """As `timed` of the ladder, but one record per kernel, which it names."""
    return [_time(run, kernel["times_ms"]) | dict(kernel=kernel["name"]) for run in _with_times(runs) if run["algorithm"] in LADDER
            for kernel in run["kernels"]]


def held(settings: Settings, lengths: list[int]) -> list[dict]:
    """What the forward pass keeps in the GPU's memory: algorithm, n, kind "predicted", bytes, and how many of them are S and P."""
    records = []
    for n, algorithm in product(lengths, ALGORITHMS):
        arrays = forward_bytes(algorithm, settings.at(n).problem)
        records.append(dict(algorithm=algorithm, n=n, kind="predicted", bytes=sum(arrays.values()),
                            matrix_bytes=arrays.get("S", 0) + arrays.get("P", 0)))
    return records


def has_times(run: dict) -> bool:
    """Only a GPU's clock counts; a run on the CPU or in the simulator has counts and no times."""
    return run["backend"] in ("gpu", LIBRARY) and not run.get("out_of_memory") and all(kernel["times_ms"] for kernel in run["kernels"])


def out_of_memory(runs: list[dict]) -> list[dict]:
    """{"algorithm", "n", "needed_bytes", "source"} of each of these runs that did not fit, in the ladder's order, then by N."""
    latest = {(run["algorithm"], run["problem"]["seq_len"]): run for run in runs if run.get("out_of_memory") and run["algorithm"] in LADDER}
    return [dict(algorithm=algorithm, n=n, needed_bytes=run["needed_bytes"], source=run["source"])
            for (algorithm, n), run in _in_order(latest)]


def recording(file: SavedRuns) -> tuple[dict, list[dict]]:
    """(header, runs) of a file of saved runs, every run with its stamp, those that ran out of memory last."""
    return file.header, shipped(file.header, file.runs + file.out_of_memory)


def shipped(header: dict, runs: list[dict]) -> list[dict]:
    """A recording's runs with their stamp: recorded on NVIDIA H200, 29 Nov 2026."""
    return [run | dict(when="recorded", source=f"recorded on {where_and_when(header)}") for run in runs]


def where_and_when(header: dict) -> str:
    """Of a recording: NVIDIA H200, 29 Nov 2026."""
    day = date.fromisoformat(header["date"][:10])
    return f"{header['gpu']}, {day.day} {day:%b %Y}"


def sources(records: list[dict]) -> str:
    """Where records come from, in the order they come: recorded on NVIDIA H200, 29 and 30 Nov 2026; this machine (cpu)."""
    days = {}
    for where, _, day in (source.partition(", ") for source in dict.fromkeys(r["source"] for r in records)):
        days.setdefault(where, []).append(day)
    return "; ".join(f"{where}, {_days(found)}" if all(found) else where for where, found in days.items())


def _days(days: list[str]) -> str:
    *earlier, last = days
    month = last.partition(" ")[2]
    return " and ".join([*(day.removesuffix(f" {month}") for day in earlier), last])


def live(run: dict) -> dict:
    """A run of this session with its stamp: this machine (cpu)."""
    return run | dict(when="live", source=f"this machine ({run['backend']})")


def of_shape(settings: Settings) -> Callable[[dict], bool]:
    """Tells whether a run's problem is the settings' but for its sequence length, and its tiling too where the algorithm has tiles."""
    problem, tiling = settings.problem.record(), settings.tiling.record()
    with_length = lambda n: problem | dict(seq_len=n, kv_len=n)
    return lambda run: ((run["algorithm"] == "naive" or run["tiling"] == tiling)
                        and run["problem"] == with_length(run["problem"]["seq_len"]))


def of_task(settings: Settings) -> Callable[[dict], bool]:
    """As `of_shape`, but what chooses its tiling itself is asked for the problem alone."""
    alike, tiling = of_shape(settings), settings.tiling.record()
    return lambda run: alike(run | dict(tiling=tiling) if chooses_tiling(run) else run)


def chooses_tiling(run: dict) -> bool:
    """Whether a run's tiles are not a reader's choice: a library's, the tensor cores'."""
    return run["backend"] == LIBRARY or run["algorithm"] == TENSOR_CORE


def totals(records: list[dict], space: str = "hbm") -> dict[tuple[str, str, str], dict[int, int]]:
    """{(algorithm, measure, kind): {n: bytes}}, summed over arrays and directions of one space."""
    sums = defaultdict(lambda: defaultdict(int))
    for r in records:
        if r["space"] == space:
            sums[r["algorithm"], r["measure"], r["kind"]][r["n"]] += r["bytes"]
    return {key: dict(values) for key, values in sums.items()}


def memory_edge(settings: Settings) -> tuple[float, str]:
    """The N beyond which S and P of all heads, whole matrices, are larger than the GPU's memory; and that memory."""
    memory = settings.gpu.dram_gb * 1e9
    return math.sqrt(memory / (2 * settings.problem.element_bytes * settings.problem.query_heads)), f"{settings.gpu.dram_gb:g} GB"


def _with_times(runs: list[dict]) -> list[dict]:
    latest = {(run["algorithm"], run["problem"]["seq_len"], run["source"]): run for run in runs
              if has_times(run) and (run["algorithm"] in (*LADDER, TENSOR_CORE) or run["backend"] == LIBRARY)}
    return [run for _, run in _in_order(latest)]


def _time(run: dict, samples: list[float]) -> dict:
    tenths = quantiles(samples, n=10, method="inclusive") if len(samples) > 1 else samples
    own = dict.fromkeys(run["tiling"]) if run["backend"] == LIBRARY else run["tiling"] if chooses_tiling(run) else {}
    return dict(algorithm=run["algorithm"], n=run["problem"]["seq_len"], kind="timed", when=run["when"], source=run["source"], **own,
                samples=len(samples), p10_ms=tenths[0], median_ms=median(samples), p90_ms=tenths[-1])


def _in_order(latest: dict) -> list[tuple]:
    """By algorithm, in the ladder's order and libraries last, then by N; the keys begin with these two."""
    ladder = (*LADDER, TENSOR_CORE)
    rank = lambda algorithm: ladder.index(algorithm) if algorithm in ladder else len(ladder)
    return sorted(latest.items(), key=lambda item: (rank(item[0][0]), *item[0]))


def _cells(algorithm: str, n: int, ledger: list[dict], kind: str, source: str) -> list[dict]:
    return [dict(algorithm=algorithm, n=n, array=c["array"], space=c["space"], direction=c["direction"], measure=c["measure"], kind=kind,
                 source=source, bytes=c["bytes"]) for c in ledger]
