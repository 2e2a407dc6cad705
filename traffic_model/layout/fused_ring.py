"""Fused, one step of a ring: the fused kernel on one K/V block, its running results from HBM and back."""
from dataclasses import dataclass

from traffic_model.layout.common import Launch
from traffic_model.layout.fused import FusedLayout
from traffic_model.problem import AttentionProblem


@dataclass(frozen=True)
class FusedRingLayout(FusedLayout):
    """As fused. first, last: of the blocks that these queries meet: the first starts from nothing, the last writes the output."""

    first: bool = True
    last: bool = True

    def launches(self, problem: AttentionProblem) -> tuple[Launch, ...]:
        return tuple(launch._replace(name="fused_ring") for launch in super().launches(problem))
