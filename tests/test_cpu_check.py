"""The checking run of the cpu backend: planted faults are found, with file, line, array, index and both threads; clean kernels pass."""
from pathlib import Path

import numpy as np
import pytest
import small_kernels
from small_kernels import CASES, load

from numba_kernels import cpu, fused, naive
from numba_kernels.run import ALGORITHMS, run
from traffic_model import AttentionProblem, Refusal, Tiling, find_gpu
from traffic_model.layout import LAYOUTS

GPU = find_gpu("H200 SXM")
SMALL = Path(small_kernels.__file__).read_text()


def line_of(text: str, wanted: str) -> int:
    """Number of the only line that holds this."""
    [number] = [number for number, line in enumerate(text.splitlines(), 1) if wanted in line]
    return number


def planted(folder: Path, name: str, old: str, new: str, place: int = 0) -> tuple[str, list[cpu.Fault]]:
    """The text in which the `place`-th `old` of a small kernel is another, and its faults."""
    before, of_kernel = SMALL.split(f"def {name}(layout", 1)
    pieces = of_kernel.split(old)
    text = before + f"def {name}(layout" + old.join(pieces[:place + 1]) + new + old.join(pieces[place + 1:])
    case = CASES[name]
    return text, cpu.check(case.spec._replace(text=getattr(load(folder, "planted", text), name)), case.arrays())


@pytest.mark.parametrize("name", ["block_sum", "stencil"])
def test_clean_kernels_pass(name):
    assert cpu.check(CASES[name].spec, CASES[name].arrays()) == []


@pytest.mark.parametrize("algorithm", ["naive", "fused_kv_outer"])
def test_attention_passes(algorithm):
    problem = AttentionProblem(40, kv_len=50, head_dim=16, heads=2, kv_heads=1, mask="causal", dtype="float16")
    checked = run(algorithm, problem, Tiling(16, 16), GPU, "cpu", "off", check=True)
    assert checked.relative_error < 2e-3  # and the run itself starts from untouched arrays


def test_a_missing_barrier_before_a_read_is_a_race(tmp_path):
    text, faults = planted(tmp_path, "transpose", "cuda.syncthreads()", "pass")
    got = line_of(text, "shared.read(tally, GET, tile, cuda.threadIdx.x * padded + step)")
    put = line_of(text, "shared.write(tally, PUT, tile, step * padded + cuda.threadIdx.x")
    races = {(fault.line, fault.verb, fault.other_line, fault.other_verb): fault for fault in faults if fault.kind == "race"}
    assert set(races) == {(got, "reads", put, "wrote"), (put, "writes", got, "read")}  # whichever thread comes first here
    for fault in races.values():
        assert (fault.file, fault.array) == ("planted.py", "tile")
        assert fault.thread != fault.other and fault.thread.block == fault.other.block == 0


def test_a_missing_barrier_before_a_write_is_a_race(tmp_path):
    text, faults = planted(tmp_path, "matmul", "cuda.syncthreads()", "pass", place=1)
    puts = [line_of(text, f"shared.write(tally, PUT, {tile}") for tile in ("A_tile", "B_tile")]
    got = line_of(text, "shared.read(tally, GET, A_tile")
    assert {(fault.line, fault.array, fault.verb, fault.other_line, fault.other_verb) for fault in faults[:2]} == {
        (puts[0], "A_tile", "writes", got, "read"), (puts[1], "B_tile", "writes", got, "read")}


def test_blocks_that_write_the_same_element_race():
    [fault] = cpu.check(CASES["matmul"].spec, CASES["matmul"].arrays())  # its blocks all write the last three, the same value each
    line = line_of(SMALL, "hbm.write(tally, Y_WRITE, Y, n * n + k, float32(k))")
    assert str(fault) == (f"small_kernels.py, line {line}: thread 0 of block 1 writes Y[100], which thread 0 of block 0 wrote in line "
                          f"{line}, with no barrier between.")


def test_shared_memory_that_nobody_wrote(tmp_path):
    text, faults = planted(tmp_path, "stencil", "if thread < radius:", "if thread < radius - 1:")
    line = line_of(text, "y += weight(abs(k)) * shared.read(tally, GET, row, thread + radius + k)")
    assert {(fault.kind, fault.line, fault.array) for fault in faults} == {("unwritten", line, "row")}
    assert str(faults[0]).endswith("which no thread of the block has written.")


@pytest.mark.parametrize(("index", "element"), [("size - thread", 24), ("-1 - thread", -1)])
def test_an_index_off_by_one(tmp_path, index, element):
    text, faults = planted(tmp_path, "volume", "size - 1 - thread", index)
    assert str(faults[0]) == (f"planted.py, line {line_of(text, f'shared.read(tally, GET, box, {index})')}: thread 0 of block 0 reads "
                              f"box[{element}], which is outside the array.")


def test_an_index_outside_a_local_array(tmp_path):
    text, faults = planted(tmp_path, "carousel", "own[c - width]", "own[c - width - 1]")
    assert (faults[0].kind, faults[0].array, faults[0].index) == ("outside", "own", -4)


def test_attention_without_one_of_its_barriers(tmp_path):
    text = Path(fused.__file__).read_text()
    before = text.index("top = m[r]")
    barrier = text.rindex("cuda.syncthreads()", 0, before)
    racy = load(tmp_path, "racy", text[:barrier] + "pass" + text[barrier + len("cuda.syncthreads()"):])
    problem = AttentionProblem(40, kv_len=50, head_dim=16, mask="causal")
    layout = LAYOUTS["fused"].resolve(problem, Tiling(16, 16), GPU)
    faults = cpu.check(racy.kernels(problem, layout)[0], attention_arrays(problem))
    put, got = (line_of(text, wanted) for wanted in ("column * block_q + row + r, top)", "top = max(top, shared.read(tally, STATS_GET"))
    races = {(fault.line, fault.other_line, fault.array) for fault in faults if fault.kind == "race"}
    assert races >= {(got, put, "tiles"), (put, got, "tiles")} and faults[0].kind == "race"
    clean = cpu.check(fused.kernels(problem, layout)[0], attention_arrays(problem))
    assert clean == []


def test_a_counter_that_goes_one_too_far(tmp_path, monkeypatch):
    text = Path(naive.__file__).read_text().replace("for c in range(d):", "for c in range(d + 1):")
    monkeypatch.setitem(ALGORITHMS, "naive", load(tmp_path, "too_far", text).kernels)
    line = line_of(text, "hbm.read(tally, K_READ, K, k_row + c)")
    said = rf"too_far.py, line {line}: thread \d+ of block \d+ reads [QK]\[160\], which is outside the array.* There is 1 more"
    with pytest.raises(cpu.Faulty, match=said):
        run("naive", AttentionProblem(10, head_dim=16), Tiling(), GPU, "cpu", check=True)


def attention_arrays(problem):
    """Inputs and an output."""
    return {name: np.ones(size // 4, np.float32) for name, size in
            dict(Q=problem.query_bytes, K=problem.key_bytes, V=problem.key_bytes, O=problem.query_bytes).items()}


def test_other_backends_refuse():
    with pytest.raises(Refusal, match="the simulator backend does not check accesses; take the cpu backend"):
        run("naive", AttentionProblem(16, head_dim=16), Tiling(), GPU, "simulator", check=True)


def test_what_would_take_too_much_memory_is_refused():
    case = CASES["scan"]
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (2**26,), (4,))
    with pytest.raises(Refusal, match="checking scan takes 5.37 GB of memory, 80 bytes for each element in HBM"):
        cpu.check(case.spec, case.arrays() | {"Y": huge})
