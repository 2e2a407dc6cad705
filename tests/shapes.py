"""The awkward shapes that every backend must count and compute right: every value and every pair of values at least once."""
import itertools

from traffic_model import AttentionProblem, Tiling

AXES = dict(
    seq_len=[1, 17, 63, 64, 65, 192, 1000],
    kv_len=["N", "N + 30", "2N / 3"],  # as many keys as queries, more, fewer
    mask=["full", "causal"],
    head_dim=[16, 63, 64, 128],
    tiling=[(16, 16), (32, 128), (64, 64), (128, 32), (256, 64)],
    heads=[(1, 1), (3, 3), (3, 1)],  # query heads, key/value heads
    batch=[1, 2],
)
KEYS = {"N": lambda n: n, "N + 30": lambda n: n + 30, "2N / 3": lambda n: max(1, 2 * n // 3)}
SIMULATOR_LIMIT = 65


def pairs(row: tuple) -> set:
    """Every pair of (axis, value) in a combination."""
    return set(itertools.combinations(zip(AXES, row), 2))


def covering_rows() -> list[tuple]:
    """A short list of combinations that holds every pair: always the one that adds most, first in order on a tie."""
    rows = list(itertools.product(*AXES.values()))
    missing, chosen = set().union(*map(pairs, rows)), []
    while missing:
        best = max(rows, key=lambda row: len(missing & pairs(row)))
        chosen.append(best)
        missing -= pairs(best)
    return chosen


def case(row: tuple) -> tuple[AttentionProblem, Tiling]:
    """The problem and tiling of a combination."""
    seq_len, keys, mask, head_dim, tiling, (heads, kv_heads), batch = row
    return AttentionProblem(seq_len, kv_len=KEYS[keys](seq_len), mask=mask, head_dim=head_dim, heads=heads, kv_heads=kv_heads,
                            batch=batch), Tiling(*tiling)


def is_small(problem: AttentionProblem) -> bool:
    """Whether Numba's simulator can run it in seconds."""
    return max(problem.seq_len, problem.kv_len) <= SIMULATOR_LIMIT
