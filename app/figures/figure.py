"""Figure: a picture with everything that is said of it, for a page, a slide or a file."""
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import plotly.graph_objects as go

from app.charts.look import Look
from app.settings import Settings


class Sources(NamedTuple):
    """recordings: (header, runs) of each file, every run with its stamp; live: what ran here; gpus: by name, those whose times are drawn
    where there are several, and none for all."""

    recordings: list[tuple[dict, list[dict]]]
    live: list[dict] = []
    gpus: tuple[str, ...] = ()

    @property
    def runs(self) -> list[dict]:
        """Recorded, then live."""
        return [run for _, runs in self.recordings for run in runs] + self.live


@dataclass(frozen=True)
class Figure:
    """title: a claim about the records; conditions: the caption; provenance: the kinds of its numbers and where they come from; note: two
    sentences for the speaker; alt: the picture in words; settings: what it shows, which on Time may be the nearest recorded ones; aside:
    that they are; describe: the picture in Plotly's own words, data and layout, for a page or a slide."""

    name: str
    title: str
    conditions: str
    provenance: str
    settings: Settings
    describe: Callable[[Look], dict]
    records: list[dict]
    note: str
    alt: str
    aside: str | None = None

    def draw(self, look: Look) -> go.Figure:
        return go.Figure(self.describe(look), _validate=False)  # a test validates
