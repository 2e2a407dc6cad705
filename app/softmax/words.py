"""What the picture says: a title for each moment, computed from the numbers on show, and the whole moment for who does not see it."""
from app.softmax.numbers import Digits, percent
from app.softmax.online import SENTINEL, Broken
from app.softmax.play import ROUNDING, Play
from app.softmax.worksheet import maximum

NO_HARM = {Broken.NO_RESCALE: "no later score is larger", Broken.SENTINEL: "nothing is masked", Broken.HALF: "fp16 holds every sum"}


def hand_titles(play: Play, digits: Digits) -> list[str]:
    """One for each step of the worksheet."""
    if play.row.masked:
        return _masked_titles(play)
    _, two = play.made
    alpha = digits.scalar(two.alpha)
    if two.alpha == 1:
        rescale = "No larger score: α = 1, and what was kept stays as it is"
    elif play.broken == Broken.NO_RESCALE:
        rescale = f"A larger score, and nothing kept is multiplied by α = {alpha}"
    else:
        rescale = f"A larger score: everything kept is multiplied by α = {alpha}"
    wrong = f": now {play.off(-1)} off" if not play.harmless else ""
    return ["After tile 1: weights are measured from the largest score so far", rescale, f"Tile 2 is added to what was kept{wrong}",
            _verdict(play, "Two tiles, one pass: same output as the whole row, to rounding")]


def real_titles(play: Play) -> list[str]:
    """One for each tile."""
    return [_real_title(play, tile) for tile in range(len(play.made))]


def _real_title(play: Play, tile: int) -> str:
    count = len(play.made)
    if play.row.masked and play.harmless:
        return "Every score is masked: m stays −∞, ℓ stays 0, and the output is zeros"
    if not play.harmless:
        return _broken_title(play, tile)
    if tile == count - 1:
        right = f"{count} tiles, one pass: same output to rounding" if count > 1 else "One tile: same output to rounding"
        without = play.errors_without_alpha[-1]
        return _verdict(play, f"{right}; without α {percent(without)} off" if without > 1e-3 else right)
    jumps = [t for t in range(1, tile + 1) if play.made[t].alpha < 1]
    if not jumps:
        return "No larger score so far: α = 1, nothing to correct" if tile else "Tile 1: m is the largest of its scores"
    last = jumps[-1]
    return f"Tile {last + 1} holds a larger score: × {alpha(play.made[last].alpha)} corrects the {play.row.ends[last - 1]:,} keys before it"


def _broken_title(play: Play, tile: int) -> str:
    name, step = _name(play.broken), play.made[tile]
    if play.row.masked:
        return f"{name}: the mean of {play.row.ends[tile]:,} rows of V comes out, instead of zeros"
    if play.broken == Broken.HALF and step.l == step.kept_l and step.weights.max() > 0:
        why = f", since {step.l:,.4g} + 1 rounds to {step.l:,.4g}" if step.weights.min() == 1 else ""
        return f"{name}: ℓ stands still at {step.l:,.4g}{why}"
    if play.errors[tile] <= ROUNDING:
        return f"{name}: nothing is off yet after tile {tile + 1}"
    return f"{name}: after tile {tile + 1} the output is {play.off(tile)} off"


def _masked_titles(play: Play) -> list[str]:
    if play.harmless:
        return ["Tile 1 is masked: m stays −∞, and every weight is 0", "Nothing was kept, so there is nothing to rescale",
                "Tile 2 is masked too: nothing is added", "A row that sees no key: ℓ is 0, and the output is zeros"]
    lowest = maximum(float(SENTINEL))
    return [f"Masked, but {lowest} is a number: its distance to m is 0, its weight 1", "No larger score: α = 1",
            "Every masked key is added with weight 1", "Finite sentinel: the mean of V comes out, instead of zeros"]


def _verdict(play: Play, right: str) -> str:
    """The last title."""
    if play.broken == Broken.NOTHING:
        return right
    if play.harmless:
        return f"{_name(play.broken)}: no harm to this row, since {NO_HARM[play.broken]}"
    total, looks = float(play.made[-1].out.sum()), ""
    if abs(total - float(play.exact[-1].sum())) < 5e-3:  # every row of V has the same sum, and so has any weighted mean of them
        looks = f"still sums to {total:.4g}, and "
    return f"{_name(play.broken)}: the output {looks}is {play.off(-1)} off"


def spoken(title: str, cells: list[str]) -> str:
    """The moment in words: the title and the numbers, exponents and signs spelled out."""
    text = ". ".join([title, *filter(None, cells)])
    return text.replace("^{", " to the power ").replace("}", "").replace("−∞", "minus infinity").replace("→", "to")


def alpha(value: float) -> str:
    """0.368, 1, 0.0004; < 0.0001 below."""
    if value < 1e-4:
        return "< 0.0001"
    return "1" if value == 1 else f"{value:.3f}" if value >= 1e-3 else f"{value:.4f}"


def _name(broken: Broken) -> str:
    return "Sums in fp16" if broken == Broken.HALF else broken.capitalize()
