"""Kernel: one launch, as predicted or as it ran."""
from dataclasses import dataclass

from traffic_model.ledger import Ledger


@dataclass(frozen=True)
class Kernel:
    """One launch: its name, grid and block (blocks and threads along x, y, z) and what it moves."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    ledger: Ledger

    def record(self) -> dict:
        return dict(name=self.name, grid=list(self.grid), block=list(self.block),
                    measures=sorted(self.ledger.measures), ledger=self.ledger.records())
