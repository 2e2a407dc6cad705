"""A real row as its picture draws it: its scores, and for each tile m, α, ℓ and how far off the output is."""
import math

from app.softmax.online import Broken, Step
from app.softmax.play import Play
from app.softmax.rows import Scores
from app.softmax.words import alpha, real_titles, spoken
from app.softmax.worksheet import maximum
from traffic_model import AttentionProblem

WRONG = 1e-3  # relative: what the picture stresses
FAR_BELOW = -100  # a maximum that no score of these rows has


def drawn(play: Play, problem: AttentionProblem, seed: int, scores: Scores) -> dict:
    """The error by tile is that of the broken arithmetic, or where nothing is broken, that of leaving α out."""
    row, count, titles = play.row, len(play.made), real_titles(play)
    errors = play.errors_without_alpha if play.broken == Broken.NOTHING else play.errors
    steps, name = [_step(play, tile, errors) for tile in range(count)], _error_name(play)
    return dict(
        kind="real", broken=play.name, harmless=play.harmless, masked=row.masked, titles=titles, steps=steps, error_name=name,
        spoken=[spoken(title, [f"m = {step['m_words']}, ℓ = {step['l_words']}", f"{name} {step['error']}"])
                for title, step in zip(titles, steps)],
        conditions=["one query row", f"N = {row.ends[-1]:,}", f"{count} tile{'s' * (count > 1)} of {min(row.tile, row.ends[-1])} keys",
                    f"d = {len(row.query)}", problem.dtype, f"seed {seed}", str(scores)],
        footer=_footer(play), scores=[[] if row.masked else [round(float(score), 3) for score in tile] for tile in row.tiles],
        sizes=[len(tile) for tile in row.tiles], outcome=[_outcome(play, tile) for tile in range(count)])


def table(shown: dict) -> list[dict]:
    """A payload's steps for a table, one row a tile."""
    return [{"tile": tile, "maximum m": step["m_words"], "factor α": step["alpha_words"], "ℓ kept": step["kept"], "sum ℓ": step["l"],
             "ℓ in float64": step["right"], shown["error_name"]: step["error"]} for tile, step in enumerate(shown["steps"], 1)]


def _step(play: Play, tile: int, errors: list[float]) -> dict:
    step = play.made[tile]
    return dict(m=step.m if math.isfinite(step.m) else None, m_words=_maximum(step), alpha=step.alpha,
                alpha_words=alpha(step.alpha) if tile and step.l else None, l_before=step.l_before, kept=step.kept_l, l=step.l,
                right=play.right[tile].l, l_words=_sum(step.l), error=_error(play, tile, errors), wrong=errors[tile] > WRONG)


def _maximum(step: Step) -> str:
    return maximum(step.m) if step.m < FAR_BELOW else f"{step.m:.1f}".replace("-", "−")


def _error(play: Play, tile: int, errors: list[float]) -> str:
    return "0 %" if errors[tile] < WRONG / 2 and not play.row.masked else play.off(tile, errors)


def _sum(l: float) -> str:
    """87.7, 0.53, 4,096."""
    return f"{l:,.0f}" if l >= 999.5 or l == round(l) else f"{l:.1f}" if l >= 0.95 else f"{l:.2f}"


def _outcome(play: Play, tile: int) -> str:
    so_far = " so far" * (tile < len(play.made) - 1)
    if play.row.masked:
        return f"Output{so_far}: {'zeros, as it must be' if play.harmless else f'a vector of length {play.off(tile)}; it must be zeros'}"
    if play.broken == Broken.NOTHING:
        return f"Output{so_far}: relative difference {play.off(tile)} with α, {play.off(tile, play.errors_without_alpha)} without"
    return f"Output{so_far}: relative difference {play.off(tile)}"


def _footer(play: Play) -> str:
    error = "length of O / ℓ so far" if play.row.masked else "relative difference of O / ℓ so far"
    marks = " Mark: the right ℓ." if play.broken in (Broken.NO_RESCALE, Broken.HALF) else " Dashed: removed by α."
    return f"fp32 against float64. Lower part: kept. Upper part: added by the tile.{marks * (not play.row.masked)} Last line: {error}."


def _error_name(play: Play) -> str:
    if play.row.masked:
        return "length"
    return "without α" if play.broken in (Broken.NOTHING, Broken.NO_RESCALE) else "off by"
