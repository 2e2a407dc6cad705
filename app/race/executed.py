"""Executed: both lanes of a short race run on the cpu backend, so that the picture shows their values and the end ticks their counts."""
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app import hosting
from app.race.counted import Counted, in_hbm
from app.race.rungs import Rung
from app.race.worked import Worked, worked
from numba_kernels.executions import Execution, execute
from traffic_model import AttentionProblem, Gpu, Ledger, Tiling
from traffic_model.schedule import one_head
from traffic_model.schedule_grid import Grid

LONGEST = 128  # queries, and keys: a race of so few is executed
SEED = 0
SOURCE = f"executed on the cpu, seed {SEED}"
KEPT = 32  # races that are remembered
Blocks = list[list[str | None]]  # a range of values in words, by query tile and key tile


@dataclass(frozen=True, eq=False)
class Executed:
    """values: per lane {array or register: ranges of its blocks in words}; counted: requested bytes of one head; touched: per lane the
    bytes that its kernels touch for the first time."""

    values: tuple[dict[str, Blocks], ...]
    counted: Counted
    touched: tuple[Ledger, ...]


_one_at_a_time = threading.Lock()


def short(problem: AttentionProblem) -> bool:
    """Whether a race of this problem is executed."""
    return max(problem.seq_len, problem.kv_len) <= LONGEST


@lru_cache(maxsize=KEPT)
def _begun(head: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, ...]) -> Future:
    future = Future()
    threading.Thread(target=_settle, args=(future, head, tiling, gpu, rungs), name="tilescope-race", daemon=True).start()
    return future


def begun(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, ...]) -> Future:
    """One head of `problem`, each rung, in a thread of its own, since kernels new to this machine are compiled first, for seconds. The
    result is an Executed. Raises Refusal where the host wants no kernel to run, and, there, for a tiling the GPU cannot hold."""
    hosting.require_kernels()
    return _begun(one_head(problem), tiling, gpu, rungs)


def executed(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, ...]) -> Executed:
    """The same, waited for."""
    return begun(problem, tiling, gpu, rungs).result()


def in_words() -> dict:
    """How the picture calls it: beside values, and at the foot of a frame, longest first."""
    return dict(source=SOURCE, short=f"executed, seed {SEED}",
                kinds=[f"bytes predicted, values {SOURCE}", f"predicted; values executed, seed {SEED}", "values executed"])


def _settle(future: Future, *key) -> None:
    """A daemon's work, which no server waits for when it is stopped; an executor's it would."""
    try:
        with _one_at_a_time:
            future.set_result(_run(*key))
    except Exception as failure:
        future.set_exception(failure)


def _run(head: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, ...]) -> Executed:
    grid = Grid.of(head.seq_len, head.kv_len, tiling)
    runs = [execute(rung.algorithm, head, tiling, gpu, SEED) for rung in rungs]
    requested = tuple(in_hbm(run.requested) for run in runs)
    return Executed(tuple(_values(run, worked(rung.algorithm, run), grid) for rung, run in zip(rungs, runs)),
                    Counted(requested, tuple(run.relative_error for run in runs), SOURCE), tuple(run.touched for run in runs))


def _values(run: Execution, work: Worked | None, grid: Grid) -> dict[str, Blocks]:
    """Arrays in HBM under their letter in lower case, `out` for O; registers as the picture calls them."""
    rows, columns = grid.row_edges, grid.column_edges
    whole, tiles = [0, run.problem.head_dim], range(len(columns))
    ranges = {"q": (run.values("Q"), rows, whole), "k": (run.values("K"), columns, whole), "v": (run.values("V"), columns, whole),
              "out": (run.values("O"), rows, whole)}
    if work is None:
        s = run.values("S")
        so_far = np.stack([np.fmax.reduce(s[:, :end], axis=1) for end in columns[1:]], axis=1)
        ranges |= {"s": (s, rows, columns), "p": (run.values("P"), rows, columns), "m": (so_far, rows, tiles)}
    else:
        ranges |= {"m": (work.m, rows, tiles), "alpha": (work.alpha, rows, tiles), "l": (work.l, rows, tiles), "o": (work.o, rows, tiles)}
        ranges |= {} if work.s is None else {"s": (work.s, rows, columns), "p": (work.p, rows, columns)}
    return {name: _blocks(*how) for name, how in ranges.items()}


def _blocks(values: np.ndarray, rows, columns) -> Blocks:
    """Of each block between the edges its range in words, None for one without a value. Further dimensions are part of a block."""
    return [[_range(values[top:bottom, left:right]) for left, right in zip(columns, columns[1:])] for top, bottom in zip(rows, rows[1:])]


def _range(values: np.ndarray) -> str | None:
    """−2.31 to 3.20; hidden scores do not count, unless there is nothing else."""
    there = values[~np.isnan(values)]
    finite = there[np.isfinite(there)]
    if not there.size:
        return None
    low, high = (_number(edge) for edge in (finite.min(), finite.max())) if finite.size else ("−∞", "−∞")
    return low if low == high else f"{low} to {high}"


def _number(value: float) -> str:
    """Two places below ten, else three digits: 123, 12.3, −1.23, 0.00. What would be lost in them has one digit: 0.002, 3e−5."""
    size = abs(value)
    form = ".1g" if 0 < size < 0.005 else ".2f" if size < 9.995 else ".1f" if size < 99.95 else ".0f"
    return f"{value:{form}}".replace("e-0", "e-").replace("-", "−")
