"""Play: one row worked through the chosen arithmetic, and beside it rightly, without α, and exactly."""
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.softmax.numbers import percent, power_of_ten
from app.softmax.online import Broken, Step, exact, steps
from app.softmax.rows import Row
from numba_kernels import reference

ROUNDING = 1e-5  # relative differences up to this are fp32's own


@dataclass(frozen=True)
class Play:
    """A row and what is broken."""

    row: Row
    broken: Broken

    @cached_property
    def made(self) -> list[Step]:
        return steps(self.row.tiles, self.row.values, self.broken)

    @cached_property
    def right(self) -> list[Step]:
        return steps(self.row.tiles, self.row.values)

    @cached_property
    def exact(self) -> np.ndarray:
        """Float64, as if the row ended with each tile. Shape [tiles, d]."""
        return exact(self.row.exact_scores, self.row.values.astype(np.float64), self.row.ends)

    @cached_property
    def errors(self) -> list[float]:
        """How far the output is off after each tile: relative, or its length where the exact output is zeros."""
        return self._against_exact(self.made)

    @cached_property
    def errors_without_alpha(self) -> list[float]:
        return self._against_exact(steps(self.row.tiles, self.row.values, Broken.NO_RESCALE))

    @property
    def name(self) -> str | None:
        """What is broken, in words; None where nothing is."""
        return None if self.broken == Broken.NOTHING else str(self.broken)

    @property
    def harmless(self) -> bool:
        """Whether nothing is broken that matters to this row."""
        return max(self.errors) <= ROUNDING

    def off(self, tile: int, errors: list[float] | None = None) -> str:
        """30 %, 6 × 10^{−7}; where the exact output is zeros, the length of what came out instead."""
        error = (errors or self.errors)[tile]
        if self.row.masked:
            return "0" if error == 0 else f"{error:.2f}"
        return power_of_ten(error) if error <= ROUNDING else percent(error)

    def _against_exact(self, made: list[Step]) -> list[float]:
        return [reference.errors(step.out, right)[0] for step, right in zip(made, self.exact)]
