"""Kernel: one launch as predicted."""
from dataclasses import dataclass

from traffic_model.layout import Launch
from traffic_model.ledger import Ledger


@dataclass(frozen=True)
class Kernel:
    """One launch and what it moves."""

    launch: Launch
    ledger: Ledger

    @property
    def name(self) -> str:
        return self.launch.name

    def record(self) -> dict:
        return dict(name=self.launch.name, grid=list(self.launch.grid), block=list(self.launch.block),
                    measures=sorted(self.ledger.measures), ledger=self.ledger.records())
