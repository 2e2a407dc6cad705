"""payload: everything the race's script draws, as one JSON object. The script knows no formula of attention."""
from functools import lru_cache

from app.race import dram, hand, touched
from app.race.bars import heads_in_words
from app.race.claims import identity, reversal
from app.race.code import lines
from app.race.counted import Counted, disagreements, error, tick
from app.race.executed import Executed, in_words
from app.race.receipts import receipts, schedule_cells
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
            times: Times | None = None, counts: Counted | None = None, run: Executed | None = None) -> dict:
    """One head of `problem`, two rungs on one clock. `times`: what the clock of measured time runs on. `counts`: what runs of both rungs
    counted, for the end to tick. `run`: this very race executed, with its values and its own counts; without either all is predicted.

    Raises Refusal for a tiling the GPU cannot hold. The answer is cached: treat it as read-only.
    """
    head, modelled = one_head(problem), clock == Clock.DRAM
    plans = [schedule(rung.algorithm, problem, tiling, gpu) for rung in rungs]
    lanes = [_lane(rung, plan, clock, _block(plan.algorithm, head, tiling, gpu)) for rung, plan in zip(rungs, plans)]
    if modelled:
        lanes = [lane | _modelled(dram.shares(rung, problem, tiling, gpu), problem) for rung, lane in zip(rungs, lanes)]
    counts, heads = (run.counted, 1) if run else (counts, problem.query_heads)
    differing = disagreements(counts, plans, heads) if counts else []
    if counts:
        lanes = [lane | dict(error=error(counts, number)) for number, lane in enumerate(lanes)]
    ticked = tick(counts, differing) if counts else None
    if run:
        lanes = [lane | dict(values=values) for lane, values in zip(lanes, run.values)]
    if run and not differing:
        differing = touched.untouched(run, plans)
        ticked = touched.tick(differing)
    return _common(problem, plans[0].grid, gpu, rungs, clock) | dict(
        id=f"{problem} {tiling} {gpu.name} {rungs} {clock} {times} {counts} {differing} {bool(run)}", lanes=lanes,
        differs=bool(differing) and not modelled, conditions=_conditions(problem, str(tiling), clock), tick=None if modelled else ticked,
        reversal=None if modelled else reversal(rungs, head, tiling, gpu), modelled=heads_in_words(problem) if modelled else None,
        timed=_timed(times, rungs, problem) if times else None, executed=in_words() if run else None)


@lru_cache(maxsize=32)
def by_hand(gpu: Gpu, rungs: tuple[Rung, Rung] = LANES, clock: Clock = Clock.COMPULSORY) -> dict:
    """The race at N = 8, d = 4 with its numbers. No kernel takes this size, so there is neither a layout nor a time."""
    plans, block = [hand.plan(rung.algorithm) for rung in rungs], dict(shared="by hand", threads="by hand")
    lanes = [_lane(rung, plan, clock, block) for rung, plan in zip(rungs, plans)]
    conditions = [*_conditions(hand.PROBLEM, f"{hand.TILE}×{hand.TILE}"), "point at a block for its numbers"]
    return _common(hand.PROBLEM, plans[0].grid, gpu, rungs, clock) | dict(
        id=f"by hand {gpu.name} {rungs} {clock}", conditions=conditions, lanes=lanes, tick=None, reversal=None, timed=None,
        numbers={array: hand.written(array) for array in hand.numbers()}, work=hand.work())


def _common(problem: AttentionProblem, grid: Grid, gpu: Gpu, rungs: tuple[Rung, Rung], clock: Clock) -> dict:
    return dict(file=file_name(problem, rungs, clock), clockName=clock, headDim=problem.head_dim, rows=grid.row_edges,
                columns=grid.column_edges, visible=_visible(problem), drawn=_drawn(grid), identity=identity(rungs, problem), gpu=_gpu(gpu))


def file_name(problem: AttentionProblem, rungs: tuple[Rung, ...] = LANES, clock: Clock = Clock.COMPULSORY) -> str:
    """What an exported race is called, without its suffix: tilescope_race_N4096_d64_float32, and what differs from how the page opens."""
    keys = f"_M{problem.kv_len}" * (problem.kv_len != problem.seq_len)
    words = ["causal"] * (problem.mask == "causal") + [rung.algorithm for rung in rungs if rungs != LANES]
    words += [clock.split()[0]] * (clock != Clock.COMPULSORY)
    return "_".join([f"tilescope_race_N{problem.seq_len}{keys}_d{problem.head_dim}_{problem.dtype}", *words])


def _lane(rung: Rung, plan: Schedule, clock: Clock, block: dict) -> dict:
    """A sweep is [kernel, row, stage, blocks, [[array, direction, compulsory runs, requested runs] …], column or null]."""
    sweeps = [[sweep.kernel, sweep.row, sweep.stage, sweep.blocks, [[m.array, m.direction, m.compulsory, m.requested] for m in sweep.moves],
               sweep.column] for sweep in plan.sweeps]
    return dict(name=plan.algorithm, said=rung, says=SAYS[rung], kernels=KERNELS[rung], block=block, code=lines(rung),
                receipt=receipts(schedule_cells(plan, clock.measure)) if clock.measure else None, sweeps=sweeps)


def _modelled(shares: list[dict], problem: AttentionProblem) -> dict:
    """dram: {"1 k read": [bytes of first touches, bytes moved again]} of each kernel, over all heads; the script spreads them."""
    of_kernels = {f"{number} {array} {way}": share for number, kernel in enumerate(shares, 1) for (array, way), share in kernel.items()}
    said = f"DRAM bytes, modelled, {heads_in_words(problem)}"
    return dict(dram=of_kernels, receipt=[f"{words}: {said}" for words in receipts(dram.cells(shares))])


def _timed(times: Times, rungs: tuple[Rung, ...], problem: AttentionProblem) -> dict:
    """Milliseconds per lane and kernel. From naive to fused two things change at once, so their ratio is called by neither name."""
    heads = "one head" if problem.query_heads == 1 else f"all {problem.query_heads} heads"
    return dict(milliseconds=times.milliseconds, source=times.source, heads=heads, both=Rung.NAIVE in rungs and any(r.fused for r in rungs))


def _conditions(problem: AttentionProblem, tiles: str, clock: Clock = Clock.COMPULSORY) -> list[str]:
    count = problem.query_heads
    heads = "one head" if count == 1 else f"{count} heads, one drawn" if clock.of_all_heads else f"one of {count} heads"
    if problem.kv_heads != problem.heads:
        heads += f", {problem.heads // problem.kv_heads} share K and V"
    keys = [f"M = {problem.kv_len:,}"] * (problem.kv_len != problem.seq_len)
    return [f"N = {problem.seq_len:,}", *keys, f"d = {problem.head_dim}", problem.dtype, heads, f"{tiles} tiles", problem.mask]


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
                threads=f"{layout.threads} threads" if hasattr(layout, "threads") else None)
