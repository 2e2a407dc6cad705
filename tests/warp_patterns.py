"""Patterns: which element each lane of a warp names, None where it takes no part. The same for every size of element, but for those that go
from row to row of shared memory, a row being one word of each bank.
"""
from random import Random

from traffic_model.layout.common import WARP
from traffic_model.vocabulary import WAVEFRONT, WORD

ELEMENTS = 2048  # all patterns name lower ones
EVERYONE = range(WARP)


def patterns(size: int) -> dict[str, tuple[int | None, ...]]:
    """By name, for elements of `size` bytes."""
    row, word = WAVEFRONT // size, max(1, WORD // size)  # elements
    shapes = _shapes(row, word)
    whole = {name: tuple(map(element, EVERYONE)) for name, element in shapes.items()}
    return whole | {f"{name}, {mask}": tuple(element if taken else None for element, taken in zip(whole[name], lanes))
                    for name, masks in MASKED.items() for mask, lanes in masks.items()}


def _shapes(row, word):
    draw = Random(6)
    permuted, few, many, paired = (draw.sample(EVERYONE, WARP), draw.choices(range(64), k=WARP), draw.choices(range(1024), k=WARP),
                                   draw.choices(range(256), k=WARP))
    return {
        "contiguous": lambda lane: lane,
        "reversed": lambda lane: WARP - 1 - lane,
        "every 2nd": lambda lane: 2 * lane,
        "every 33rd": lambda lane: 33 * lane,
        "ragged by 1": lambda lane: lane + 1,
        "ragged by 5": lambda lane: lane + 5,
        "permuted": lambda lane: permuted[lane],
        "one element": lambda lane: 5,
        "two alternate": lambda lane: 3 + 7 * (lane % 2),
        "two of a bank": lambda lane: lane % 2 * row,
        "column": lambda lane: row * lane,
        "padded column": lambda lane: (row + word) * lane,
        "pairs": lambda lane: lane // 2,
        "pairs 2 apart": lambda lane: lane // 4 * 2 + lane % 2,
        "pairs 4 apart": lambda lane: lane // 8 * 4 + lane % 4,
        "pairs 8 apart": lambda lane: lane // 16 * 8 + lane % 8,
        "pairs 16 apart": lambda lane: lane % 16,
        "quarters alike": lambda lane: lane % 8,
        "fours": lambda lane: lane // 4,
        "column of pairs": lambda lane: row * (lane // 2),
        "any of 64": lambda lane: few[lane],
        "any of 256": lambda lane: paired[lane],
        "any of 1024": lambda lane: many[lane],
        "pairs of 256": lambda lane: paired[lane // 2],
        "2 apart of 256": lambda lane: paired[lane // 4 * 2 + lane % 2],
        "half pairs": lambda lane: paired[lane // 2] if lane < 16 else many[lane],
    }


def _masks():
    draw = Random(2)
    half, of_pairs = set(draw.sample(EVERYONE, WARP // 2)), [2 * pair + draw.randrange(2) for pair in range(WARP // 2)]
    taken = {"first": [0], "last": [31], "first 8": range(8), "first 16": range(16), "last 16": range(16, 32), "middle 16": range(8, 24),
             "even": range(0, 32, 2), "bit 1 off": [lane for lane in EVERYONE if not lane & 2],
             "bit 2 off": [lane for lane in EVERYONE if not lane & 4], "any half": half, "one of each 2": of_pairs,
             "all but 13": set(EVERYONE) - {13}}
    return {mask: [lane in lanes for lane in EVERYONE] for mask, lanes in taken.items()}


MASKS = _masks()
MASKED = {shape: {mask: MASKS[mask] for mask in masks} for shape, masks in {
    "contiguous": ("first", "last", "first 8", "first 16", "last 16", "middle 16", "even", "any half", "all but 13"),
    "permuted": ("last 16", "even", "any half"),
    "column": ("middle 16", "even", "any half"),
    "pairs": ("even", "one of each 2", "any half"),
    "pairs 2 apart": ("bit 1 off", "even"),
    "pairs 4 apart": ("bit 2 off", "even"),
    "pairs of 256": ("any half", "all but 13"),
}.items()}
