"""The race by hand: N = 8, d = 4, 4×4 tiles, with every number of Q, K, V, S, P and O, small enough for a blackboard.

No kernel runs at this size: its events are those that the schedules give for it.
"""
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np

from app.softmax.online import steps
from numba_kernels import reference
from traffic_model import AttentionProblem
from traffic_model.schedule import SWEEPS, Schedule
from traffic_model.schedule_grid import Grid

SMALLEST, LARGEST = -1, 2  # whole numbers that Q, K and V are drawn from
SEED = 0


@dataclass(frozen=True)
class HandProblem(AttentionProblem):
    """An attention that no kernel takes: its head is too small."""

    def __post_init__(self):
        for name, value in (("kv_heads", self.heads), ("kv_len", self.seq_len), ("scale", self.head_dim**-0.5)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)


PROBLEM = HandProblem(seq_len=8, head_dim=4)
TILE = 4
LAYOUT = SimpleNamespace(block_q=TILE, block_k=TILE, threads_per_row=1)  # what a schedule asks a layout for


def plan(algorithm: str) -> Schedule:
    grid = Grid.of(PROBLEM.seq_len, PROBLEM.kv_len, LAYOUT)
    return Schedule(algorithm, grid, tuple(SWEEPS[algorithm](PROBLEM, LAYOUT, grid)))


@cache
def numbers() -> dict[str, np.ndarray]:
    """Q, K, V: small whole numbers, fp32, shape [8, 4]; S and P [8, 8]; O [8, 4], in float64. Treat them as read-only."""
    random = np.random.default_rng(SEED)
    q, k, v = (random.integers(SMALLEST, LARGEST + 1, (PROBLEM.seq_len, PROBLEM.head_dim)).astype(np.float32) for _ in "QKV")
    s = PROBLEM.scale * q.astype(np.float64) @ k.T
    weights = np.exp(s - s.max(axis=1, keepdims=True))
    o = reference.attention(q[None, None], k[None, None], v[None, None], PROBLEM.mask, PROBLEM.scale)[0, 0]
    return dict(q=q, k=k, v=v, s=s, p=weights / weights.sum(axis=1, keepdims=True), o=o)


def written(array: str) -> list[list[str]]:
    """An array's numbers as they stand in the cells: whole numbers plainly, S with one decimal, P and O with two."""
    return [_texts(row, dict(s=1, p=2, o=2).get(array, 0)) for row in numbers()[array]]


@cache
def work() -> dict[str, list[list[list[str]]]]:
    """What a kernel works with between its reads and writes, as text, by query and key tile.

    Of the online softmax: scores, m, alpha, weights e^(s − m), their sum l and the output o before it is divided. Of a row that is kept
    whole: its sum under the last maximum, shares (a tile of P) and product, the output so far.
    """
    n = numbers()
    made = {name: [] for name in ("scores", "m", "alpha", "weights", "l", "o", "sum", "shares", "product")}
    for scores, shares in zip(n["s"], n["p"]):
        online = steps(np.split(scores.astype(np.float32), PROBLEM.kv_len // TILE), n["v"])
        for name in ("m", "alpha", "weights", "l", "o"):
            made[name].append([_texts(getattr(step, name), 1 if name == "m" else 2) for step in online])
        tiles = [slice(first, first + TILE) for first in range(0, PROBLEM.kv_len, TILE)]
        made["scores"].append([_texts(scores[tile], 1) for tile in tiles])
        made["shares"].append([_texts(shares[tile], 2) for tile in tiles])
        made["sum"].append([_texts(np.exp(scores[:tile.stop] - scores.max()).sum(), 2) for tile in tiles])
        made["product"].append([_texts(shares[:tile.stop] @ n["v"][:tile.stop], 2) for tile in tiles])
    return made


def _texts(values, places: int) -> list[str]:
    """−0.5 with a true minus sign, and no −0."""
    return [f"{round(float(value), places) + 0.0:.{places}f}".replace("-", "−") for value in np.atleast_1d(values)]
