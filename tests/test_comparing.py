"""Runs beside runs, and files that are dropped in."""
import json

import pytest
from example_runs import DEFAULT, recording, run_record

from app import comparing, dropped, records
from app.figures import FIGURES, Sources
from numba_kernels.agreement import MOST_CELLS, disagreements
from traffic_model import Refusal

HEADER = dict(schema=1, gpu="NVIDIA H200", date="2026-11-29", l2="warm")


def file(*runs, **about) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in (HEADER | about, *runs)).encode()


def saved_run(settings, algorithm="fused", times_ms=(1.0, 2.0, 3.0), backend="gpu") -> dict:
    run = run_record(settings, algorithm, times_ms, backend)
    kernels = [kernel | dict(ledger=[], measures=[], counted_times_ms=None) for kernel in run["kernels"]]
    return run | dict(kernels=kernels)


def test_ratios_are_per_point_and_name_what_differs():
    one, two = (records.shipped(HEADER, [run_record(DEFAULT.at(n), a, times) for n in (256, 512) for a in records.ALGORITHMS])
                for times in ((3.0,), (2.0,)))
    two[0]["ledger"][0] = two[0]["ledger"][0] | dict(bytes=1)
    points = comparing.ratios(one, two[:3])
    assert [(p["algorithm"], p["n"], p["time_ratio"]) for p in points] == [("naive", 256, 1.5), ("fused", 256, 1.5), ("naive", 512, 1.5)]
    assert points[0]["requested_ratio"] > 1 and "1 the latter" in points[0]["differing"]
    assert points[1]["requested_ratio"] == 1 and not points[1]["differing"]
    assert comparing.summary(points) == "1 of 3 points differ in what was counted; the median ratio of times is 1.50"
    assert comparing.summary(points[1:]).startswith("Every cell was counted alike at 2 points in common")


def test_the_cpu_has_counts_to_compare_and_no_times():
    here = [records.live(run_record(DEFAULT, "fused", backend="cpu"))]
    _, recorded = recording(DEFAULT, [4096])
    [point] = comparing.ratios(here, recorded)
    assert point["requested_ratio"] == 1 and point["time_ratio"] is None
    assert comparing.summary([point]) == "Every cell was counted alike at 1 point in common; no times to compare"
    other = [records.live(run_record(DEFAULT.at(8), "fused"))]
    assert comparing.summary(comparing.ratios(other, recorded)).startswith("No point in common")


def test_each_measure_is_compared_with_the_first_run_that_holds_it():
    run, n = run_record(DEFAULT, "fused"), len(run_record(DEFAULT, "fused")["ledger"])
    also = [cell | dict(measure="distinct") for cell in run["ledger"]]
    both = run | dict(measures=["requested", "distinct"], ledger=run["ledger"] + also)
    assert list(disagreements([("A100", run), ("L4", both), ("H100", both)])) == []
    wrong = both | dict(ledger=run["ledger"] + [cell | dict(bytes=cell["bytes"] + 1) for cell in also])
    [said] = disagreements([("A100", run), ("L4", both), ("H100", wrong)])
    assert said.startswith("fused at N = 4,096, d = 64, 16 heads, float32, full, 64×64 tiles: L4 and H100 counted differently. ")
    assert said.endswith(f"; and {n - MOST_CELLS} more cells.")
    other_tiles = dict(tiling=dict(block_q=32, block_k=16))
    naive, fused = (run_record(DEFAULT, name) for name in records.ALGORITHMS)
    wrong = [each | other_tiles | dict(ledger=each["ledger"][1:]) for each in (naive, fused | dict(layout=None))]
    assert len(list(disagreements([("A100", naive), ("A100", fused), *(("L4", each) for each in wrong)]))) == 1  # naive has no tiles


def test_runs_of_this_session_stand_beside_predicted_and_recorded_ones():
    _, recorded = recording(DEFAULT, [1024])
    here = [records.live(run_record(DEFAULT.at(n), "fused", (1.0,))) for n in (1024, 2048)]
    here[1]["ledger"] = [cell | dict(bytes=2 * cell["bytes"]) for cell in here[1]["ledger"]]
    points = comparing.own_points(DEFAULT, recorded + here)
    assert [(p["n"], p["to_predicted"], p["to_recorded"], p["time_to_recorded"]) for p in points] == [
        (1024, 1, 1, .5), (2048, 2, None, None)]
    assert comparing.own_points(DEFAULT, recorded) == []


def test_a_dropped_file_is_drawn_like_a_recording():
    about, runs = dropped.read("mine.jsonl", file(saved_run(DEFAULT), saved_run(DEFAULT, "naive"), date="2031-01-02"))
    for name in ("traffic", "time", "time-by-kernel"):
        assert "recorded on NVIDIA H200, 2 Jan 2031" in FIGURES[name](DEFAULT, Sources([(about, runs)])).provenance


@pytest.mark.parametrize(("content", "sentence"), [
    (b"", "mine.jsonl is empty"), (b"{", "mine.jsonl line 1 is not JSON"), (b"\xff\xfe", "mine.jsonl cannot be read"),
    (file(dict(algorithm="fused")), "mine.jsonl line 2 is not usable: it lacks or does not know 'backend'"),
    (file(saved_run(DEFAULT), gpu="Abacus"), "mine.jsonl line 1: GPU 'Abacus' is not in the table")], ids=lambda value: str(value)[:30])
def test_a_bad_file_is_refused_with_line_and_reason(content, sentence):
    with pytest.raises(Refusal) as refused:
        dropped.read("../mine.jsonl", content)
    assert sentence in str(refused.value)


def test_this_sessions_runs_are_saved_as_a_file_that_can_be_dropped_in():
    here = [records.live(saved_run(DEFAULT, algorithm, backend="cpu")) for algorithm in records.ALGORITHMS]
    _, runs = dropped.read("tilescope_runs.jsonl", dropped.written(here))
    plain = lambda run: {name: value for name, value in run.items() if name not in ("when", "source")}
    assert [plain(run) for run in runs] == [plain(run) for run in here]
    assert runs[0]["source"].startswith("recorded on none (cpu backend), ")
