"""Saved runs: written, resumed, read back; a broken file is refused with the line and the reason."""
import json

import pytest
import shapes

from numba_kernels import saved
from numba_kernels.sweep import sweep
from traffic_model import AttentionProblem, Ledger, Measure, Refusal, Tiling, find_gpu, predict

H200 = find_gpu("H200 SXM")


def small_sweep(path, lengths=(16, 20), said=None):
    problems = [AttentionProblem(n, head_dim=16) for n in lengths]
    sweep(path, ["naive", "fused"], problems, [Tiling(16, 16)], H200, "cpu", say=(said if said is not None else []).append, seed=0)
    return saved.read(path)


def test_a_sweep_writes_a_header_and_a_line_per_run_and_resumes(tmp_path):
    path, said = tmp_path / "new" / "runs.jsonl", []
    first = small_sweep(path, lengths=(16,))
    assert first.header["schema"] == saved.SCHEMA and len(first.runs) == 2
    both = small_sweep(path, said=said)
    assert both.runs[:2] == first.runs and len(both.runs) == 4
    assert said[0] == "2 of 4 are there already" and len(said) == 3


def test_a_run_that_counted_otherwise_is_another_run(tmp_path):
    path = tmp_path / "runs.jsonl"
    small_sweep(path, lengths=(16,))
    sweep(path, ["fused"], [AttentionProblem(16, head_dim=16)], [Tiling(16, 16)], H200, "cpu", say=lambda line: None, counting="off")
    assert [(run["algorithm"], run["counting"]) for run in saved.read(path).runs] == [
        ("naive", "requests"), ("fused", "requests"), ("fused", "off")]


def test_a_run_on_other_inputs_is_another_run(tmp_path):
    path = tmp_path / "runs.jsonl"
    small_sweep(path, lengths=(16,))
    sweep(path, ["fused"], [AttentionProblem(16, head_dim=16)], [Tiling(16, 16)], H200, "cpu", say=lambda line: None, seed=7)
    assert [(run["algorithm"], run["seed"]) for run in saved.read(path).runs] == [("naive", 0), ("fused", 0), ("fused", 7)]


@pytest.mark.parametrize("begun", ["", "a header without its line end"])
def test_a_sweep_takes_up_a_file_that_was_only_begun(tmp_path, begun):
    path = tmp_path / "runs.jsonl"
    whole = small_sweep(path, lengths=(16,))
    path.write_text(path.read_text().partition("\n")[0] if begun else "")
    assert small_sweep(path, lengths=(16,)).runs == whole.runs


def test_a_line_cut_off_by_an_interruption_is_measured_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    whole = small_sweep(path)
    path.write_text(path.read_text()[:-40])
    assert small_sweep(path).runs == whole.runs


def test_a_last_line_that_only_lacks_its_end_is_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    small_sweep(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    small_sweep(path)
    assert path.read_bytes() == whole


SHIPPED = {files.path.stem: files for files in saved.recorded()}


@pytest.mark.parametrize("files", SHIPPED.values(), ids=SHIPPED)
def test_the_shipped_runs_are_real_counts_and_complete(files):
    assert files.header["gpu"] == "NVIDIA H200" and files.header["copy_gb_per_s"] > 1000 and files.header["commit"]
    for run in files.runs:
        problem, tiling = AttentionProblem(**run["problem"]), Tiling(**run["tiling"])
        assert run["relative_error"] < shapes.TOLERANCES[problem.dtype]
        assert len(saved.total_times_ms(run)) >= 3  # of a kernel that takes long; of a short one 20
        if run["backend"] == saved.LIBRARY:  # which has kernels of its own, and counts nothing
            continue
        predicted = predict(run["algorithm"], problem, tiling, H200).ledger.only(Measure.REQUESTED)
        assert predicted == Ledger.from_records(run["ledger"], run["measures"]) and run["backend"] == "gpu"
        spilled = 24 if run["algorithm"] == "fused_tensor_core" else 0  # between its walks: tests/test_tensor_cores.py
        assert all(kernel["local_bytes"] <= spilled for kernel in run["kernels"])


def test_the_shipped_runs_cover_what_the_time_page_opens_on():
    files = SHIPPED["h200_float32"]
    lengths = {name: {r["problem"]["seq_len"] for r in files.runs if r["algorithm"] == name} for name in ("naive", "tiled", "fused")}
    assert all({2**k for k in range(8, 15)} <= held for held in lengths.values())
    assert {(run["algorithm"], run["needed_bytes"] > 120e9) for run in files.out_of_memory} == {("naive", True), ("tiled", True)}


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "runs.jsonl"
    small_sweep(path, lengths=(16,))
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def broken(change):
    def apply(objects):
        change(objects)
        return "\n".join(json.dumps(o) for o in objects)

    return apply


@pytest.mark.parametrize(("text", "reason"), [
    (lambda objects: "", "is empty"),
    (lambda objects: "not json", "line 1 is not JSON"),
    (lambda objects: "[1, 2]", "line 1 is not an object but list"),
    (lambda objects: json.dumps(objects[0]) + "\n{}", "line 2 is not usable: it lacks or does not know 'algorithm'"),
    (broken(lambda o: o[0].update(schema=99)), "line 1 is not usable: its schema is 99"),
    *((broken(lambda o, name=name: o[1]["problem"].pop(name)), "line 2 is not usable: its problem is not whole") for name in
      ("batch", "dtype", "head_dim", "kv_heads", "kv_len", "mask")),
    (broken(lambda o: o[1]["problem"].update(kv_len=None)), "line 2 is not usable: its problem is not whole"),
    (broken(lambda o: o[0].pop("gpu")), "line 1 .* 'gpu'"),
    (broken(lambda o: o[1]["problem"].update(seq_len=0)), "line 2 .* seq len 0"),
    (broken(lambda o: o[1]["problem"].update(surprise=1)), "line 2 .*surprise"),
    (broken(lambda o: o[1]["tiling"].update(block_q="64")), "line 2"),
    (broken(lambda o: o[2]["ledger"][0].update(bytes=-4)), "line 3 .* whole numbers from 0 up"),
    (broken(lambda o: o[2]["ledger"][0].update(bytes=True)), "line 3 .* whole numbers from 0 up"),
    (broken(lambda o: o[2]["ledger"].append(o[2]["ledger"][0])), "line 3 .* a cell is there twice"),
    (broken(lambda o: o[2]["ledger"][0].update(array="w")), "line 3 .* 'w' is not a valid Array"),
    (broken(lambda o: o[2]["kernels"][0].update(times_ms=[1.0, 0])), "line 3 .* not all between 1e-06 and 1e.09 ms"),
    (broken(lambda o: o[2].update(kernels=None)), "line 3"),
    *((broken(lambda o, kernels=kernels: o[2].update(kernels=kernels)), "line 3 .* its kernels are .*; .* has ") for kernels in
      ([], [dict(name="other", times_ms=[1.0], counted_times_ms=[], ledger=[], measures=[])])),
    (broken(lambda o: o[2].update(algorithm="other")), "line 3 .* its algorithm is 'other', not naive"),
    (broken(lambda o: o[2].update(ledger=[])), "line 3 .* it names measures and has no ledger"),
    (broken(lambda o: o[2].update(backend="library")), "line 3 .* a library's run has a name of its own"),
    (broken(lambda o: o[2].update(relative_error=None)), "line 3 .* relative_error is None"),
    (lambda objects: json.dumps(objects[0]) + '\n{"relative_error": NaN}', "line 2 is not JSON: NaN is not"),
])
def test_a_broken_file_is_refused_with_line_and_reason(lines, text, reason):
    path, objects = lines
    path.write_text(text(objects))
    with pytest.raises(Refusal, match=reason):
        saved.read(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Refusal, match="cannot be read"):
        saved.read(path)


def test_a_file_that_is_not_a_sweeps_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("first line\nprecious notes without a last newline")
    with pytest.raises(Refusal, match="line 1 is not JSON"):
        small_sweep(path)
    assert path.read_text() == "first line\nprecious notes without a last newline"


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(Refusal, match="cannot be used"):
        small_sweep(tmp_path)
