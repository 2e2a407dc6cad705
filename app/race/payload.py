"""payload: everything the race's script draws, as one JSON object. The script knows no formula of attention."""
from functools import lru_cache

from app.race.claims import identity, reversal
from app.race.code import lines
from app.race.receipts import receipt, short_receipts
from app.race.rungs import KERNELS, SAYS, Clock, Rung
from app.race.times import Times
from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.schedule import Schedule, one_head, schedule
from traffic_model.schedule_grid import Grid
from traffic_model.units import binary_bytes, decimal_bytes

LANES = (Rung.NAIVE, Rung.FUSED)
MOST_STAIRS = 512  # steps of a mask's edge: more than the picture has pixels


@lru_cache(maxsize=32)
def payload(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, Rung] = LANES, clock: Clock = Clock.COMPULSORY,
            tick: str | None = None, times: Times | None = None) -> dict:
    """One head of `problem`, two rungs on one clock. `tick`: what a run found ("counted on cpu: equal"); without one all is predicted.
    `times`: what the clock of measured time runs on.

    Raises Refusal for a tiling the GPU cannot hold. The answer is cached: treat it as read-only.
    """
    plans = [schedule(rung.algorithm, problem, tiling, gpu) for rung in rungs]
    grid, head = plans[0].grid, one_head(problem)
    return dict(
        id=f"{problem} {tiling} {gpu.name} {rungs} {clock} {tick} {times}", file=file_name(problem, rungs, clock), clockName=clock,
        conditions=_conditions(problem, tiling), headDim=problem.head_dim, rows=grid.row_edges, columns=grid.column_edges,
        visible=_visible(problem), drawn=_drawn(grid), tick=tick, identity=identity(rungs, problem),
        timed=_timed(times, rungs, problem) if times else None,
        reversal=reversal(rungs, head, tiling, gpu), gpu=_gpu(gpu),
        lanes=[_lane(rung, plan, head, tiling, gpu, clock) for rung, plan in zip(rungs, plans)])


def file_name(problem: AttentionProblem, rungs: tuple[Rung, ...] = LANES, clock: Clock = Clock.COMPULSORY) -> str:
    """What an exported race is called, without its suffix: tilescope_race_N4096_d64_float32, and what differs from how the page opens."""
    keys = f"_M{problem.kv_len}" * (problem.kv_len != problem.seq_len)
    words = ["causal"] * (problem.mask == "causal") + [rung.algorithm for rung in rungs if rungs != LANES]
    words += [clock.split()[0]] * (clock != Clock.COMPULSORY)
    return "_".join([f"tilescope_race_N{problem.seq_len}{keys}_d{problem.head_dim}_{problem.dtype}", *words])


def _lane(rung: Rung, plan: Schedule, head: AttentionProblem, tiling: Tiling, gpu: Gpu, clock: Clock) -> dict:
    """A sweep is [kernel, row, stage, blocks, [[array, direction, compulsory runs, requested runs] …], column or null]."""
    sweeps = [[sweep.kernel, sweep.row, sweep.stage, sweep.blocks, [[m.array, m.direction, m.compulsory, m.requested] for m in sweep.moves],
               sweep.column] for sweep in plan.sweeps]
    asked = plan.algorithm, head, tiling, gpu, clock.measure
    return dict(name=plan.algorithm, said=rung, says=SAYS[rung], kernels=KERNELS[rung], block=_block(plan.algorithm, head, tiling, gpu),
                code=lines(rung),
                receipt=[receipt(*asked), *short_receipts(*asked)] if clock.measure else None, sweeps=sweeps)


def _timed(times: Times, rungs: tuple[Rung, ...], problem: AttentionProblem) -> dict:
    """Milliseconds per lane and kernel. From naive to fused two things change at once, so their ratio is called by neither name."""
    heads = "one head" if problem.query_heads == 1 else f"all {problem.query_heads} heads"
    return dict(milliseconds=times.milliseconds, source=times.source, heads=heads, both=Rung.NAIVE in rungs and any(r.fused for r in rungs))


def _conditions(problem: AttentionProblem, tiling: Tiling) -> list[str]:
    heads = "one head" if problem.query_heads == 1 else f"one of {problem.query_heads} heads"
    if problem.kv_heads != problem.heads:
        heads += f", {problem.heads // problem.kv_heads} share K and V"
    keys = [f"M = {problem.kv_len:,}"] * (problem.kv_len != problem.seq_len)
    return [f"N = {problem.seq_len:,}", *keys, f"d = {problem.head_dim}", problem.dtype, heads, f"{tiling} tiles", problem.mask]


def _drawn(grid: Grid) -> str:
    down, across = grid.tiles_per_block
    return "Blocks drawn one by one." if down == across == 1 else f"Drawn {down}×{across} tiles at a time."


def _visible(problem: AttentionProblem) -> list | None:
    """The mask's edge as (query, keys it sees), None when every query sees every key."""
    if problem.mask == "full":
        return None
    stairs = min(problem.seq_len, MOST_STAIRS)
    return [[row, problem.keys_seen(row)] for row in (step * problem.seq_len // stairs for step in range(stairs))]


def _gpu(gpu: Gpu) -> dict:
    return dict(name=gpu.name, multiprocessors=gpu.multiprocessors, bandwidth=f"{decimal_bytes(gpu.dram_gb_per_s * 1e9)}/s")


def _block(algorithm: str, head: AttentionProblem, tiling: Tiling, gpu: Gpu) -> dict:
    """What one block of the kernel that needs most of it has of shared memory, and its threads, from the layout."""
    layout = predict(algorithm, head, tiling, gpu).layout
    used, unit = binary_bytes(layout.shared_bytes).split(" ")
    limit, limit_unit = binary_bytes(gpu.shared_limit_bytes).split(" ")
    return dict(shared=f"{used} of {limit} {unit}" if unit == limit_unit else f"{used} {unit} of {limit} {limit_unit}",
                threads=getattr(layout, "threads", None))
