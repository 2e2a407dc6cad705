"""A row by hand as its picture draws it: four keys, two tiles, four moments."""
import math

from app.softmax.numbers import Digits
from app.softmax.online import SENTINEL, Broken, Step
from app.softmax.play import Play
from app.softmax.rows import Row
from app.softmax.words import hand_titles, spoken
from app.softmax.worksheet import Worksheet, maximum, worksheet


def drawn(play: Play) -> dict:
    """The worksheet's lines, and the lengths and the words of every bar."""
    row, right = play.row, play.right[-1]
    apart = f"{'length of the' if row.masked else 'relative'} difference {play.off(-1)}"
    sheet = worksheet(play.made, row.values, play.exact[-1], apart, play.broken)
    digits, titles = sheet.digits, hand_titles(play, sheet.digits)
    return dict(
        kind="hand", broken=play.name, harmless=play.harmless, masked=row.masked, titles=titles, lines=sheet.lines,
        spoken=[spoken(title, line[1:]) for title, line in zip(titles, sheet.lines)],
        conditions=["one query row", f"{len(row.keys)} keys in tiles of {row.tile}", f"d = {row.values.shape[1]}", "weight = exp(s − m)",
                    "out = O / ℓ"],
        footer=_footer(sheet), tiles=_keys(play, digits), weights=_weights(row, digits), alpha=digits.scalar(play.made[-1].alpha),
        steps=[_step(step, digits) for step in play.made],
        right=dict(l=float(right.l), o=_floats(right.o), words=_words(right.l, right.o, digits)),
        exact=dict(out=_floats(play.exact[-1]), words=list(map(digits.component, play.exact[-1]))),
        so_far=[f"{play.off(tile)} {'from 0' if row.masked else 'off'}" for tile in range(len(play.made))])


def _keys(play: Play, digits: Digits) -> list[list[dict]]:
    """Tile by tile. A masked score is null, and written as what the arithmetic takes it for."""
    row = play.row
    instead = maximum(float(SENTINEL)) if play.broken == Broken.SENTINEL else "−∞"
    keys = [dict(score=None if row.masked else float(score), score_words=instead if row.masked else digits.scalar(score),
                 value=digits.pair(value)) for score, value in zip(row.scores, row.values)]
    return [keys[first:end] for first, end in zip([0, *row.ends], row.ends)]


def _weights(row: Row, digits: Digits) -> dict[str, str]:
    """e to the distance, for every distance from a score up to another: what the picture shows while nothing moves."""
    gaps = {float(score - top) for score in row.scores for top in row.scores if score <= top} if not row.masked else {0.0}
    return {f"{gap:g}": digits.scalar(math.exp(gap)) for gap in gaps}


def _step(step: Step, digits: Digits) -> dict:
    return dict(m=step.m if math.isfinite(step.m) else None, m_words=maximum(step.m), alpha=step.alpha, l=step.l, kept_l=step.kept_l,
                o=_floats(step.o), kept_o=_floats(step.kept_o), out=_floats(step.out), out_words=list(map(digits.component, step.out)),
                words=_words(step.l, step.o, digits), kept_words=_words(step.kept_l, step.kept_o, digits))


def _words(l: float, o, digits: Digits) -> dict:
    return dict(l=digits.scalar(l), o=list(map(digits.component, o)))


def _footer(sheet: Worksheet) -> str:
    rounded = any("≈" in cell for line in sheet.lines for cell in line)
    how = "≈: the sum is kept in fp16." if rounded else "Every line of the worksheet holds in the digits on show."
    return f"Computed in fp32, exact in float64. {how}"


def _floats(values) -> list[float]:
    return [float(value) for value in values]
