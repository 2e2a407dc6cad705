"""What warps name, predicted == counted: distinct bytes, sectors and wavefronts of every rung; and the parts the prediction is made of."""
import itertools
import random
from collections import Counter

import numpy as np
import pytest
import shapes

from numba_kernels.run import run
from numba_kernels.traces import trace
from traffic_model import ALGORITHMS, AttentionProblem, Cell, Direction, Ledger, Measure, Refusal, Tiling, find_gpu, predict
from traffic_model.vocabulary import Array, Space
from traffic_model.warps import SOURCES, Access, warp_ledgers
from traffic_model.warps.bases import Bases
from traffic_model.warps.explain import kinds
from traffic_model.warps.unpadded import unpadded
from traffic_model.warps.visible import visible

H200 = find_gpu("H200 SXM")
COMPILED = [  # algorithm, tiling, and what else compiles a kernel; each takes seconds, so a test runs all its sizes
    ("naive", (64, 64), dict(mask="causal", dtype="float16", head_dim=17)),
    ("naive", (64, 64), dict(mask="full", dtype="float32", head_dim=64)),
    ("tiled", (16, 16), dict(mask="causal", dtype="float16", head_dim=17)),
    ("tiled", (64, 64), dict(mask="full", dtype="float32", head_dim=64)),
    ("fused", (16, 64), dict(mask="causal", dtype="bfloat16", head_dim=63)),
    ("fused", (128, 16), dict(mask="full", dtype="float32", head_dim=128)),
    ("fused_kv_outer", (16, 64), dict(mask="causal", dtype="bfloat16", head_dim=128)),  # two threads of a row in a warp
    ("fused_kv_outer", (64, 16), dict(mask="full", dtype="float32", head_dim=63)),
]
SIZES = [dict(seq_len=1), dict(seq_len=17, kv_len=100), dict(seq_len=63, heads=3), dict(seq_len=65, kv_len=7, batch=2),
         dict(seq_len=100, heads=4, kv_heads=2, kv_len=101), dict(seq_len=192),
         dict(seq_len=100, kv_len=63, heads=6, kv_heads=2, batch=2)]
WARP_MEASURES = Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS


@pytest.mark.parametrize(("algorithm", "tiling", "compiled"), COMPILED, ids=str)
def test_predicted_is_counted(algorithm, tiling, compiled):
    for size in SIZES:
        problem = AttentionProblem(**compiled, **size)
        counted = run(algorithm, problem, Tiling(*tiling), H200, "cpu", "warps")
        for kernel, really in zip(predict(algorithm, problem, Tiling(*tiling), H200).warps, counted.kernels, strict=True):
            assert kernel.ledger.disagreements(really.ledger.only(*WARP_MEASURES)) == [], (kernel.name, problem)
            assert kernel.ledger == really.ledger.only(*WARP_MEASURES)


def lanes_that_take_part(algorithm, problem, layout):
    """Per kernel, requested bytes as the sum over warp accesses."""
    for sources in SOURCES[algorithm](problem, layout):
        cells = {source.cell: 0 for source in sources}
        for access in itertools.chain(*(source.accesses for source in sources)):
            cells[access.cell] += access.bytes(Measure.REQUESTED) * access.times
        yield Ledger.of(Measure.REQUESTED, cells)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_lanes_of_all_warps_sum_to_the_requested_bytes(algorithm):
    cases = [shapes.case(row) for row in shapes.covering_rows()]
    cases += [(AttentionProblem(300, kv_len=77, head_dim=head_dim, heads=2), Tiling(*tiling)) for head_dim in (97, 193, 256)
              for tiling in itertools.product((16, 32, 128, 256), (16, 32, 256))]
    cases += [(AttentionProblem(4096, heads=16, mask="causal", dtype="float16"), Tiling())]
    held = 0
    for problem, tiling in cases:
        try:
            prediction = predict(algorithm, problem, tiling, H200)
        except Refusal:
            continue
        held += 1
        for kernel, requested in zip(prediction.kernels, lanes_that_take_part(algorithm, problem, prediction.layout), strict=True):
            assert kernel.ledger.only(Measure.REQUESTED).disagreements(requested, "closed form", "warps") == []
    assert held > len(cases) // 2


def test_every_kind_of_access_really_happens():
    problem, tiling = AttentionProblem(13, kv_len=43, head_dim=17, mask="causal", dtype="float16"), Tiling(16, 16)
    layout = predict("tiled", problem, tiling, H200).layout  # one block in the kernel that is traced
    happened = Counter((each.array, each.space, each.direction, each.elements) for each in trace("tiled", problem, tiling, H200, "output"))
    accesses = [access for source in SOURCES["tiled"](problem, layout)[2] for access in source.accesses]
    assert [access for access in accesses if (*access.cell, access.elements) not in happened] == []
    assert sum(access.times for access in accesses) == happened.total()


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


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_work_does_not_grow_with_the_sequence(algorithm):
    few, many = (SOURCES[algorithm](AttentionProblem(n, heads=16, mask="causal", dtype="float16"), layout)
                 for n in (4096, 8192) for layout in [predict(algorithm, AttentionProblem(4096), Tiling(), H200).layout])
    count = lambda kernels: [sum(len(source.accesses) for source in sources) for sources in kernels]
    assert count(few) == count(many) and max(count(few)) < 2000


def test_bytes_alone_do_not_look_at_warps():
    prediction = predict("fused", AttentionProblem(4097), Tiling(), H200)
    assert prediction.record() and "warps" not in vars(prediction)
    assert prediction.warps is prediction.warps and "warps" in vars(prediction)


def test_what_padding_is_for():
    problem = AttentionProblem(256)
    layout = predict("tiled", problem, Tiling(), H200).layout
    padded, bare = (warp_ledgers("tiled", problem, each)[0] for each in (layout, unpadded(layout)))
    fill, get = ((Array.K, Space.SHARED, Direction.WRITE, Measure.WAVEFRONTS), (Array.S, Space.SHARED, Direction.READ, Measure.WAVEFRONTS))
    assert bare[fill] == 8 * padded[fill] and bare[get] == padded[get]  # eight columns of a patch in four banks each, or all in one bank
    assert unpadded(predict("naive", problem, Tiling(), H200).layout) is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_kinds_are_all_accesses_of_a_cell(algorithm):
    problem = AttentionProblem(200, kv_len=170, head_dim=100, heads=2, mask="causal", dtype="bfloat16")
    prediction = predict(algorithm, problem, Tiling(16, 16), H200)
    for kernel in prediction.warps:
        for array, space, direction, measure in kernel.ledger:
            name, found = kinds(algorithm, problem, prediction.layout, Cell(array, space, direction))
            times = [kind.access.times for kind in found]
            assert name == kernel.name and times == sorted(times, reverse=True)
            assert sum(kind.access.bytes(measure) * kind.access.times for kind in found) == kernel.ledger[array, space, direction, measure]
    with pytest.raises(Refusal, match=f"{algorithm} makes no access 'K hbm write' here; choose 'Q hbm read'"):
        kinds(algorithm, problem, prediction.layout, Cell(Array.K, Space.HBM, Direction.WRITE))
