"""What the softmax page writes: a worksheet whose lines hold in the digits they show, and titles that follow the numbers."""
import json

import pytest

from app.softmax.numbers import Digits, holds, percent, power_of_ten
from app.softmax.online import Broken
from app.softmax.payload import payload
from app.softmax.rows import Scores, Size
from traffic_model import AttentionProblem

ALL = [(scores, broken) for scores in Scores for broken in Broken]


def shown(size, scores=Scores.USUAL, broken=Broken.NOTHING, tile=64, seed=0, **shape) -> dict:
    return payload(size, scores, broken, AttentionProblem(**dict(seq_len=4096) | shape), tile, seed)


@pytest.mark.parametrize(("scores", "broken"), ALL, ids=str)
def test_every_line_of_every_worksheet_holds(scores, broken):
    cells = [cell for line in shown(Size.HAND, scores, broken)["lines"] for cell in line]
    assert [cell for cell in cells if holds(cell) is False] == []
    assert sum(holds(cell) is True for cell in cells) >= 3  # else the check sees nothing
    nearly = [cell for cell in cells if "≈" in cell]
    assert not nearly or broken == Broken.HALF


def test_the_worksheet_that_the_page_opens_on():
    assert [list(line) for line in shown(Size.HAND)["lines"]] == [
        ["tile 1", "m = 2", "ℓ = 1 + 0.368 = 1.368", "O = 1 × (10, 0) + 0.368 × (0, 10) = (10, 3.68)"],
        ["rescale", "m: 2 → 3", "ℓ = 0.368 × 1.368 = 0.503", "O = 0.368 × (10, 3.68) = (3.68, 1.35)"],
        ["tile 2", "m = 3", "ℓ = 0.503 + 1 + 0.050 = 1.553", "O = (3.68, 1.35) + 1 × (0, 10) + 0.050 × (10, 0) = (4.18, 11.35)"],
        ["divide", "out = (4.18, 11.35) / 1.553 = (2.69, 7.31)", "", "exact (2.69, 7.31)    relative difference 9 × 10^{−8}"]]


@pytest.mark.parametrize(("equation", "true"), [
    ("ℓ = 0.503 + 1 + 0.050 = 1.553", True), ("ℓ = 0.503 + 1 + 0.050 = 1.554", False), ("O = 0.368 × (10, 3.68) = (3.68, 1.35)", True),
    ("O = 0.368 × (10, 3.68) = (3.68, 1.36)", False), ("out = (4.18, 11.35) / 1.553 = (2.69, 7.31)", True),
    ("out = (4.18, 11.35) / 1.553 = (2.70, 7.31)", False), ("m = 2", None), ("m: 2 → 3", None), ("O stays (10, 3.68)", None)])
def test_an_equation_is_checked_in_the_digits_shown(equation, true):
    assert holds(equation) is true


def test_numbers():
    digits = Digits(3, 2, 2)
    assert [digits.scalar(x) for x in (1, 0.36788, 0.0067379, 2048, -2.0)] == ["1", "0.368", "0.0067", "2,048", "−2"]
    assert digits.pair((10, 3.6788)) == "(10, 3.68)"
    assert [percent(x) for x in (0, 0.0004, 0.0013, 0.3, 1, 2.1)] == ["0 %", "0 %", "0.1 %", "30 %", "100 %", "210 %"]
    assert power_of_ten(6.2e-7) == "6 × 10^{−7}" and power_of_ten(0) == "0"


def test_titles_by_hand():
    assert shown(Size.HAND)["titles"][1] == "A larger score: everything kept is multiplied by α = 0.368"
    assert shown(Size.HAND, Scores.EQUAL)["titles"][1].startswith("No larger score: α = 1")
    last = lambda *row: shown(Size.HAND, *row)["titles"][-1]
    assert last() == "Two tiles, one pass: same output as the whole row, to rounding"
    assert last(Scores.USUAL, Broken.NO_RESCALE) == "No rescale: the output still sums to 10, and is 30 % off"
    assert last(Scores.EQUAL, Broken.NO_RESCALE) == "No rescale: no harm to this row, since no later score is larger"
    assert last(Scores.USUAL, Broken.SENTINEL) == "Finite sentinel: no harm to this row, since nothing is masked"
    assert last(Scores.MASKED, Broken.SENTINEL) == "Finite sentinel: the mean of V comes out, instead of zeros"
    assert last(Scores.MASKED) == "A row that sees no key: ℓ is 0, and the output is zeros"


def test_titles_of_a_real_row_follow_its_tiles():
    row = shown(Size.REAL, Scores.LATE)
    assert row["titles"][12] == f"Tile 13 holds a larger score: × {row['steps'][12]['alpha_words']} corrects the 768 keys before it"
    assert row["titles"][-1].startswith("16 tiles, one pass: same output to rounding; without α")
    assert shown(Size.REAL, Scores.EQUAL)["titles"][5] == "No larger score so far: α = 1, nothing to correct"
    assert "stands still at 2,048" in shown(Size.REAL, Scores.EQUAL, Broken.HALF, 256)["titles"][-1]
    assert shown(Size.REAL, Scores.MASKED, Broken.SENTINEL)["titles"][1].startswith("Finite sentinel: the mean of 128 rows of V")


@pytest.mark.parametrize(("scores", "broken"), ALL, ids=str)
def test_a_payload_is_plain_json_and_small(scores, broken):
    for size in Size:
        row = shown(size, scores, broken, 256)
        assert len(json.dumps(row, allow_nan=False)) < 60_000
        assert len(row["titles"]) == len(row["spoken"]) and all(row["titles"])
