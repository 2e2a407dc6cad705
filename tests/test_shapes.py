"""The test matrix itself: nothing it promises is left out."""
import itertools

import shapes


def test_every_pair_of_values_occurs():
    every = {pair for row in itertools.product(*shapes.AXES.values()) for pair in shapes.pairs(row)}
    held = set().union(*map(shapes.pairs, shapes.covering_rows()))
    assert held == every


def test_enough_of_it_is_small_enough_for_the_simulator():
    problems = [shapes.case(row)[0] for row in shapes.covering_rows()]
    small = list(filter(shapes.is_small, problems))
    assert len(small) >= 15
    assert {p.mask for p in small} == {"full", "causal"} and {p.head_dim for p in small} == {16, 63, 64, 128}
