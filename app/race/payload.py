"""payload: everything the race's script draws, as one JSON object. The script knows no formula of attention."""
from functools import lru_cache

from app.race.receipts import receipt
from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.schedule import Schedule, one_head, schedule
from traffic_model.schedule_grid import Grid
from traffic_model.units import binary_bytes, decimal_bytes

LANES = ("naive", "fused")
MOST_STAIRS = 512  # steps of a mask's edge: more than the picture has pixels

SAYS = {"naive": "three kernels: S and P go to HBM and come back", "fused": "one kernel: S and P are never stored"}
KERNELS = {  # labels of the byte bars, longest first
    "naive": [["1  QKᵀ: write S", "1  write S", "1"], ["2  softmax: read S, write P", "2  softmax", "2"],
              ["3  PV: read P, write O", "3  read P", "3"]],
    "fused": [["read Q, K, V, write O"]],
}


@lru_cache(maxsize=32)
def payload(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, tick: str | None = None) -> dict:
    """One head of `problem`, naive against fused. `tick`: what a run found ("counted on cpu: equal"); without one all is predicted.

    Raises Refusal for a tiling the GPU cannot hold. The answer is cached: treat it as read-only.
    """
    plans = {name: schedule(name, problem, tiling, gpu) for name in LANES}
    grid = plans["fused"].grid
    return dict(
        id=f"{problem} {tiling} {gpu.name} {tick}", file=file_name(problem), conditions=_conditions(problem, tiling),
        headDim=problem.head_dim, rows=grid.row_edges, columns=grid.column_edges, visible=_visible(problem), drawn=_drawn(grid), tick=tick,
        identity="1 + N/d" if _square(problem) else None, gpu=_gpu(gpu), block=_block(problem, tiling, gpu),
        lanes=[_lane(plan, problem) for plan in plans.values()])


def file_name(problem: AttentionProblem) -> str:
    """What an exported race is called, without its suffix: tilescope_race_N4096_d64_float32."""
    keys = f"_M{problem.kv_len}" * (problem.kv_len != problem.seq_len)
    return f"tilescope_race_N{problem.seq_len}{keys}_d{problem.head_dim}_{problem.dtype}" + "_causal" * (problem.mask == "causal")


def _lane(plan: Schedule, problem: AttentionProblem) -> dict:
    """A sweep is [kernel, row, stage, blocks, [[array, direction, compulsory runs, requested runs] …]]."""
    name = plan.algorithm
    sweeps = [[sweep.kernel, sweep.row, sweep.stage, sweep.blocks, [[m.array, m.direction, m.compulsory, m.requested] for m in sweep.moves]]
              for sweep in plan.sweeps]
    return dict(name=name, says=SAYS[name], kernels=KERNELS[name], receipt=receipt(name, one_head(problem)), sweeps=sweeps)


def _square(problem: AttentionProblem) -> bool:
    """Then three kernels move 4U + 4W and one 4U with U = N·d, W = N², and their ratio is exactly 1 + N/d."""
    return problem.mask == "full" and problem.seq_len == problem.kv_len


def _conditions(problem: AttentionProblem, tiling: Tiling) -> list[str]:
    heads = "one head" if problem.query_heads == 1 else f"one of {problem.query_heads} heads"
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


def _block(problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> dict:
    """What one block of the fused kernel keeps where, from its layout."""
    layout = predict("fused", problem, tiling, gpu).layout
    used, unit = binary_bytes(layout.shared_bytes).split(" ")
    limit, limit_unit = binary_bytes(gpu.shared_limit_bytes).split(" ")
    return dict(shared=f"{used} of {limit} {unit}" if unit == limit_unit else f"{used} {unit} of {limit} {limit_unit}",
                threads=layout.threads)
