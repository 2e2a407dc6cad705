"""The worksheet of a row by hand: a line a step, every product written out, in digits in which each line holds."""
from dataclasses import dataclass

import numpy as np

from app.softmax.numbers import CHOICES, Digits, holds
from app.softmax.online import Broken, Step


@dataclass(frozen=True)
class Worksheet:
    """Four lines of cells [name, maximum, ℓ, O], and the digits they are written in."""

    lines: tuple[tuple[str, ...], ...]
    digits: Digits


def worksheet(made: list[Step], values: np.ndarray, right: np.ndarray, apart: str, broken: Broken) -> Worksheet:
    """made: two tiles; right: the exact output; apart: how far the output is from it, in words.

    The fewest digits in which every line holds. fp16 sums round what the line adds up to: there a line that does not hold says ≈.
    """
    sheets = [Worksheet(tuple(_lines(made, values, right, apart, broken, digits)), digits) for digits in CHOICES]
    true = [sheet for sheet in sheets if all(holds(cell) is not False for line in sheet.lines for cell in line)]
    if true or broken != Broken.HALF:
        return true[0]
    rounded = tuple(tuple(_nearly(cell) if holds(cell) is False else cell for cell in line) for line in sheets[0].lines)
    return Worksheet(rounded, sheets[0].digits)


def _nearly(equation: str) -> str:
    left, _, result = equation.rpartition(" = ")
    return f"{left} ≈ {result}"


def _lines(made: list[Step], values: np.ndarray, right: np.ndarray, apart: str, broken: Broken, digits: Digits):
    one, two = made
    scalar, pair = digits.scalar, digits.pair
    yield ("tile 1", f"m = {maximum(one.m)}", f"ℓ = {_sum([], one, digits)} = {scalar(one.l)}",
           f"O = {_products([], one, values[:len(one.weights)], digits)} = {pair(one.o)}")
    if broken == Broken.NO_RESCALE and two.alpha < 1 and one.l:
        yield "rescale", "skipped", f"ℓ stays {scalar(one.l)}", f"O stays {pair(one.o)}"
    elif not one.l:
        yield "rescale", f"m stays {maximum(two.m)}", "nothing was kept", "nothing was kept"
    else:
        moved = f"m: {maximum(one.m)} → {maximum(two.m)}" if two.m > one.m else f"m stays {maximum(two.m)}"
        yield ("rescale", moved, f"ℓ = {scalar(two.alpha)} × {scalar(one.l)} = {scalar(two.kept_l)}",
               f"O = {scalar(two.alpha)} × {pair(one.o)} = {pair(two.kept_o)}")
    yield ("tile 2", f"m = {maximum(two.m)}", f"ℓ = {_sum([scalar(two.kept_l)], two, digits)} = {scalar(two.l)}",
           f"O = {_products([pair(two.kept_o)], two, values[len(one.weights):], digits)} = {pair(two.o)}")
    quotient = f"out = {pair(two.o)} / {scalar(two.l)} = {pair(two.out)}" if two.l else f"ℓ = 0, so out is {pair(two.out)}, by definition"
    yield "divide", quotient, "", f"exact {pair(right)}    {apart}"


def maximum(m: float) -> str:
    """2, −∞, −10,000."""
    return "−∞" if m == -np.inf else f"{m:,.10g}".replace("-", "−")


def _sum(kept: list[str], step: Step, digits: Digits) -> str:
    return " + ".join([*kept, *map(digits.scalar, step.weights)])


def _products(kept: list[str], step: Step, rows: np.ndarray, digits: Digits) -> str:
    return " + ".join([*kept, *(f"{digits.scalar(weight)} × {digits.pair(row)}" for weight, row in zip(step.weights, rows))])
