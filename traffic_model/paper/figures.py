"""What papers print, from data/published.csv: each figure with the place it stands in."""
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from traffic_model.gpus import rows

DIGITISED_WITHIN = 0.003  # of a figure read off a plot


@dataclass(frozen=True)
class Figure:
    """One figure. `text` is the value as printed; `setting` the rows of the key tile, or N; `kind` printed or digitised."""

    table: str
    subject: str
    setting: int | None
    quantity: str
    text: str
    unit: str
    kind: str
    source: str

    @property
    def value(self) -> float:
        return float(self.text)

    def is_met_by(self, model: float) -> bool:
        """Whether a model says the same: to every printed digit, or to within 0.3 % of a digitised value."""
        if self.kind == "digitised":
            return abs(model / self.value - 1) <= DIGITISED_WITHIN
        printed = Decimal(self.text)
        return Decimal(model).quantize(printed, ROUND_HALF_UP) == printed


@lru_cache
def figures() -> tuple[Figure, ...]:
    """Every published figure, in the file's order."""
    return tuple(Figure(row["table"], row["subject"], int(row["setting"]) if row["setting"] else None, row["quantity"], row["value"],
                        row["unit"], row["kind"], row["source"]) for row in rows("published.csv"))
