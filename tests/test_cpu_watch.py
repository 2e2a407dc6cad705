"""What threads hold at a barrier, as the cpu backend sees it: partial sums of a product; and the different elements that a grid names."""
import numpy as np
from small_kernels import CASES, CELLS, X_READ, Y_WRITE

from numba_kernels import cpu


def test_a_sum_grows_from_barrier_to_barrier():
    case, arrays = CASES["matmul"], CASES["matmul"].arrays()
    held = cpu.watch(case.spec, arrays, block=4, barriers=[1], moments=4)["total"]  # after each of three tiles of 4
    x = arrays["X"].reshape(10, 10).astype(float)
    sums = [(x[4:8, :end] @ x[:end, 4:8]).ravel() for end in (4, 8, 10)]  # block 4 is (1, 1) of 4×4 threads
    np.testing.assert_allclose(held, [*sums, np.zeros(16)], rtol=1e-5)
    before = cpu.watch(case.spec, case.arrays(), block=4, barriers=[0], moments=2)["total"]
    np.testing.assert_allclose(before, [np.zeros(16), sums[0]], rtol=1e-5)


def test_a_kernel_without_barriers_has_nothing_to_watch():
    assert cpu.watch(CASES["ragged"].spec, CASES["ragged"].arrays(), 0, [0], 1) == {}


def test_elements_are_touched_once_however_often_they_are_named():
    case = CASES["matmul"]
    moved, counts = cpu.moved(case.spec, case.arrays()), cpu.launch(case.spec, case.arrays(), "requests")
    assert moved.touched == {CELLS[X_READ]: 100 * 4, CELLS[Y_WRITE]: 103 * 4}
    assert moved.requested == dict(zip(CELLS, counts.tolist())) and moved.requested[CELLS[X_READ]] > 100 * 4
