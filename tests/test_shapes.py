"""The test matrix itself: nothing it promises is left out."""
import itertools

import shapes


def test_every_pair_of_values_occurs():
    every = {pair for row in itertools.product(*shapes.AXES.values()) for pair in shapes.pairs(row)}
    held = set().union(*map(shapes.pairs, shapes.covering_rows()))
    assert held == every


def test_enough_of_it_is_small_enough_for_the_simulator():
    small = [row for row in shapes.covering_rows() if shapes.is_small(*shapes.case(row))]
    assert len(small) >= 8
    left_out = {axis: set(values) - {row[place] for row in small} for place, (axis, values) in enumerate(shapes.AXES.items())}
    assert {axis: values for axis, values in left_out.items() if values} == dict(head_dim={256}, seq_len={192, 1000})
