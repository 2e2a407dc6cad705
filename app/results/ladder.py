"""The ladder's table: bytes counted and read from the hardware, and time, beside what must move."""
from collections.abc import Iterable, Iterator
from statistics import median
from textwrap import fill
from typing import NamedTuple

from app import records
from app.settings import Settings
from numba_kernels import hardware, saved
from traffic_model import DEFAULT_GPU, AttentionProblem, Ledger, Measure, Space, Tiling, find_gpu, predict
from traffic_model.units import decimal_bytes, milliseconds, ratio

SHOWN = Settings(AttentionProblem(4096, 64, heads=16), Tiling(), find_gpu(DEFAULT_GPU))
LENGTHS = (1024, 4096, 16384, 65536)
RUNGS = (*records.LADDER, "fused_kv_outer")
HEADER = ("N", "rung", "requested, counted", "compulsory", "DRAM reads", "DRAM writes", "time")
AGAINST = "time ÷ fastest library's"  # a column where a library's time is recorded at that N
NO_LIBRARY = f" No library was timed in {SHOWN.problem.dtype}."


class Row(NamedTuple):
    """One rung, or a library, at one length. Bytes are of HBM; dram: (reads, writes). None where it was not recorded."""

    n: int
    name: str
    requested: int | None
    compulsory: int | None
    dram: tuple[int, int] | None
    ms: float | None
    needed_bytes: int | None
    library: bool = False


def rows(files: Iterable[saved.SavedRuns], launches: Iterable[hardware.Recording]) -> list[Row]:
    """By length: the rungs that were recorded there, then libraries. Of several runs of one cell, the last one stands."""
    runs = [run for file in files for run in [*file.out_of_memory, *file.runs]]
    lines = [line for recording in launches for line in recording.lines]
    found = []
    for at in map(SHOWN.at, LENGTHS):
        here = {run["algorithm"]: run for run in filter(records.of_task(at), runs) if run["problem"] == at.problem.record()}
        rungs = [name for name in RUNGS if name in here]
        libraries = [name for name, run in here.items() if run["backend"] == saved.LIBRARY]
        found += [_row(at, name, here[name], _dram(at, name, lines)) for name in [*rungs, *libraries]]
    return found


def markdown(found: list[Row]) -> str:
    """As a Markdown table."""
    fastest = {n: min(row.ms for row in found if row.library and row.n == n) for n in {row.n for row in found if row.library}}
    header = [*HEADER, *([AGAINST] if fastest else [])]
    lines = [header, ["---:", "---", *["---:"] * (len(header) - 2)], *([*_cells(row), *_against(row, fastest)] for row in found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def provenance(files: Iterable[saved.SavedRuns], launches: Iterable[hardware.Recording]) -> str:
    """Conditions and sources of every column."""
    stamped = lambda some: records.sources([run for header, lines in some for run in records.shipped(header, lines)])
    timed = stamped((file.header, [run for run in file.runs if run["problem"]["dtype"] == SHOWN.problem.dtype]) for file in files)
    read = stamped((recording.header, recording.lines) for recording in launches)
    return (f"{SHOWN.conditions}. Bytes of HBM. Requested bytes were counted and times are medians, {timed}, L2 warm. DRAM bytes are "
            f"Nsight Compute's, {read}, with L2 emptied before each kernel: they are not those of the timed launches, and leave out "
            "what stayed in L2 when a kernel ended. Compulsory bytes are predicted.")


def table() -> str:
    """The table and what it rests on."""
    files, launches = saved.recorded(), hardware.recorded_launches()
    found = rows(files, launches)
    said = provenance(files, launches) + ("" if any(row.library for row in found) else NO_LIBRARY)
    return f"{markdown(found)}\n\n{fill(said, 140)}"


def _row(at: Settings, name: str, run: dict, dram: tuple[int, int] | None) -> Row:
    library = run["backend"] == saved.LIBRARY
    compulsory = None if library else predict(name, at.problem, at.tiling, at.gpu).compulsory_bytes
    if run.get("out_of_memory"):
        return Row(at.n, name, None, compulsory, dram, None, run["needed_bytes"], library)
    requested = None if library else Ledger.from_records(run["ledger"], run["measures"]).total(Measure.REQUESTED, space=Space.HBM)
    return Row(at.n, name, requested, compulsory, dram, median(saved.total_times_ms(run)), None, library)


def _dram(at: Settings, name: str, lines: list[dict]) -> tuple[int, int] | None:
    """Summed over the algorithm's kernels."""
    mine = {line["kernel"]: line for line in lines if line["algorithm"] == name and line["problem"] == at.problem.record()
            and line["tiling"] == at.tiling.record()}
    return tuple(sum(line[f"dram_{way}_bytes"] for line in mine.values()) for way in ("read", "write")) if mine else None


def _cells(row: Row) -> Iterator[str]:
    size = lambda count: "–" if count is None else decimal_bytes(count)
    yield from (f"{row.n:,}", row.name if row.library else f"`{row.name}`", size(row.requested), size(row.compulsory))
    yield from map(size, row.dram or (None, None))
    yield milliseconds(row.ms) if row.ms else f"out of memory: needs {decimal_bytes(row.needed_bytes)}"


def _against(row: Row, fastest: dict[int, float]) -> list[str]:
    if not fastest:
        return []
    return [ratio(row.ms / fastest[row.n]) if row.ms and row.n in fastest else "–"]
