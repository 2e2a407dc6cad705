"""schedule: the order in which an algorithm moves its tiles through HBM, for one query head. It is what the race plays.

On a GPU the blocks run in parallel; here they follow one another, one at a time, because a picture can show only one.
The bytes do not depend on that order: summed over all events they equal `predict` for the same shape, cell by cell.
"""
from collections.abc import Iterator
from dataclasses import dataclass, replace

from traffic_model import schedule_fused, schedule_fused_kv_outer, schedule_naive, schedule_tiled
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout import LAYOUTS
from traffic_model.problem import AttentionProblem
from traffic_model.schedule_grid import Grid
from traffic_model.schedule_sweep import Event, Sweep
from traffic_model.tiling import Tiling

SWEEPS = {"naive": schedule_naive.sweeps, "tiled": schedule_tiled.sweeps, "fused": schedule_fused.sweeps,
          "fused_kv_outer": schedule_fused_kv_outer.sweeps}


@dataclass(frozen=True)
class Schedule:
    """Every move of one algorithm for one query head, in order, on the grid it is drawn on."""

    algorithm: str
    grid: Grid
    sweeps: tuple[Sweep, ...]

    def events(self) -> Iterator[Event]:
        for sweep in self.sweeps:
            yield from sweep.events()


def schedule(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> Schedule:
    """The moves of one head of `problem`. Raises Refusal for an algorithm without a schedule or a tiling the GPU cannot hold."""
    if algorithm not in SWEEPS:
        raise Refusal(f"algorithm {algorithm} has no schedule yet; choose {', '.join(SWEEPS)}.")
    head = one_head(problem)
    grid = Grid.of(head.seq_len, head.kv_len, tiling)
    layout = LAYOUTS[algorithm].resolve(head, tiling, gpu)
    return Schedule(algorithm, grid, tuple(SWEEPS[algorithm](head, layout, grid)))


def one_head(problem: AttentionProblem) -> AttentionProblem:
    """The same attention with one query head, one key/value head and no batch."""
    return replace(problem, heads=1, kv_heads=1, batch=1)
