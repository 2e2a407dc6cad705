"""Saved runs: JSON Lines, a header and then one run per line, appended and flushed as each ends.

Header: {"schema", "gpu", "driver", "cuda", "packages", "commit", "date", "clocks", "l2", "copy_gb_per_s"}; the GPU by name only.
Run: the object of `python -m numba_kernels run --json`. A run that did not fit is {"algorithm", "problem", "tiling", "backend",
"out_of_memory": true, "needed_bytes"}. A line of a scheduled sweep adds "measured_on": {"gpu", "drift"} and on a GPU "sm_mhz",
"memory_mhz", "celsius" after it ran; drift is that of the worker's reference (drift.py), null where nothing is timed.
"""
import json
import math
import statistics
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from traffic_model.errors import Refusal
from traffic_model.layout import KERNELS
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

SHORTEST_MS, LONGEST_MS = 1e-6, 1e9  # of any kernel: a nanosecond, eleven days
SCHEMA = 1
LIBRARY = "library"  # the backend of what somebody else's kernel did: timed on a GPU, nothing counted, no layout
RECORDED = Path(__file__).parent / "recorded"


class SavedRuns(NamedTuple):
    """A file of runs: its header, the runs and the runs out of memory, each in order, and where it was read."""

    header: dict
    runs: list[dict]
    out_of_memory: list[dict]
    path: Path


def recorded() -> list[SavedRuns]:
    """The runs that ship with Tilescope, by file name."""
    return [read(path) for path in sorted(RECORDED.glob("*.jsonl"))]


def read(path: str | Path) -> SavedRuns:
    """Reads and checks a file of runs. Raises Refusal that names the line and the reason."""
    path = Path(path)
    header, *runs = objects(path)
    check(path, 1, header, check_header)
    for number, run in enumerate(runs, 2):
        check(path, number, run, _check_run)
    return SavedRuns(header, [run for run in runs if not run.get("out_of_memory")], [run for run in runs if run.get("out_of_memory")], path)


def objects(path: Path) -> list[dict]:
    """Its lines, at least the header's. Raises Refusal for a file that is not JSON Lines."""
    if path.exists() and not path.is_file():
        raise Refusal(f"{path.name} cannot be read: it is no file.")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path.name} cannot be read: {error}.") from None
    found = [_object(path, number, line) for number, line in enumerate(lines, 1)]
    if not found:
        raise Refusal(f"{path.name} is empty: the first line is the header.")
    return found


def is_header(line: bytes) -> bool:
    """Whether this is the first line of a file of runs."""
    try:
        return json.loads(line)["schema"] == SCHEMA
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def key(run: dict) -> str:
    """What makes two lines the same measurement: algorithm, problem, tiling, backend, and if it ran what was counted on which inputs."""
    ran = [run["counting"], run.get("seed", 0)] if "counting" in run else []
    return json.dumps([run[name] for name in ("algorithm", "problem", "tiling", "backend")] + ran, sort_keys=True)


def append(path: Path, record: dict) -> None:
    """Adds a line and flushes it, so that an interrupted sweep loses nothing."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(record, allow_nan=False) + "\n")


def total_times_ms(run: dict, which: str = "times_ms") -> list[float]:
    """The run's time samples in ms: for each sample the sum over its kernels. Empty when it was not timed."""
    samples = [kernel[which] or [] for kernel in run["kernels"]]
    return [math.fsum(times) for times in zip(*samples)]


def tflops(run: dict) -> float:
    """TFLOP/s of the products that the mask leaves, at the median time."""
    return run["flops"] / statistics.median(total_times_ms(run)) / 1e9


def counting_cost(run: dict) -> float | None:
    """Time with counting over time without, minus one, medians of the whole run; None where either was not timed."""
    plain, counted = (total_times_ms(run, which) for which in ("times_ms", "counted_times_ms"))
    return statistics.median(counted) / statistics.median(plain) - 1 if plain and counted else None


def _object(path: Path, number: int, line: str) -> dict:
    try:
        value = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path.name} line {number} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Refusal(f"{path.name} line {number} is not an object but {type(value).__name__}.")
    return value


def _no_constant(name: str):
    raise ValueError(f"{name} is not a number that JSON knows")


def check(path: Path, number: int, record: dict, reasons) -> None:
    """Raises Refusal that names the line and the first of reasons(record), if there is one or the line lacks something."""
    try:
        reason = next(reasons(record), None)
    except KeyError as error:
        reason = f"it lacks or does not know {error}"
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = str(error).rstrip(".")
    if reason:
        raise Refusal(f"{path.name} line {number} is not usable: {reason}.")


def check_header(header: dict) -> Iterator[str]:
    if type(header["schema"]) is not int or header["schema"] != SCHEMA:
        yield f"its schema is {header['schema']!r}, this version reads {SCHEMA}"
    for name in ("gpu", "date"):
        if not isinstance(header[name], str) or not header[name]:
            yield f"{name} is not a text"
    date.fromisoformat(header["date"][:10])  # raises ValueError with the text


def _check_run(run: dict) -> Iterator[str]:
    if not isinstance(run["algorithm"], str) or not isinstance(run["backend"], str):
        yield "algorithm and backend are texts"
    elif not run["algorithm"].strip() or not run["algorithm"].isprintable():
        yield f"its algorithm, {run['algorithm']!r}, is no name that could be printed"
    for name, kind in (("problem", AttentionProblem), ("tiling", Tiling)):  # readers ask for every word of them
        if run[name] != (whole := kind(**run[name]).record()):
            yield f"its {name} is not whole; it holds {', '.join(whole)}"
    if "measured_on" in run and not isinstance(run["measured_on"]["gpu"], str):
        yield "measured_on names no gpu"
    if run.get("out_of_memory"):
        if not is_size(run["needed_bytes"]):
            yield f"needed_bytes is {run['needed_bytes']!r}"
        return
    Ledger.from_records(run["ledger"], run["measures"])
    if not is_size(run["relative_error"]):
        yield f"relative_error is {run['relative_error']!r}"
    yield from _check_kernels(run)
    for kernel in run["kernels"]:
        Ledger.from_records(kernel["ledger"], kernel["measures"])
        for name in ("times_ms", "counted_times_ms"):
            yield from check_times(f"{name} of {kernel['name']}", kernel[name])


def _check_kernels(run: dict) -> Iterator[str]:
    """A library has one kernel of its own name and counts nothing; the ladder has its kernels, and counted cells where it counted."""
    names = [kernel["name"] for kernel in run["kernels"]]
    if run["backend"] == LIBRARY:
        if run["algorithm"] in KERNELS or run["measures"] or len(names) != 1:
            yield "a library's run has a name of its own, one kernel and no measures"
        return
    if run["algorithm"] not in KERNELS:
        yield f"its algorithm is {run['algorithm'][:40]!r}, not {', '.join(KERNELS)}"
    elif tuple(names) != (expected := KERNELS[run["algorithm"]]):
        yield f"its kernels are {', '.join(map(str, names))[:80] or 'none'}; {run['algorithm']} has {', '.join(expected)}"
    if run["measures"] and not run["ledger"]:
        yield "it names measures and has no ledger"


def check_times(name: str, samples: list | None) -> Iterator[str]:
    if not all(is_size(sample) and SHORTEST_MS <= sample <= LONGEST_MS for sample in samples or []):
        yield f"{name} are not all between {SHORTEST_MS:g} and {LONGEST_MS:g} ms"


def is_size(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
