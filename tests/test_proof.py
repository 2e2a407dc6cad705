"""The Proof page: what was recorded is equal to the byte where that is claimed, and the picture says what the records say."""
import json

import plotly.graph_objects as go
import pytest
import shapes
from test_charts import texts
from test_charts_labels import drawn
from viewer import collisions

from app import proof
from app.charts import proof as chart
from app.charts.claims import proof_claim
from app.charts.look import page_look, slide_look
from numba_kernels import hardware
from traffic_model import Refusal


@pytest.fixture(scope="module")
def proofs():
    return [proof.proof(line, recording.header) for recording in hardware.recorded_validations() for line in recording.lines]


def both(proofs) -> tuple[list[dict], list[dict]]:
    return tuple([record for each in proofs for record in getattr(each, name)] for name in ("counters", "dram"))


def test_distinct_bytes_and_sectors_are_predicted_counted_and_hardware_to_the_byte(proofs):
    counters, _ = both(proofs)
    exact = [r for r in counters if r["measure"] != "wavefronts"]
    assert len(exact) > 150 and all(r["predicted"] == r["counted"] == r["hardware"] and r["verdict"] == proof.EQUAL for r in exact)
    assert all(r["predicted"] == r["counted"] for r in counters)
    assert {each.algorithm for each in proofs} == set(shapes.CUDA_CORES)
    assert {(each.settings.problem.mask, each.settings.n % 64 > 0) for each in proofs} >= {("causal", True), ("full", False)}  # ragged too


def test_dram_reads_of_validated_kernels_are_within_a_tenth(proofs):
    _, dram = both(proofs)
    assert [r for r in dram if abs(r["error"]) > .1] == [] and len(dram) >= 30


def test_claim_and_verdict_when_a_count_differs(proofs):
    counters, _ = both(proofs)
    exact = sum(r["measure"] != "wavefronts" for r in counters)
    assert proof_claim(counters) == f"All {exact} counts of distinct bytes and sectors are the hardware's, to the byte"
    broken = [counters[0] | dict(hardware=counters[0]["hardware"] + 1, verdict=proof.OTHER), *counters[1:]]
    assert proof_claim(broken).startswith("1 of ")
    assert proof.verdict(broken)["distinct"]["unexplained"] == 1 and proof.verdict(counters)["distinct"]["unexplained"] == 0


@pytest.mark.parametrize("look", [page_look("light"), slide_look("dark")], ids=["page", "slide"])
def test_the_picture_says_how_many_are_equal_and_labels_fit(blank, proofs, look):
    counters, dram = both(proofs)
    figure = go.Figure(chart.proof(counters, dram, look, "conditions"))
    assert sum(len(trace.x) for trace in figure.data) == len(counters) + len(dram)
    distinct = sum(r["measure"] == "distinct" for r in counters)
    assert f"{distinct} of {distinct} equal" in texts(figure)
    assert collisions(drawn(blank, figure, look)) == []


def test_a_broken_validation_is_refused_with_its_line(tmp_path, monkeypatch):
    [original] = hardware.recorded_validations()
    line = json.loads(json.dumps(original.lines[0]))
    line["kernels"][0]["compared"][0]["counted"] = "many"
    (tmp_path / "x_validation.jsonl").write_text("\n".join(map(json.dumps, [original.header, line])))
    monkeypatch.setattr(hardware, "HARDWARE", tmp_path)
    with pytest.raises(Refusal, match="x_validation.jsonl line 2 is not usable: counted of scores is 'many'"):
        hardware.recorded_validations()
