"""ring: attention of one sequence over several GPUs, really executed; counts of every launch and copy, errors against float64, times.

In each step a GPU runs the fused kernel on the K/V block that it has (numba_kernels/fused_ring.py) and meanwhile hands the block on, so
that the next GPU has it for the next step (ring_members.py). A causal mask leaves out launches, never copies.
"""
import math

import numpy as np

from numba_kernels import reference, ring_host, simulator
from numba_kernels.ports import COUNTING_MODES, MEASURES, OFF
from numba_kernels.results import ledger_of
from numba_kernels.ring_members import bytes_of_each, members, once_round
from numba_kernels.ring_results import RingRun, RingStepRun
from numba_kernels.run import ONE_AT_A_TIME, OutOfMemory, inputs_and_expected, pick_backend, require_how
from numba_kernels.storage import decode
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout.fused_ring import FusedRingLayout
from traffic_model.layout.ring import RingPart, require_ring, ring_parts
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.units import decimal_bytes


def ring(problem: AttentionProblem, tiling: Tiling, target: Gpu, gpus: int, backend: str = "auto", counting: str = "requests",
         seed: int = 0, repeat: int = 0, warmup: int = 1) -> RingRun:
    """Runs ring attention over the first `gpus` GPUs of this machine; on cpu and simulator over so many members in this process.

    target, counting, seed: as for `run`. repeat: how often it goes round once more to be timed, with counting off, gpu only; `warmup`
    times, at least once, untimed before. Raises Refusal for what cannot run: more GPUs than there are or than rows, a causal mask over
    N ≠ M, an illegal tiling, too little memory.
    """
    layout, backend = resolve(problem, tiling, target, gpus, backend, counting, seed, repeat, warmup)
    place = _place(backend)
    with ONE_AT_A_TIME:
        seats = place.seats(gpus, backend)
        _require_memory(problem, gpus, place.free_bytes_of_each(seats))
        peer_access = place.peer_access(seats)
        inputs, rows, expected = inputs_and_expected(problem, seed)
        all_of_them = members(seats, problem, inputs, layout)
        counted = once_round(all_of_them, counting)
        for _ in range(max(1, warmup) if repeat else 0):
            once_round(all_of_them, OFF)
        timed = [once_round(all_of_them, OFF) for _ in range(repeat)]
        steps = tuple(_step(part, gpus, counting, counted, timed) for part in ring_parts(problem, gpus))
        outputs = [decode(member.seat.get(member.written["O"]), problem.dtype) for member in all_of_them]
    output = np.concatenate([each.reshape(problem.batch, problem.heads, -1, problem.head_dim) for each in outputs], axis=2)
    errors = reference.errors(output[:, :, rows], expected)
    if not math.isfinite(errors[0]):
        raise Refusal(f"the ring gave values that are not finite: at scale {problem.scale:g} its output does not fit {problem.dtype}; "
                      f"take float32 or a smaller scale.")
    ring_times_ms = tuple(ms for _, _, ms in timed) if timed else None
    return RingRun(problem, tiling, layout, gpus, backend, counting, seed, steps, peer_access, ring_times_ms, len(rows), *errors, output)


def resolve(problem: AttentionProblem, tiling: Tiling, target: Gpu, gpus: int, backend: str = "auto", counting: str = "requests",
            seed: int = 0, repeat: int = 0, warmup: int = 1) -> tuple[FusedRingLayout, str]:
    """(layout, backend) that `ring` would use. Raises Refusal as it does, but for too few GPUs and too little memory."""
    require_ring(problem, gpus)
    if counting not in COUNTING_MODES:
        raise Refusal(f"counting {counting} is not known; choose {' or '.join(COUNTING_MODES)}.")
    backend = pick_backend(backend)
    if backend == "simulator":
        simulator.require_small(problem)
    require_how(backend, counting, repeat, seed, warmup)
    shapes = dict.fromkeys(part.problem for part in ring_parts(problem, gpus) if part.problem)
    return [FusedRingLayout.resolve(shape, tiling, target) for shape in shapes][0], backend


def _place(backend: str):
    """The module whose seats the members take."""
    if backend != "gpu":
        return ring_host
    from numba_kernels import ring_gpu  # needs the CUDA driver's bindings, which import slowly

    return ring_gpu


def _step(part: RingPart, gpus: int, counting: str, counted: tuple, timed: list[tuple]) -> RingStepRun:
    here, before = (part.gpu, part.step), ((part.gpu - 1) % gpus, part.step)
    launched, copied, _ = counted
    launch, moved = launched.get(here), lambda place: copied[place].bytes if place in copied else 0
    nothing = None if counting == OFF else Ledger({}, MEASURES[counting])
    ledger = ledger_of(launch.spec.cells, counting, launch.counts) if launch else nothing
    samples = lambda queued: tuple(each[here].ms for each in queued) if queued and here in queued[0] else None
    return RingStepRun(part, ledger, moved(here), moved(before), samples([one[0] for one in timed]), samples([one[1] for one in timed]))


def _require_memory(problem: AttentionProblem, gpus: int, free: int | None) -> None:
    needed = bytes_of_each(problem, gpus)
    if free is not None and needed > 0.9 * free:
        raise OutOfMemory(f"a ring of {gpus} at N = {problem.seq_len:,} needs {decimal_bytes(needed)} for each member and "
                          f"{decimal_bytes(free)} are free; take more GPUs, a smaller N or fewer heads.", needed)
