"""sweep: many runs into one file, resumable."""
import functools
import importlib.metadata
import itertools
import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from numba_kernels import saved
from numba_kernels.ports import REQUESTS
from numba_kernels.run import OutOfMemory, pick_backend, run
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.units import decimal_bytes, milliseconds

PACKAGES = ("numba", "numba-cuda", "numpy")  # whose versions a file of runs names


class Here:
    """The place where a sweep runs by default: this process. `scheduled.Workers` offers the same."""

    def header(self, backend: str, l2: str) -> dict:
        """Of the file."""
        return header(backend, l2)

    def measured(self, todo: list[dict], one: Callable[[dict], tuple[dict | None, str]]) -> Iterator[tuple[dict, dict | None, str]]:
        """(combination, its line for the file if there is one, in a few words how it went), each as it ends."""
        for each in todo:
            yield each, *one(each)


def sweep(out: Path, algorithms: Iterable[str], problems: Iterable[AttentionProblem], tilings: Iterable[Tiling], target: Gpu,
          backend: str, say: Callable[[str], None] = print, l2: str = "warm", place=None, **how) -> None:
    """Runs every combination that `out` does not hold yet and appends it; creates `out` with its header first.

    place: where; this process unless told. how: counting, seed, repeat, warmup, as for `run`. A combination that does not fit into
    memory is recorded with the bytes it needs; one that is refused for another reason (an illegal tiling) is said and left out. The
    sweep goes on. Raises Refusal for a file that holds runs made another way (another GPU, another state of L2).
    """
    place, backend = (Here(), pick_backend(backend)) if place is None else (place, backend)
    done = open_runs(out, place.header(backend, l2))
    todo = [dict(algorithm=algorithm, problem=problem, tiling=tiling)
            for problem, tiling, algorithm in itertools.product(problems, tilings, algorithms)]
    counted = dict(counting=how.get("counting", REQUESTS), seed=how.get("seed", 0))
    missing = [each for each in todo if not {saved.key(_named(each, backend) | counted), saved.key(_named(each, backend))} & done]
    if len(missing) < len(todo):
        say(f"{len(todo) - len(missing)} of {len(todo)} are there already")
    clock = _Remaining(missing)
    one = functools.partial(measure, target=target, backend=backend, l2=l2, how=how)
    for number, (each, record, line) in enumerate(place.measured(missing, one), 1):
        if record is not None:
            saved.append(out, record)
        say(f"[{number}/{len(missing)}, {clock.after(each)} left] {_title(each)}  {line}")


def measure(each: dict, target: Gpu, backend: str, l2: str, how: dict) -> tuple[dict | None, str]:
    """Runs one combination: its line for the file, None if it was refused, and in a few words how it went."""
    try:
        record = run(**each, target=target, backend=backend, l2=l2, **how).record()
    except OutOfMemory as refusal:
        return (_named(each, backend) | dict(out_of_memory=True, needed_bytes=refusal.needed_bytes),
                f"out of memory: needs {decimal_bytes(refusal.needed_bytes)}")
    except Refusal as refusal:
        return None, f"refused: {refusal}"
    times, cost = saved.total_times_ms(record), saved.counting_cost(record)
    timed = milliseconds(statistics.median(times)) if times else "not timed"
    counting = f"  counting costs {100 * cost:+.0f} %" if cost is not None else ""
    return record, f"{timed}{counting}  error {record['relative_error']:.1e}"


class _Remaining:
    """Remaining time, taken as proportional to the visible pairs × head dimension that are left, plus a constant each."""

    OVERHEAD = 2.0e10  # of a combination (compiling, reference), in the same unit

    def __init__(self, todo: list[dict]):
        self.left, self.spent, self.started = sum(map(self._work, todo)), 0.0, time.perf_counter()

    def _work(self, each: dict) -> float:
        return each["problem"].flops + self.OVERHEAD

    def after(self, each: dict) -> str:
        """"1 min 20 s" once this one is done."""
        self.left -= self._work(each)
        self.spent += self._work(each)
        seconds = round((time.perf_counter() - self.started) * max(0.0, self.left) / self.spent)
        return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def _named(each: dict, backend: str) -> dict:
    return dict(algorithm=each["algorithm"], problem=each["problem"].record(), tiling=each["tiling"].record(), backend=backend)


def _title(each: dict) -> str:
    p = each["problem"]
    return f"{each['algorithm']}  N {p.seq_len:,}  d {p.head_dim}  {p.heads} heads  {p.dtype}  {p.mask}  {each['tiling']}"


def header(backend: str, l2: str, more_packages: tuple[str, ...] = ()) -> dict:
    """What a file of runs says of where it was made: GPU, driver, versions and date, nothing else of the machine."""
    packages = {name: importlib.metadata.version(name) for name in (*PACKAGES, *more_packages) if _installed(name)}
    common = dict(schema=saved.SCHEMA, packages=packages, commit=_commit(), date=datetime.now(UTC).date().isoformat(), l2=l2)
    if backend != "gpu":
        return common | dict(gpu=without_gpu(backend))
    from numba_kernels import machine  # asks the CUDA driver

    return common | machine.describe()


def without_gpu(backend: str) -> str:
    """What stands where a GPU's name would."""
    return f"none ({backend} backend)"


def open_runs(out: Path, about: dict) -> set[str]:
    """The keys of the runs that `out` holds; as `opened`."""
    held = opened(out, about, saved.read)
    return {saved.key(run) for run in held.runs + held.out_of_memory}


def opened(out: Path, about: dict, read: Callable):
    """What `read` makes of `out`. about: the header it gets, or must agree with.

    A last line cut off in the middle is dropped, one that only lacks its end gets it; a file that does not begin with such a header stays
    as it is.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        whole = out.read_bytes() if out.exists() else b""
        first = whole.partition(b"\n")[0]
        if not whole:
            saved.append(out, about)
        elif not whole.endswith(b"\n") and saved.is_header(first):
            before, last = whole[:whole.rfind(b"\n") + 1], whole[whole.rfind(b"\n") + 1:]
            out.write_bytes(before + last + b"\n" if _is_json(last) else before)
    except OSError as error:
        raise Refusal(f"{out} cannot be used: {error.strerror}; name a file that can be written.") from None
    held = read(out)
    for name in ("gpu", "l2"):
        if held.header.get(name) != about[name]:
            raise Refusal(f"{out.name} holds runs with {name} {held.header.get(name)!r}, not {about[name]!r}; take another file.")
    return held


def _is_json(line: bytes) -> bool:
    try:
        return bool(json.loads(line))
    except (ValueError, RecursionError):
        return False


def _installed(name: str) -> bool:
    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False


def _commit() -> str | None:
    """The git commit of this checkout; None outside one."""
    try:
        return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
