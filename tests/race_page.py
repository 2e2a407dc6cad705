"""The race's stand-alone page."""
from player_page import PlayerPage

from app.race.film import html
from app.race.payload import LANES, payload
from app.race.rungs import Clock
from traffic_model import DEFAULT_GPU, AttentionProblem, Tiling, find_gpu

GPU = find_gpu(DEFAULT_GPU)


def race(seq_len: int, block_q: int = 64, block_k: int = 64, rungs: tuple = LANES, clock: Clock = Clock.COMPULSORY, times=None,
         **shape) -> dict:
    """The payload of one problem and tiling on the default GPU."""
    return payload(AttentionProblem(seq_len, **shape), Tiling(block_q, block_k), GPU, rungs, clock, times=times)


class RacePage(PlayerPage):
    def __init__(self, browser, shown: dict, theme: str | None = "light", autoplay: bool = False, **context):
        super().__init__(browser, html(shown, theme=theme, autoplay=autoplay), **context)
