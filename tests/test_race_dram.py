"""The clock of DRAM bytes: what it adds up to, how it is spread, and that it says that it is modelled."""
import csv
import io

import pytest
from player_page import faults
from race_page import GPU, RacePage, race
from test_app import opened

from app.race import dram
from app.race.bars import dram_bars
from app.race.payload import LANES, payload
from app.race.receipts import receipt
from app.race.rungs import Clock, Rung
from traffic_model import AttentionProblem, Measure, Space, Tiling, find_gpu, predict
from traffic_model.units import decimal_bytes

SHAPES = [(4096, 64, 64, dict(heads=16, dtype="float16")), (300, 32, 64, dict(kv_len=500, mask="causal", heads=8, kv_heads=2, batch=2)),
          (500, 64, 16, dict(kv_len=300, mask="causal", head_dim=128)), (60, 64, 64, dict(heads=8, kv_heads=1)), (1, 16, 16, {})]
PAIRS = [LANES, (Rung.TILED, Rung.KV_OUTER)]
MOMENTS = (0, 1.9, 4, 4.5, 7, 8.9, 10)


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, race(64))


@pytest.mark.parametrize(("n", "block_q", "block_k", "shape"), SHAPES, ids=str)
@pytest.mark.parametrize("rung", Rung)
def test_shares_add_up_to_each_kernels_modelled_bytes(rung, n, block_q, block_k, shape):
    about = AttentionProblem(n, **shape), Tiling(block_q, block_k), GPU
    prediction = predict(rung.algorithm, *about)
    for share, kernel, modelled in zip(dram.shares(rung, *about), prediction.kernels, prediction.dram, strict=True):
        for way, size in (("read", modelled.read_bytes), ("write", modelled.write_bytes)):
            of_way = {array: both for (array, direction), both in share.items() if direction == way}
            assert sum(map(sum, of_way.values())) == size
            must = {array: kernel.ledger.get((array, Space.HBM, way, Measure.COMPULSORY), 0) for array in of_way}
            if any(again for _, again in of_way.values()):  # then first touches count in full
                assert {array: first for array, (first, _) in of_way.items()} == must
    assert sum(dram.cells(dram.shares(rung, *about)).values()) == dram.total(rung, *about)


@pytest.mark.parametrize(("n", "block_q", "block_k", "shape"), SHAPES, ids=str)
@pytest.mark.parametrize("rungs", PAIRS, ids=str)
def test_the_moves_of_a_lane_cost_whole_bytes_that_add_up_to_the_model(page, rungs, n, block_q, block_k, shape):
    page.load(race(n, block_q, block_k, rungs, Clock.DRAM, **shape), "dark" if n > 400 else "light")
    costs = "lane.sweeps.flatMap((sweep) => sweep.moves.flatMap((move) => [...move.cost]))"
    lanes = page.ask(f"player.film.lanes.map((lane) => [lane.total, lane.kernelEnds, {costs}.every((cost) => "
                     "Number.isInteger(cost) && cost >= 0)])")
    for rung, (total, ends, whole) in zip(rungs, lanes):
        kernels = predict(rung.algorithm, AttentionProblem(n, **shape), Tiling(block_q, block_k), GPU).dram
        assert whole and ends == [sum(k.read_bytes + k.write_bytes for k in kernels[:number]) for number in range(len(kernels) + 1)]
        assert total == ends[-1]
    frames = page.frames([*MOMENTS, 4.001]) + page.frames([*MOMENTS], running=True)
    frames += page.ask("(player.seek(0), [1, 2, 3].map(() => (player.step(7), player.boxes())))")
    assert {fault for boxes in frames for fault in faults(boxes)} == set() and not page.complaints


def test_it_says_that_it_is_modelled_whose_heads_it_counts_and_how_it_is_spread(page):
    shown = race(4096, clock=Clock.DRAM, heads=16, dtype="float16")
    page.load(shown)
    naive, fused = (dram.total(rung, AttentionProblem(4096, heads=16, dtype="float16"), Tiling(), GPU) for rung in LANES)
    assert page.texts(1)[0] == f"Same attention: naive moves {decimal_bytes(naive)}, fused {decimal_bytes(fused)}"
    texts = page.texts(10)
    assert texts[0] == f"Same output to rounding, {naive / fused:.0f}× fewer DRAM bytes" and "modelled" in texts
    assert any(text.startswith("receipt: ") and text.endswith("DRAM bytes, modelled, all 16 heads") for text in texts)
    assert any(text.startswith("DRAM bytes of all 16 heads") and "first touches in full" in text for text in texts)
    assert "clock: DRAM bytes, same rate for both" in page.texts(1)
    assert shown["file"].endswith("_DRAM") and shown["reversal"] is None and shown["tick"] is None


def test_the_table_of_steps_has_each_moves_bytes(page):
    page.load(race(300, rungs=PAIRS[1], clock=Clock.DRAM, heads=4))
    rows = list(csv.DictReader(io.StringIO(page.ask("player.film.csv()"))))
    for lane, rung in zip(("upper", "lower"), PAIRS[1]):
        found = sum(int(row["dram_bytes_of_all_heads"]) for row in rows if row["lane"] == lane)
        assert found == dram.total(rung, AttentionProblem(300, heads=4), Tiling(), GPU)
    page.load(race(64))
    assert "dram" not in page.ask("player.film.csv()")


def test_another_gpu_another_race():
    lanes = [payload(AttentionProblem(4096, heads=16), Tiling(), find_gpu(gpu), clock=Clock.DRAM)["lanes"][0] for gpu in ("T4", "H200 SXM")]
    assert lanes[0]["dram"] != lanes[1]["dram"] and lanes[0]["sweeps"] == lanes[1]["sweeps"]
    bars = dram_bars(AttentionProblem(4096, heads=16), Tiling(), find_gpu("T4"), LANES)
    assert "<b>DRAM bytes, all 16 heads</b> (modelled for T4)" in bars


def test_the_page_says_what_the_clock_counts():
    app = opened("race", clock="DRAM bytes", n="512")
    app.session_state["race_details"] = True
    app.run()
    said = " ".join(text.value for text in app.markdown)
    assert not app.exception and "what crosses L2 and DRAM, modelled per kernel" in said and "**The model.** Fitted to an H200" in said
    asked = AttentionProblem(512, heads=16, dtype="float16"), Tiling(), GPU
    assert all(f"DRAM, modelled: {receipt(dram.cells(dram.shares(rung, *asked)))}" in said for rung in LANES)
