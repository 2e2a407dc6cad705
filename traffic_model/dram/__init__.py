"""What crosses L2 and DRAM: modelled, and the only bytes of this room that are not exact. One file per algorithm.

Each kernel is taken to start with L2 emptied, as Nsight Compute measures it. A block's own data cross once. What blocks share, or come back
to, is read again whenever L2 has lost it: cache.py says how likely that is, waves.py in which order blocks come by. Its constants
come from a recorded sweep, constants.py.
"""
from functools import lru_cache
from typing import NamedTuple

from traffic_model.dram import fused, fused_kv_outer, naive, tiled
from traffic_model.dram.cache import Cache
from traffic_model.dram.constants import CONSTANTS, Constants
from traffic_model.dram.moves import Moves
from traffic_model.dram.places import places
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout import Layout
from traffic_model.problem import AttentionProblem

MOVES = {"naive": naive.moves, "tiled": tiled.moves, "fused": fused.moves, "fused_kv_outer": fused_kv_outer.moves}

MODEL = ("Fitted to an H200. Of 1,459 launches drawn at random that no constant has seen, the median error of DRAM reads is about 1 %, "
         "87 % are within 10 %; causal ones far beyond L2 may be off many times. Other GPUs: the same constants, not verified.")


class DramBytes(NamedTuple):
    """Bytes of one launch. again_bytes: those of read_bytes that L2 had held before; between_bytes: what it would have had to hold for
    none to be read again."""

    name: str
    read_bytes: int
    write_bytes: int
    again_bytes: int
    between_bytes: int


@lru_cache(4096)
def dram_bytes(algorithm: str, problem: AttentionProblem, layout: Layout, gpu: Gpu,
               constants: Constants = CONSTANTS, registers: int | None = None) -> tuple[DramBytes, ...]:
    """Of each launch, in order. registers: per thread, of one compiled kernel that is asked about, else those of today's kernels. Raises
    Refusal for an algorithm whose launches were not recorded, and so are not modelled."""
    if algorithm not in MOVES:
        raise Refusal(f"DRAM bytes are modelled for {', '.join(MOVES)}, not for {algorithm}; take compulsory and requested bytes.")
    launches, cache = layout.launches(problem), Cache.of(gpu, constants)
    held = {launch.name: places(algorithm, launch, gpu, problem.dtype, registers) for launch in launches}
    moved = MOVES[algorithm](problem, layout, held, cache)
    return tuple(_bytes(launch.name, moves, cache) for launch, moves in zip(launches, moved))


def _bytes(name: str, moves: Moves, cache: Cache) -> DramBytes:
    read = moves.once + moves.again + cache.constants.launch_bytes
    return DramBytes(name, round(read), round(moves.written - cache.stays(moves.written, read)), round(moves.again),
                     round(moves.between))
