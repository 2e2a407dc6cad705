"""payload: everything the softmax's scripts draw, as one JSON object. All numbers are computed and written here; the scripts place them."""
from functools import lru_cache

from app.softmax import hand, real, rows
from app.softmax.online import Broken
from app.softmax.play import Play
from app.softmax.rows import Scores, Size
from traffic_model import AttentionProblem


@lru_cache(maxsize=64)
def payload(size: Size, scores: Scores, broken: Broken, problem: AttentionProblem, key_tile: int, seed: int) -> dict:
    """One row. A row by hand takes nothing from `problem`, `key_tile` and `seed`. The answer is cached: treat it as read-only."""
    if size == Size.HAND:
        name, drawn = "hand", hand.drawn(Play(rows.hand(scores), broken))
    else:
        name, drawn = f"row_seed{seed}", real.drawn(Play(rows.real(scores, problem, key_tile, seed), broken), problem, seed, scores)
    chosen = "_".join([name, *scores.split(), *([] if broken == Broken.NOTHING else broken.split())])
    return dict(id=f"{size} {scores} {broken} {problem} {key_tile} {seed}" if size == Size.REAL else chosen,
                file=f"tilescope_softmax_{chosen}", **drawn)
