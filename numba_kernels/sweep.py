"""sweep: many runs into one file, resumable."""
import importlib.metadata
import itertools
import subprocess
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from numba_kernels import saved
from numba_kernels.run import pick_backend, run
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling


def sweep(out: Path, algorithms: Iterable[str], problems: Iterable[AttentionProblem], tilings: Iterable[Tiling], target: Gpu,
          backend: str, counting: str, seed: int, repeat: int, warmup: int, say=print) -> None:
    """Runs every combination that `out` does not hold yet and appends it; creates `out` with its header first.

    A combination that is refused (too little memory, an illegal tiling) is said and left out; the sweep goes on.
    """
    backend = pick_backend(backend)
    done = _open(out, backend)
    combinations = list(itertools.product(problems, tilings, algorithms))
    for number, (problem, tiling, algorithm) in enumerate(combinations, 1):
        name = f"[{number}/{len(combinations)}] {algorithm}  N {problem.seq_len:,}  d {problem.head_dim}  {tiling}  {problem.mask}"
        wanted = dict(algorithm=algorithm, problem=problem.record(), tiling=tiling.record(), backend=backend)
        if saved.key(wanted) in done:
            say(f"{name}  already there")
            continue
        started = time.perf_counter()
        try:
            record = run(algorithm, problem, tiling, target, backend, counting, seed, repeat, warmup).record()
        except Refusal as refusal:
            say(f"{name}  refused: {refusal}")
            continue
        saved.append(out, record)
        times = sorted(saved.total_times_ms(record))
        median = f"{times[len(times) // 2]:.4g} ms" if times else "not timed"
        say(f"{name}  {median}  error {record['relative_error']:.1e}  took {time.perf_counter() - started:.1f} s")


def header(backend: str) -> dict:
    """What a file of runs says of where it was made: GPU, driver, versions and date, nothing else of the machine."""
    packages = {name: importlib.metadata.version(name) for name in ("numba", "numba-cuda", "numpy") if _installed(name)}
    common = dict(schema=saved.SCHEMA, packages=packages, commit=_commit(), date=datetime.now(UTC).date().isoformat(), l2="warm")
    if backend != "gpu":
        return common | dict(gpu=f"none ({backend} backend)")
    from numba_kernels import machine  # asks the CUDA driver

    return common | machine.describe()


def _open(out: Path, backend: str) -> set[str]:
    """The keys of the runs that `out` holds. A last line cut off in the middle is dropped."""
    if not out.exists() or not out.read_bytes():
        out.parent.mkdir(parents=True, exist_ok=True)
        saved.append(out, header(backend))
    whole = out.read_bytes()
    if not whole.endswith(b"\n"):
        out.write_bytes(whole[:whole.rfind(b"\n") + 1])
    return {saved.key(held) for held in saved.read(out).runs}


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
