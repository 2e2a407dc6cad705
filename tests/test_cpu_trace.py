"""Traces of the cpu backend: every warp access of a block, in order; together they are what counting warps counts."""
from collections import Counter

import pytest
import warp_accesses
from small_kernels import CASES, CELLS, GET, PUT, X_READ, Y_WRITE

from numba_kernels import cpu
from numba_kernels.run import run
from numba_kernels.traces import trace
from traffic_model import AttentionProblem, Cell, Ledger, Measure, Refusal, Tiling, find_gpu

GPU = find_gpu("H200 SXM")
MEASURES = (Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS)


def summed(accesses) -> Ledger:
    """The ledger of a trace."""
    sums = Counter()
    for access in accesses:
        for measure in MEASURES:
            if (value := getattr(access, measure)) is not None:
                sums[access.array, access.space, access.direction, measure] += value
    return Ledger(sums, MEASURES)


@pytest.mark.parametrize("name", ["matmul", "ragged"])
def test_a_trace_holds_every_warp_access(name):
    case = CASES[name]
    traced = [access for block in range(case.spec.blocks) for access in cpu.trace(case.spec, case.arrays(), block)]
    in_order = lambda elements: tuple(sorted(element for element in elements if element is not None))
    by_hand = Counter((*CELLS[cell], in_order(elements)) for cell, elements in getattr(warp_accesses, name)(case))
    assert Counter((*access[2:5], in_order(access.elements)) for access in traced) == Counter(
        {access: times for access, times in by_hand.items() if access[-1]})  # by hand there may be accesses of no lane


def test_accesses_come_in_the_order_in_which_they_happen():
    traced = cpu.trace(CASES["matmul"].spec, CASES["matmul"].arrays(), block=4)
    kinds = [CELLS.index(Cell(*access[2:5])) for access in traced]
    assert kinds == ([X_READ, X_READ, PUT, PUT] + [GET, GET] * 4) * 3 + [Y_WRITE] + [Y_WRITE] * 3
    assert [access.interval for access in traced if access.direction == "read" and access.space == "hbm"] == [1, 1, 3, 3, 5, 5]
    reads = [access.iteration for access in traced if access.interval == 2]
    assert reads == [(0,), (0,), (1,), (1,), (2,), (2,), (3,), (3,)]
    second = [access for access in traced if access.name == "B_tile" and access.interval == 2][1]
    assert second.elements == tuple(16 + 4 + t % 4 for t in range(16)) + (None,) * 16  # where the view lies in what it is cut from
    assert (second.requested, second.distinct, second.sectors, second.wavefronts) == (64, 16, None, 128)


def test_diverging_lanes_are_put_where_they_belong():
    traced = cpu.trace(CASES["ragged"].spec, CASES["ragged"].arrays(), warp=0)
    reads = [access for access in traced if access.space == "hbm" and access.direction == "read"]
    assert [access.iteration for access in reads] == sorted(access.iteration for access in reads)
    first = reads[0]  # lane t reads element t unless its loop is not run at all, or t is a multiple of 3
    assert first.elements == tuple(t if t % 5 and t % 3 else None for t in range(32))
    assert {access.warp for access in traced} == {0}


def test_movements_are_what_a_line_moves_between_two_barriers():
    moved = cpu.movements(cpu.trace(CASES["matmul"].spec, CASES["matmul"].arrays(), block=4))
    by_place = [(move.interval, move.name, move.direction, move.first, move.last, move.requested, move.distinct) for move in moved]
    assert by_place[:6] == [  # block (1, 1) of 4 × 4 elements of X, 10 × 10
        (1, "X", "read", 40, 73, 64, 64), (1, "X", "read", 4, 37, 64, 64),
        (1, "A_tile", "write", 0, 15, 64, 64), (1, "B_tile", "write", 16, 31, 64, 64),
        (2, "A_tile", "read", 0, 15, 256, 64), (2, "B_tile", "read", 16, 31, 256, 64)]


def test_attention():
    problem = AttentionProblem(19, kv_len=40, head_dim=16, mask="causal", dtype="float16")
    traced = [access for block in range(3) for access in trace("naive", problem, Tiling(), GPU, "output", block)]
    counted = run("naive", problem, Tiling(), GPU, "cpu", "warps").kernels[2]
    assert counted.launch.grid == (1, 3, 1)
    assert summed(traced).disagreements(counted.ledger) == []
    assert {access.element_bytes for access in traced if access.space == "hbm"} == {2}


@pytest.mark.parametrize(("how", "reason"), [
    (dict(block=9), "block 9 of matmul is not there; choose 0 to 8"),
    (dict(warp=1), "warp 1 of matmul is not there; choose 0 to 0"),
])
def test_what_is_not_there_is_refused(how, reason):
    with pytest.raises(Refusal, match=reason):
        cpu.trace(CASES["matmul"].spec, CASES["matmul"].arrays(), **how)


def test_a_kernel_that_is_not_there_is_refused():
    with pytest.raises(Refusal, match="naive has no kernel fused; choose scores or softmax or output"):
        trace("naive", AttentionProblem(16, head_dim=16), Tiling(), GPU, "fused")
