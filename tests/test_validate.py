"""Counts beside Nsight Compute's: its CSV is read, equality is told from difference, and what cannot be read is refused."""
import csv
import io

import pytest

from numba_kernels import __main__ as command_line
from numba_kernels import nsight
from numba_kernels.run import run
from numba_kernels.validate import validate
from traffic_model import AttentionProblem, Direction, Measure, Refusal, Space, Tiling, find_gpu

H200 = find_gpu("H200 SXM")
PROBLEM, TILING = AttentionProblem(40, head_dim=16, mask="causal"), Tiling(16, 16)


@pytest.fixture(scope="module")
def counted():
    return run("naive", PROBLEM, TILING, H200, "cpu", "warps")


def profile_of(result, changes=None, names=None) -> str:
    """What ncu would print for launches that move what the run counted. changes: {(kernel's number, metric): text}."""
    header = ["ID", "Kernel Name", *nsight.NAMES, *nsight.MEMORY]
    lines = [header, ["", "", *["byte"] * len(nsight.NAMES), "sector", "byte", "byte", "ns"]]
    for number, kernel in enumerate(result.kernels):
        moved = [kernel.ledger.total(measure, space=space, direction=direction) // unit
                 for (space, direction, measure), (_, unit) in nsight.METRICS.items()]
        row = dict(zip(header, [number, f"{(names or {}).get(number, kernel.launch.name)}[v1,cw5_3d](Array<float, 1, C, mutable, aligned>)",
                                *(f"{value:,}" for value in moved), "10", "1,000", "2,000", "5,000"]))
        lines.append(list((row | {metric: text for (n, metric), text in (changes or {}).items() if n == number}).values()))
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(lines)
    return f"==PROF== Connected to process 1\n{text.getvalue()}"


def test_equal_counts_agree_and_memory_is_in_bytes(counted):
    validation = validate(counted, nsight.read(profile_of(counted)))
    assert [kernel.name for kernel in validation.kernels] == ["scores", "softmax", "output"]
    assert all(each.agrees for kernel in validation.kernels for each in kernel.compared) and validation.disagreements == []
    assert validation.kernels[0].cold == dict(l2_read_bytes=320, dram_read_bytes=1000, dram_write_bytes=2000, duration_us=5.0)
    assert validation.kernels[0].warm is None
    sectors = [each for each in validation.kernels[0].compared if each.measure == Measure.SECTORS]
    assert [each.direction for each in sectors] == [Direction.READ, Direction.WRITE] and all(each.counted > 0 for each in sectors)


def test_a_difference_of_one_byte_is_found_and_distinct_bytes_have_no_excuse(counted):
    metric, _ = nsight.METRICS[Space.HBM, Direction.READ, Measure.DISTINCT]
    was = counted.kernels[1].ledger.total(Measure.DISTINCT, space=Space.HBM, direction=Direction.READ)
    [found] = validate(counted, nsight.read(profile_of(counted, {(1, metric): f"{was + 1:,}"}))).disagreements
    assert (found.counted, found.hardware, found.cause) == (was, was + 1, None)


def test_sectors_may_differ_for_a_cause_that_is_said(counted):
    metric, _ = nsight.METRICS[Space.HBM, Direction.READ, Measure.SECTORS]
    validation = validate(counted, nsight.read(profile_of(counted, {(0, metric): "32"})))
    [found] = [each for each in validation.kernels[0].compared if not each.agrees]
    assert validation.disagreements == [] and "width of the instructions" in found.cause


@pytest.mark.parametrize(("text", "reason"), [
    ("", "holds no launches"),
    ("==ERROR== nothing\n", "holds no launches"),
    ('"ID","Kernel Name","dram__bytes_read.sum"\n"","","Kbyte"\n"0","f","1"\n', "line 3: dram__bytes_read.sum is in Kbyte; export with"),
    ('"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","f","n/a"\n', "line 3: dram__bytes_read.sum is 'n/a', not a number"),
    *(('"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","f","' + number + '"\n', "not a number from 0 up")
      for number in ("nan", "inf", "-5", "1e999", "5_0", "", "9" * 500)),
    ('"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","f","' + "1" * 200_000 + '"\n', "cannot be read: field larger"),
    ('"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","f"\n', "line 3: a launch with missing columns"),
    ('"ID","Kernel Name"\n"",""\n"0","f","1"\n', "line 3: a launch with too many columns"),
    ('"ID","Name"\n"",""\n"0","f"\n', "the column Kernel Name is missing"),
    ('"ID","Kernel Name"\n', "holds no launches"),
])
def test_a_broken_csv_is_refused_with_line_and_reason(text, reason):
    with pytest.raises(Refusal, match=reason):
        nsight.read(text)


def test_a_profile_without_the_metrics_or_of_other_launches_is_refused(counted):
    lacking = '"ID","Kernel Name"\n"",""\n"0","naive::scores[v1](int)"\n"1","softmax(int)"\n"2","output[v2]"\n'
    with pytest.raises(Refusal, match="the profile of scores lacks smsp__sass_data_bytes_mem_global_op_ld.sum"):
        validate(counted, nsight.read(lacking))
    with pytest.raises(Refusal, match="naive launches scores, softmax, output, but the profiler saw scores, other, output"):
        validate(counted, nsight.read(profile_of(counted, names={1: "other"})))


OPTIONS = "validate --algorithm naive --seq-len 40 --head-dim 16 --mask causal --block-q 16 --block-k 16".split()


def test_the_command_reads_a_file_exported_elsewhere(counted, tmp_path, capsys):
    exported = tmp_path / "exported.csv"
    exported.write_text(profile_of(counted))
    assert command_line.main([*OPTIONS, "--csv", str(exported)]) == 0
    said = capsys.readouterr().out
    assert "every count explained" in said and said.count("equal") >= 9 and "DRAM read 1.00 kB" in said
    assert command_line.main([*OPTIONS, "--csv", str(tmp_path / "none.csv")]) == 2
    assert "none.csv cannot be read" in capsys.readouterr().err.lower()


def test_a_byte_order_mark_is_no_matter(counted, tmp_path):
    exported = tmp_path / "exported.csv"
    exported.write_text(profile_of(counted), encoding="utf-8-sig")
    assert nsight.read_file(exported) == nsight.read(profile_of(counted))


def test_without_counters_the_command_says_so_in_a_line_and_still_counts(capsys, monkeypatch):
    monkeypatch.setattr(nsight.shutil, "which", lambda name: None)
    assert command_line.main(OPTIONS) == 0
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1 and "compare the counts with" in said.err and "distinct B" in said.out


def test_no_permission_is_told_from_other_failures(monkeypatch, tmp_path):
    for status, words, expected in ((1, "==ERROR== ERR_NVGPUCTRPERM - no permission", "may not read the GPU's performance counters"),
                                    (9, "==ERROR== broken", "ncu stopped with status 9: ==ERROR== broken")):
        fake = tmp_path / "ncu"
        fake.write_text(f"#!/bin/sh\necho '{words}'\nexit {status}\n")
        fake.chmod(0o755)
        monkeypatch.setattr(nsight.shutil, "which", lambda name, ncu=fake: str(ncu))
        with pytest.raises(nsight.Unavailable, match=expected):
            nsight.profile(["true"], nsight.MEMORY, cold=True)
