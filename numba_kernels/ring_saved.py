"""Saved rings: `python -m numba_kernels ring --out` adds one to a file. What ran on two H200s, or on one of them, ships with Tilescope.

JSON Lines with the header of saved.py and then a ring per line: the objects that `ring --json` prints, that of the whole ring with those
of its GPUs and steps, GPU by GPU, in "steps".
"""
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from numba_kernels import hardware
from numba_kernels.ports import MEASURES, OFF
from numba_kernels.ring_results import RingRun, RingStepRun
from numba_kernels.saved import RECORDED, check_times, is_size
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.layout.ring import SKIPPED, RingPart, require_ring, ring_parts
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling

RINGS = RECORDED / "ring"
AS_THEY_ARE = dict(gpus=(int,), backend=(str,), counting=(str,), seed=(int,), peer_access=(bool, type(None)), checked_rows=(int,),
                   relative_error=(float,), max_abs_error=(float,))  # what no other part of a line makes, and its kinds


class SavedRings(NamedTuple):
    """A file of rings: its header and the rings in order, without their outputs."""

    header: dict
    runs: list[RingRun]


def recorded() -> list[SavedRings]:
    """The rings that ship with Tilescope, by file name."""
    return [read(path) for path in sorted(RINGS.glob("*.jsonl"))]


def read(path: Path) -> SavedRings:
    """Reads and checks a file of rings. Raises Refusal that names the line and the reason, a sum that its parts do not make for one."""
    header, lines = hardware.read(path, _check)
    return SavedRings(header, [_ring(line) for line in lines])


def _ring(line: dict) -> RingRun:
    problem, tiling = AttentionProblem(**line["problem"]), Tiling(**line["tiling"])
    steps = tuple(_step(part, step, line["counting"]) for part, step in zip(ring_parts(problem, line["gpus"]), line["steps"]))
    return RingRun(problem, tiling, FusedRingLayout.choose(problem, tiling), steps=steps, ring_times_ms=_samples(line["ring_times_ms"]),
                   output=None, **{name: line[name] for name in AS_THEY_ARE})


def _step(part: RingPart, step: dict, counting: str) -> RingStepRun:
    ledger = None if counting == OFF else Ledger.from_records(step["ledger"], MEASURES[counting])
    return RingStepRun(part, ledger, step["sent_bytes"], step["received_bytes"], *(_samples(step[name]) for name in _times(part)))


def _times(part: RingPart) -> dict[str, bool]:
    """What is timed, and whether there is something to time."""
    return dict(times_ms=part.kind != SKIPPED, copy_times_ms=part.hands_on)


def _samples(samples: list | None) -> tuple | None:
    return None if samples is None else tuple(samples)


def _check(line: dict) -> Iterator[str]:
    problem, gpus, steps = AttentionProblem(**line["problem"]), line["gpus"], line["steps"]
    yield from (f"{name} is {line[name]!r:.60}" for name, kinds in AS_THEY_ARE.items() if type(line[name]) not in kinds)
    require_ring(problem, gpus)
    if len(steps) != gpus**2:
        yield f"it has {len(steps)} steps, where each of {gpus} GPUs takes {gpus}"
    yield from (f"{name} is {line[name]!r}" for name in ("seed", "checked_rows", "relative_error", "max_abs_error")
                if not is_size(line[name]))
    yield from check_times("ring_times_ms", line["ring_times_ms"])
    for part, step in zip(ring_parts(problem, gpus), steps):
        yield from _check_step(part, step, len(line["ring_times_ms"] or []))
    made = _ring(line).line
    yield from _differing("the ring", line, {name: value for name, value in made.items() if name != "steps"})
    for each, step in zip(made["steps"], steps):
        yield from _differing(f"GPU {each['gpu']} in step {each['step']}", step, each)


def _check_step(part: RingPart, step: dict, samples: int) -> Iterator[str]:
    where = f"of GPU {part.gpu} in step {part.step}"
    yield from (f"{name} {where} is {step[name]!r}" for name in ("sent_bytes", "received_bytes")
                if type(step[name]) is not int or step[name] < 0)
    for name, is_there in _times(part).items():
        yield from check_times(f"{name} {where}", step[name])
        if len(step[name] or []) != samples * is_there:
            yield f"{name} {where} are {len(step[name] or [])}, not {samples * is_there}"


def _differing(whose: str, found: dict, made: dict) -> Iterator[str]:
    yield from (f"{name} of {whose} is {found[name]!r:.60}, where the rest makes it {value!r:.60}" for name, value in made.items()
                if found[name] != value)
