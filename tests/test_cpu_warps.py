"""Counting warps on the cpu backend: what every warp access names, against address arithmetic written down by hand."""
from pathlib import Path

import pytest
import shapes
import small_kernels
import warp_accesses
from small_kernels import CASES, CELLS, case, load

from numba_kernels import cpu, naive
from numba_kernels.results import ledger_of
from numba_kernels.run import gpu_available, run
from traffic_model import AttentionProblem, Cell, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model.layout import LAYOUTS

GPU = find_gpu("H200 SXM")
WIDE = (  # several warps in a block
    case(small_kernels.transpose, 32, (2, 2, 1), (32, 8, 1), 64 * 64, 64 * 64, (("rows", 64), ("columns", 64))),
    case(small_kernels.matmul, 8, (3, 3, 1), (8, 8, 1), 20 * 20, 20 * 20 + 3, (("n", 20),), 2 * 64 * 4),
)
SHAPES = (  # one mask and dtype, so that they share their compiled kernels
    AttentionProblem(19, kv_len=40, head_dim=16, heads=2, kv_heads=1, mask="causal", dtype="float16"),
    AttentionProblem(40, kv_len=37, head_dim=33, mask="causal", dtype="float16", batch=2),
)


def counted(made, spec=None):
    """The ledger of a small kernel."""
    return ledger_of(CELLS, "warps", cpu.launch(spec or made.spec, made.arrays(), "warps"))


@pytest.mark.parametrize("made", [*CASES.values(), *WIDE], ids=lambda made: f"{made.spec.launch.name}-{made.spec.threads}")
def test_every_warp_access_is_measured(made):
    by_hand = warp_accesses.measured(CELLS, getattr(warp_accesses, made.spec.launch.name)(made))
    assert by_hand.disagreements(counted(made), "by hand") == []
    assert by_hand.total(Measure.WAVEFRONTS) > 0


@pytest.mark.parametrize("problem", SHAPES, ids=str)
def test_naive_attention(problem):
    layout = LAYOUTS["naive"].resolve(problem, Tiling(), GPU)
    result = run("naive", problem, Tiling(), GPU, "cpu", "warps")
    for spec, kernel in zip(naive.kernels(problem, layout), result.kernels, strict=True):
        accesses = getattr(warp_accesses, f"naive_{spec.launch.name}")(problem)
        by_hand = warp_accesses.measured(spec.cells, accesses, problem.element_bytes)
        assert by_hand.disagreements(kernel.ledger, "by hand") == []


def test_a_row_without_its_padding_meets_one_bank(tmp_path):
    planted = load(tmp_path, "unpadded", Path(small_kernels.__file__).read_text().replace("padded = side + 1", "padded = side"))
    get = (*Cell(*CELLS[small_kernels.GET]),)
    accesses = 32 * 4  # a warp reads 32 columns of each of four blocks
    padded = WIDE[0]
    assert counted(padded)[*get, Measure.WAVEFRONTS] == 128 * accesses
    assert counted(padded, padded.spec._replace(text=planted.transpose))[*get, Measure.WAVEFRONTS] == 32 * 128 * accesses


def test_attention_states_each_cells_measures():
    algorithm = "fused_kv_outer"
    problem, tiling = AttentionProblem(70, head_dim=16, mask="causal"), Tiling(16, 16)
    result = run(algorithm, problem, tiling, GPU, "cpu", "warps")
    ledger = result.ledger
    assert result.relative_error < 1e-5
    assert ledger.measures == {Measure.REQUESTED, Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS}
    requested = ledger.only(Measure.REQUESTED)
    assert predict(algorithm, problem, tiling, GPU).ledger.only(Measure.REQUESTED).disagreements(requested) == []
    for array, space, direction, _ in requested:
        at = array, space, direction
        assert ledger[*at, Measure.DISTINCT] <= ledger[*at, Measure.REQUESTED]
        most = Measure.SECTORS if space == Space.HBM else Measure.WAVEFRONTS
        assert ledger[*at, most] >= ledger[*at, Measure.DISTINCT]
        assert (*at, Measure.WAVEFRONTS if space == Space.HBM else Measure.SECTORS) not in ledger


def test_a_warp_that_accesses_without_end_is_refused():
    keys = 40_000  # of each lane: three reads and a write
    problem = AttentionProblem(1, kv_len=keys, head_dim=16, mask="causal", dtype="float16")
    with pytest.raises(Refusal, match="a warp of softmax makes too many accesses between two barriers"):
        run("naive", problem, Tiling(), GPU, "cpu", "warps")


def test_the_simulator_refuses():
    with pytest.raises(Refusal, match="the simulator backend has no warps to count; take the cpu backend"):
        run("naive", AttentionProblem(16, head_dim=16), Tiling(), GPU, "simulator", "warps")


if gpu_available():
    @pytest.mark.parametrize("problem", [AttentionProblem(192), AttentionProblem(100, 63, 2, 2, 1, 130, "bfloat16", "causal")], ids=str)
    @pytest.mark.parametrize("algorithm", shapes.CUDA_CORES)
    def test_votes_of_a_gpus_warps_count_the_same(algorithm, problem):
        on_gpu, on_cpu = (run(algorithm, problem, Tiling(16, 64), GPU, backend, "warps").ledger for backend in ("gpu", "cpu"))
        assert on_gpu.disagreements(on_cpu, "gpu", "cpu") == []
