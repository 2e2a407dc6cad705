"""Occupancy of the ladder's kernels by tiling, and the smaller tile that would raise it.

Registers are known once a kernel is compiled; before that the launch itself bounds them, because the compiler is told how many blocks
must fit. With the bound the occupancy is the least that there will be.
"""
from itertools import product

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.occupancy import Occupancy, launch_occupancy
from traffic_model.predict import predict
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import TILE_SIZES, Tiling


def occupancies(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu, registers: int | None = None) -> dict[str, Occupancy]:
    """{kernel: its occupancy} of an algorithm. Raises Refusal as `predict` does."""
    launches = [kernel.launch for kernel in predict(algorithm, problem, tiling, gpu).kernels]
    return {launch.name: launch_occupancy(launch, gpu, registers) for launch in launches}


def smaller_tile(algorithm: str, kernel: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu,
                 registers: int | None = None) -> tuple[Tiling, Occupancy] | None:
    """The largest tiling, no larger either way, at which this kernel's occupancy is higher, and that occupancy; None if there is none.

    `registers`, if given, is taken to be the same for every tiling; else each has its own bound.
    """
    now = occupancies(algorithm, problem, tiling, gpu, registers)[kernel].share
    smaller = [Tiling(q, k) for q, k in product(TILE_SIZES, TILE_SIZES)
               if q <= tiling.block_q and k <= tiling.block_k and (q, k) != (tiling.block_q, tiling.block_k)]
    for each in sorted(smaller, key=lambda t: (t.block_q * t.block_k, t.block_q), reverse=True):
        try:
            then = occupancies(algorithm, problem, each, gpu, registers)[kernel]
        except Refusal:  # this GPU or this algorithm does not take the tile
            continue
        if then.share > now:
            return each, then
    return None
