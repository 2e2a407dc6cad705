"""How the worksheet writes numbers, so that a sum still adds up in the digits it shows."""
import re
from dataclasses import dataclass

import numpy as np

WHOLE = 1e-9  # nearer to a whole number than this is written as one
PAIR = re.compile(r"\(([^,()]+), ([^,()]+)\)")


@dataclass(frozen=True)
class Digits:
    """Decimal places of weights, ℓ and α, those of O and the output, and the fewest significant digits of either."""

    weight: int
    output: int
    significant: int

    def scalar(self, value: float) -> str:
        return _number(float(value), self.weight, self.significant)

    def component(self, value: float) -> str:
        return _number(float(value), self.output, self.significant)

    def pair(self, values) -> str:
        return f"({', '.join(map(self.component, values))})"


CHOICES = [Digits(weight, output, significant) for weight, output in ((3, 2), (3, 3), (4, 3), (4, 4)) for significant in (2, 3, 4)]


def holds(equation: str) -> bool | None:
    """Whether `a × b + c = d` is true when its left side, computed from the digits shown, is rounded to the digits of its right side.

    Pairs are taken component by component. None for what is no such equation.
    """
    left, equals, right = equation.partition(" = ")[2].rpartition(" = ")
    if not equals or re.search(r"[^\d.,+×/−() ]", left):
        return None
    return all(_value(_component(left, side), _component(right, side)) for side in (0, 1))


def _value(left: str, right: str) -> bool:
    """One component. The numbers are decimal text, so the half that rounding meets is compared with a little room."""
    terms = [_product(term) for term in left.split(" + ")]
    places = len(right.partition(".")[2])
    return abs(sum(terms) - _float(right)) <= 0.5 * 10**-places * (1 + 1e-9)


def _product(term: str) -> float:
    if " / " in term:
        over, under = map(_float, term.split(" / "))
        return over / under
    return float(np.prod([_float(factor) for factor in term.split(" × ")]))


def _component(text: str, side: int) -> str:
    return PAIR.sub(lambda pair: pair[1 + side], text)


def _float(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def _number(value: float, places: int, significant: int) -> str:
    if abs(value - round(value)) < WHOLE:
        return f"{round(value):,}".replace("-", "−")
    while abs(value) < 10 ** (significant - 1 - places):
        places += 1
    return f"{value:.{places}f}".replace("-", "−")


def percent(share: float) -> str:
    """30 %, 0.1 %, 210 %; 0 % for what rounds to it."""
    return f"{share:.0%}".replace("%", " %") if share >= 0.0995 or share < 0.0005 else f"{100 * share:.1f} %"


def power_of_ten(value: float) -> str:
    """6 × 10^{−7}; 0 for nothing."""
    if value == 0:
        return "0"
    digit, power = f"{value:.0e}".split("e")
    return f"{digit} × 10^{{{int(power)}}}".replace("-", "−")
