"""What the Tiles chart is drawn from: one record per query tile × key tile of the fused kernel at the sidebar's problem and GPU.

block_q, block_k, shared_bytes, legal; where legal also requested_bytes, ratio (to what three ideal kernels must move), ms, binds, warps
(resident on a multiprocessor), hidden, occupancy, limits. Predicted throughout. Registers are not compiled here: they are taken to be as
many as the launch leaves the compiler, so occupancy is the least there will be.
"""
from itertools import product

from app.settings import Settings
from traffic_model import TILE_SIZES, Measure, Refusal, Space, Tiling, predict
from traffic_model.layout import LAYOUTS
from traffic_model.occupancy_of_tiles import occupancies
from traffic_model.times import HIDING_WARPS, predicted_times


def tiles(settings: Settings) -> list[dict]:
    """All tilings, row by row."""
    return [_tile(settings, Tiling(*sides)) for sides in product(TILE_SIZES, TILE_SIZES)]


def hiding_warps(settings: Settings) -> int:
    """Warps that must be resident on a multiprocessor for its latency to be hidden."""
    return HIDING_WARPS * settings.gpu.partitions


def _tile(settings: Settings, tiling: Tiling) -> dict:
    problem, gpu = settings.problem, settings.gpu
    record = tiling.record() | dict(kind="predicted", shared_bytes=LAYOUTS["fused"].choose(problem, tiling).shared_bytes)
    try:
        asked = predict("fused", problem, tiling, gpu).ledger.total(Measure.REQUESTED, space=Space.HBM)
    except Refusal:
        return record | dict(legal=False)
    [time], [held] = predicted_times("fused", problem, tiling, gpu), occupancies("fused", problem, tiling, gpu).values()
    return record | dict(legal=True, requested_bytes=asked, ratio=asked / problem.compulsory_three_kernel_bytes, ms=time.ms,
                         binds=time.binds, warps=held.warps, hidden=held.warps >= hiding_warps(settings), occupancy=held.share,
                         limits=" and ".join(held.limiting))
