"""The awkward shapes that every backend must count and compute right: every value and every pair of values at least once."""
import itertools
import random
from functools import lru_cache

from traffic_model import AttentionProblem, Tiling

CUDA_CORES = ("naive", "tiled", "fused", "fused_kv_outer")  # rungs that run anywhere and take every shape
COMPILED = dict(  # a new value compiles a new kernel, which takes seconds
    mask=["full", "causal"],
    head_dim=[16, 63, 64, 128, 256],
    tiling=[(16, 64), (64, 64), (128, 16)],
    dtype=["float32", "float16", "bfloat16"],
)
AT_RUN_TIME = dict(
    seq_len=[1, 17, 63, 64, 65, 192, 1000],
    kv_len=["N", "N + 30", "2N / 3"],  # as many keys as queries, more, fewer
    heads=[(1, 1), (3, 3), (3, 1)],  # query heads, key/value heads
    batch=[1, 2],
)
AXES = COMPILED | AT_RUN_TIME
KEYS = {"N": lambda n: n, "N + 30": lambda n: n + 30, "2N / 3": lambda n: max(1, 2 * n // 3)}
TOLERANCES = dict(float32=1e-5, float16=2e-3, bfloat16=1e-2)  # of ‖out − ref‖ / ‖ref‖ against float64 of the stored inputs
SIMULATOR_LENGTH, SIMULATOR_WORK = 65, 400_000  # keys, and multiplications, padding included: a few seconds


def pairs(row: tuple) -> set:
    """Every pair of (axis, value) in a combination, whose values come in the order of AXES."""
    return set(itertools.combinations(zip(AXES, row), 2))


@lru_cache
def covering_rows() -> tuple[tuple, ...]:
    """A short list of combinations that holds every pair, of as few kernels as that takes. Always the same list."""
    kernels = _cover(list(itertools.product(*COMPILED.values())))
    return _cover([kernel + sizes for kernel in kernels for sizes in itertools.product(*AT_RUN_TIME.values())])


def _cover(rows: list[tuple]) -> tuple[tuple, ...]:
    """Of the rows that hold a missing pair, the one that adds most, until none is missing."""
    draw = random.Random(34)  # of a hundred and sixty draws the one whose small rows cost the simulator least
    missing, chosen = set().union(*map(pairs, rows)), []
    while missing:
        first, second = min(missing, key=str)
        holding = [row for row in rows if {first, second} <= set(zip(AXES, row))]
        chosen.append(max(draw.sample(holding, min(100, len(holding))), key=lambda row: len(missing & pairs(row))))
        missing -= pairs(chosen[-1])
    return tuple(chosen)


def case(row: tuple) -> tuple[AttentionProblem, Tiling]:
    """The problem and tiling of a combination."""
    mask, head_dim, tiling, dtype, seq_len, keys, (heads, kv_heads), batch = row
    return AttentionProblem(seq_len, kv_len=KEYS[keys](seq_len), mask=mask, head_dim=head_dim, heads=heads, kv_heads=kv_heads,
                            batch=batch, dtype=dtype), Tiling(*tiling)


def is_small(problem: AttentionProblem, tiling: Tiling) -> bool:
    """Whether Numba's simulator can run it in seconds: it runs a Python thread for every thread, padding included."""
    up = lambda length, tile: -(-length // tile) * tile
    work = up(problem.seq_len, tiling.block_q) * up(problem.kv_len, tiling.block_k) * problem.head_dim * problem.query_heads
    return max(problem.seq_len, problem.kv_len) <= SIMULATOR_LENGTH and work <= SIMULATOR_WORK
