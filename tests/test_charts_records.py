"""What charts are drawn from: records, formulas, and the choice of a recording."""
import csv
import io
import math
import re

import pytest
from example_runs import DEFAULT, ODD, recording, run_record

from app import export, formulas, recordings, records
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Measure, Space, Tiling, find_gpu, predict


@pytest.mark.parametrize("settings", [DEFAULT, ODD], ids=["default", "odd"])
def test_csv_sums_to_the_ledgers_totals(settings):
    rows = list(csv.DictReader(io.StringIO(export.table(records.predicted(settings, [settings.n]), settings))))
    for algorithm in records.ALGORITHMS:
        ledger = predict(algorithm, settings.problem, settings.tiling, settings.gpu).ledger
        for measure, space in ((Measure.REQUESTED, Space.HBM), (Measure.COMPULSORY, Space.HBM), (Measure.REQUESTED, Space.SHARED)):
            of = [r for r in rows if (r["algorithm"], r["measure"], r["space"]) == (algorithm, measure, space)]
            assert sum(int(r["bytes"]) for r in of) == ledger.total(measure, space=space)
    shape = {(r["head_dim"], r["mask"], r["block_q"], r["kind"]) for r in rows}
    assert shape == {(str(settings.problem.head_dim), settings.problem.mask, str(settings.tiling.block_q), "predicted")}


@pytest.mark.parametrize("settings", [DEFAULT, ODD, DEFAULT.at(1000)], ids=["default", "odd", "ragged"])
def test_formulas_evaluate_to_the_number_beside_them(settings):
    for formula in formulas.traffic_formulas(settings):
        arithmetic = formula.numbers.replace("·", "*").replace("²", "**2")
        assert re.fullmatch(r"[\d*+/() ]+", arithmetic)
        assert eval(arithmetic) == formula.value, formula.name


def test_memory_edge_is_where_s_and_p_fill_the_memory():
    n, words = records.memory_edge(DEFAULT)
    assert 2 * n**2 * 4 * 16 == pytest.approx(141e9) and words == "141 GB"


def test_only_a_gpu_run_gives_a_time():
    gpu, cpu = (records.live(run_record(DEFAULT, "fused", backend=backend)) for backend in ("gpu", "cpu"))
    assert [r["median_ms"] for r in records.timed([gpu])] == [2.0]
    assert records.timed([cpu]) == []


def test_times_are_sums_over_kernels_with_their_spread():
    [record] = records.timed([records.live(run_record(DEFAULT, "naive", times_ms=range(1, 12)))])
    assert (record["p10_ms"], record["median_ms"], record["p90_ms"], record["samples"]) == (6, 18, 30, 11)


def test_a_run_belongs_to_the_settings_that_made_it():
    naive, fused = (run_record(DEFAULT.at(512), algorithm) for algorithm in records.ALGORITHMS)
    other_tiling = Settings(DEFAULT.problem, Tiling(32, 64), DEFAULT.gpu)
    assert records.of_shape(DEFAULT)(naive) and records.of_shape(DEFAULT)(fused)
    assert records.of_shape(other_tiling)(naive) and not records.of_shape(other_tiling)(fused)
    assert not records.of_shape(DEFAULT.with_one_head())(naive)


def test_the_nearest_recording_is_shown_and_says_so():
    files = [recording(DEFAULT, [1024, 4096])]
    assert recordings.nearest(files, DEFAULT).note is None
    other = recordings.nearest(files, Settings(AttentionProblem(4096, 128, 8), Tiling(32, 64), find_gpu("T4")))
    assert other.settings == DEFAULT and len(other.runs) == 4
    assert other.note == "Not timed: 8 heads · d = 128 · float32 · full · 32×64 tiles on T4. Shown is what comes nearest, on H200 SXM."


def test_the_unfused_floor_starts_where_s_and_p_outgrow_l2():
    floor = recordings.unfused_floor(recordings.nearest([recording(DEFAULT, [1024, 4096, 8192])], DEFAULT))
    assert min(floor) == math.ceil(math.sqrt(50 * 2**20 / 8)) and 1024 not in floor
    assert floor[4096] == pytest.approx(DEFAULT.problem.compulsory_three_kernel_bytes / 4000e9 * 1e3)


def test_every_shipped_run_counted_what_is_predicted():
    assert saved.recorded()
    for file in saved.recorded():
        for run in records.shipped(file.header, [run for run in file.runs if run["algorithm"] in records.ALGORITHMS]):
            settings = Settings(AttentionProblem(**run["problem"]), Tiling(**run["tiling"]), find_gpu(file.header["gpu"]))
            expected = run_record(settings, run["algorithm"])["ledger"]
            assert [c for c in records.counted([run]) if c["bytes"]] == \
                [c | dict(algorithm=run["algorithm"], n=settings.n, kind="counted", source=run["source"]) for c in expected if c["bytes"]]


def test_days_of_one_recording_are_told_together():
    told = lambda *sources: records.sources([dict(source=source) for source in sources])
    here, first, second = "this machine (cpu)", "recorded on NVIDIA H200, 29 Nov 2026", "recorded on NVIDIA H200, 30 Nov 2026"
    assert told(first, second, here, first) == "recorded on NVIDIA H200, 29 and 30 Nov 2026; this machine (cpu)"
    assert told("recorded on A, 30 Nov 2026", "recorded on A, 1 Dec 2026") == "recorded on A, 30 Nov 2026 and 1 Dec 2026"
    assert told() == ""
