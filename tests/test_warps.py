"""What warps name, predicted == counted: distinct bytes, sectors and wavefronts of every access of every rung."""
import itertools
from collections import Counter

import pytest
import shapes

from numba_kernels.run import run
from numba_kernels.traces import trace
from traffic_model import AttentionProblem, Cell, Direction, Ledger, Measure, Refusal, Tiling, find_gpu, predict
from traffic_model.vocabulary import Array, Space
from traffic_model.warps import MEASURES, SOURCES, warp_ledgers
from traffic_model.warps.explain import kinds
from traffic_model.warps.unpadded import unpadded

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


def lanes_that_take_part(prediction):
    """Per kernel, requested bytes as the sum over warp accesses."""
    for sources in SOURCES[prediction.algorithm](prediction.problem, prediction.layout):
        cells = {source.cell: 0 for source in sources}
        for access in itertools.chain(*(source.accesses for source in sources)):
            cells[access.cell] += access.bytes(Measure.REQUESTED) * access.times
        yield Ledger.of(Measure.REQUESTED, cells)


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
def test_the_lanes_of_all_warps_sum_to_the_requested_bytes(algorithm):
    cases = [shapes.case(row) for row in shapes.covering_rows()]
    cases += [(AttentionProblem(300, kv_len=77, head_dim=head_dim, heads=2), Tiling(*tiling)) for head_dim in (97, 193, 256)
              for tiling in itertools.product((16, 32, 128, 256), (16, 32, 256))]
    cases += [(AttentionProblem(4096, heads=16, mask="causal", dtype="float16"), Tiling())]
    legal = {(prediction.problem, prediction.layout): prediction for prediction in _predictions(algorithm, cases)}  # naive has one layout
    assert len({problem for problem, _ in legal}) == len({problem for problem, _ in cases})
    for prediction in legal.values():
        for kernel, requested in zip(prediction.kernels, lanes_that_take_part(prediction), strict=True):
            assert kernel.ledger.only(Measure.REQUESTED).disagreements(requested, "closed form", "warps") == []


def _predictions(algorithm, cases):
    for problem, tiling in cases:
        try:
            yield predict(algorithm, problem, tiling, H200)
        except Refusal:  # too much shared memory
            pass


def test_every_kind_of_access_really_happens():
    problem, tiling = AttentionProblem(37, kv_len=43, head_dim=101, mask="causal", dtype="float16"), Tiling(16, 16)
    layout = predict("fused_kv_outer", problem, tiling, H200).layout  # a block per head, so that one traced block is the launch
    traced = trace("fused_kv_outer", problem, tiling, H200, "fused_kv_outer")
    happened = Counter((each.array, each.space, each.direction, each.elements) for each in traced)
    [sources] = SOURCES["fused_kv_outer"](problem, layout)
    accesses = [access for source in sources for access in source.accesses]
    assert [access for access in accesses if (*access.cell, access.elements) not in happened] == []
    assert sum(access.times for access in accesses) == happened.total()


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
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


@pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
def test_kinds_are_all_accesses_of_a_cell(algorithm):
    problem = AttentionProblem(90, kv_len=70, head_dim=100, heads=2, mask="causal", dtype="bfloat16")
    prediction = predict(algorithm, problem, Tiling(16, 16), H200)
    for kernel in prediction.warps:
        for cell in {Cell(*key[:3]): None for key in kernel.ledger}:
            name, found = kinds(algorithm, problem, prediction.layout, cell)
            times = [kind.access.times for kind in found]
            assert name == kernel.name and times == sorted(times, reverse=True)
            for measure in MEASURES[cell.space]:
                assert sum(kind.access.bytes(measure) * kind.access.times for kind in found) == kernel.ledger[*cell, measure]
    with pytest.raises(Refusal, match=f"{algorithm} makes no access 'K hbm write' here; choose 'Q hbm read'"):
        kinds(algorithm, problem, prediction.layout, Cell(Array.K, Space.HBM, Direction.WRITE))
