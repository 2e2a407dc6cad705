"""What predicted warp measures are made of, each against its definition by brute force: an access, bases, the visible part of S."""
import itertools
import random

import numpy as np
import pytest

from traffic_model import AttentionProblem, Cell, Direction, Measure
from traffic_model.vocabulary import Array, Space
from traffic_model.warps import Access
from traffic_model.warps.bases import Bases
from traffic_model.warps.visible import visible


@pytest.mark.parametrize("draw", range(200))
def test_a_warp_access_by_the_definitions(draw):
    numbers = random.Random(draw)
    space, size = numbers.choice([(Space.HBM, 2), (Space.HBM, 4), (Space.SHARED, 4)])
    furthest = numbers.choice([3, 31, 64, 2000])
    lanes = (*(numbers.choice([None, numbers.randrange(furthest)]) for _ in range(31)), numbers.randrange(furthest))
    access = Access(Cell(Array.K, space, Direction.READ), size, numbers.randrange(10**6), lanes, 1)
    named = [access.base + lane for lane in lanes if lane is not None]
    touched = {element * size + byte for element in named for byte in range(size)}
    assert [element for element in access.elements if element is not None] == named
    assert access.bytes(Measure.REQUESTED) == len(named) * size and access.bytes(Measure.DISTINCT) == len(touched)
    if space == Space.HBM:
        assert access.bytes(Measure.SECTORS) == 32 * len({byte // 32 for byte in touched})
        with pytest.raises(KeyError):
            access.bytes(Measure.WAVEFRONTS)
    else:
        words = {byte // 4 for byte in touched}
        assert access.bytes(Measure.WAVEFRONTS) == 128 * max(sum(word % 32 == bank for word in words) for bank in range(32))


def counted_by_place(indices, period):
    """What `Bases.at` says of these indices."""
    return {place: (len(there), min(there)) for place in range(period) if (there := [i for i in indices if i % period == place])}


@pytest.mark.parametrize("draw", range(50))
def test_bases_are_their_indices(draw):
    numbers = random.Random(draw)
    period, step, count, times = numbers.choice([1, 8, 16]), numbers.randrange(40), numbers.randrange(60), numbers.randrange(4)
    some = [numbers.randrange(1000) for _ in range(30)]
    often = [numbers.randrange(4) for _ in some]
    each, steps = [i for i, n in zip(some, often) for _ in range(n)], [step * k for k in range(count) for _ in range(times)]
    a, b = Bases.of(np.array(some), np.array(often), period), Bases.steps(step, count, period, times)
    assert a.at == counted_by_place(each, period) and b.at == counted_by_place(steps, period)
    assert (a + b).at == counted_by_place(each + steps, period)
    assert (a * b).at == counted_by_place([i + j for i in each for j in steps], period)


@pytest.mark.parametrize(("rows", "keys"), [(1, 32), (32, 1), (4, 8), (2, 16), (1, 1)])
@pytest.mark.parametrize(("n", "m", "mask"), [(70, 70, "causal"), (33, 90, "causal"), (90, 33, "causal"), (37, 45, "full"), (1, 5, "full")])
def test_the_visible_part_is_cut_into_patches(rows, keys, n, m, mask):
    problem, period = AttentionProblem(n, kv_len=m, mask=mask), 16
    patches = {}
    for row, key in itertools.product(range(0, n, rows), range(0, m, keys)):
        taking = tuple(min(keys, max(0, problem.keys_seen(i) - key)) if i < n else 0 for i in range(row, row + rows))
        if any(taking):
            patches.setdefault(taking, []).append(row * m + key)
    found = visible(problem, rows, keys, lambda row, key: row * m + key, period)
    assert {taking: bases.at for taking, bases in found} == {
        taking: counted_by_place(indices, period) for taking, indices in patches.items()}
