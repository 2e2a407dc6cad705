"""The race's other lanes and clocks: each says what it is, what it counts and which line of code is at work."""
import re
from pathlib import Path

import pytest
from player_page import faults
from race_page import GPU, RacePage, race

import numba_kernels.naive
from app import records
from app.race.rungs import Clock, Rung
from app.race.times import recorded
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Measure, Space, Tiling, predict
from traffic_model.schedule import schedule
from traffic_model.units import decimal_bytes, milliseconds, percent, ratio

SHAPES = [  # N, M, query tile, key tile, d, mask, dtype
    (64, 64, 64, 64, 64, "full", "float32"), (200, 900, 16, 64, 128, "causal", "float16"), (4096, 4096, 64, 64, 64, "full", "float32"),
    (900, 200, 64, 16, 64, "causal", "float16"), (131072, 131072, 16, 16, 128, "causal", "float16")]
PAIRS = [(Rung.TILED, Rung.FUSED), (Rung.KV_OUTER, Rung.FUSED), (Rung.NAIVE, Rung.KV_OUTER), (Rung.FUSED, Rung.FUSED)]
CLOCKS = [Clock.COMPULSORY, Clock.REQUESTED, Clock.STEPS]
CASES = [(shape, PAIRS[(2 * number + more) % 4], CLOCKS[(number + more) % 3]) for number, shape in enumerate(SHAPES) for more in (0, 1)]
MOMENTS = (0, 1.9, 4, 4.5, 7, 8.9, 10)


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, race(64))


@pytest.mark.parametrize(("shape", "rungs", "clock"), CASES, ids=str)
def test_text_is_large_dark_and_in_its_place(page, shape, rungs, clock):
    n, m, block_q, block_k, d, mask, dtype = shape
    shown = race(n, block_q, block_k, rungs, clock, head_dim=d, mask=mask, dtype=dtype, heads=16, kv_len=m)
    page.load(shown, "dark" if n > 500 else "light")
    frames = page.frames([*MOMENTS, 4.001]) + page.frames([*MOMENTS], running=True)
    frames += page.ask("(player.seek(0), [1, 2, 3].map(() => (player.step(7), player.boxes())))")
    assert {fault for boxes in frames for fault in faults(boxes)} == set()
    assert not page.complaints


def test_each_clock_is_named_and_tells_its_own_story(page):
    ledgers = {name: predict(name, AttentionProblem(4096), Tiling(), GPU).ledger for name in ("tiled", "fused")}
    tiled, fused = (ledger.total(Measure.REQUESTED, space=Space.HBM) for ledger in ledgers.values())
    page.load(race(4096, rungs=(Rung.TILED, Rung.FUSED), clock=Clock.REQUESTED))
    assert page.texts(1)[0] == f"Same attention: tiled requests {decimal_bytes(tiled)}, fused {decimal_bytes(fused)}"
    assert page.texts(4)[0] == f"Fused is done. Tiled has requested {percent(fused / tiled)} of its bytes."
    assert page.texts(10)[0] == f"Same output to rounding, {ratio(tiled / fused)} fewer requested HBM bytes"
    assert "clock: requested bytes, same rate for both" in page.texts(1)
    page.load(race(4096, rungs=(Rung.TILED, Rung.FUSED), clock=Clock.STEPS))
    counts = [sum(1 for _ in schedule(name, AttentionProblem(4096), Tiling(), GPU).events()) for name in ledgers]
    assert page.texts(1)[0] == f"Same attention: tiled takes {counts[0]:,} steps, fused {counts[1]:,} steps"
    assert "clock: steps, same rate for both" in page.texts(1)


def test_measured_time_runs_on_the_recorded_medians(page):
    settings = Settings(AttentionProblem(4096, heads=16), Tiling(), GPU)
    recordings = [(file.header, records.shipped(file.header, file.runs)) for file in saved.recorded()]
    for rungs, said in (((Rung.TILED, Rung.FUSED), "Same output to rounding, "), ((Rung.NAIVE, Rung.FUSED), "Naive took ")):
        times = recorded(recordings, settings, rungs)
        page.load(race(4096, rungs=rungs, clock=Clock.TIME, times=times, heads=16))
        assert page.ask("player.film.lanes.map((lane) => lane.total / 1e11)") == pytest.approx(list(map(sum, times.milliseconds)), rel=1e-4)
        first, second = (milliseconds(sum(kernels)) for kernels in times.milliseconds)
        assert page.texts(1)[0] == f"Same attention: {rungs[0]} took {first}, {rungs[1]} {second}"
        assert page.texts(10)[0].startswith(said) and "timed" in page.texts(10)
        assert {fault for boxes in page.frames(list(MOMENTS)) for fault in faults(boxes)} == set()
    assert not any("less time" in text for text in page.texts(10))  # naive to fused is two steps of the ladder
    assert recorded(recordings, settings.at(4097), rungs) is None


@pytest.mark.parametrize("clock", [Clock.COMPULSORY, Clock.REQUESTED])
def test_the_title_reverses_where_fused_requests_more_than_three_ideal_kernels_must_move(page, clock):
    page.load(race(4096, 16, 64, clock=clock, head_dim=128))
    assert page.texts(10)[0] == "Fused requests more (16·N² elements) than three ideal kernels must move (4·N²)"
    page.load(race(4096, 64, 64, clock=clock, head_dim=128))
    assert page.texts(10)[0].startswith("Same output to rounding")
    page.load(race(900, 16, 64, clock=clock, head_dim=128, kv_len=700, rungs=(Rung.TILED, Rung.FUSED)))
    assert re.fullmatch(r"Fused requests more \([\d.]+ MB\) than three ideal kernels must move \([\d.]+ MB\)", page.texts(10)[0])


@pytest.mark.parametrize("rungs", [(Rung.NAIVE, Rung.FUSED), (Rung.TILED, Rung.KV_OUTER)])
def test_the_line_of_code_is_that_of_the_block_on_show(page, rungs):
    page.load(race(96, 16, 32, rungs, clock=Clock.STEPS, head_dim=16, mask="causal", kv_len=80))
    page.ask("void (player.seek(0), player.toggleCode())")
    for _ in range(60):
        boxes, views = page.ask("(player.step(1), [player.boxes(), player.moment.views.map((view) => view.pulse ?? view.flight)])")
        assert faults(boxes) == []
        for rung, event in zip(rungs, views):
            said = [box["text"] for box in boxes if box["text"].startswith(f"{rung.algorithm}.py:")]
            assert len(said) == bool(event)
            if event:
                number, text = re.match(r"\w+\.py:(\d+)  (.*?)…?$", said[0]).groups()
                source = Path(numba_kernels.naive.__file__).with_name(f"{rung.algorithm}.py").read_text().splitlines()[int(number) - 1]
                assert text in source and f"{event['array'].upper()}_{event['direction'].upper()}" in source
    page.ask("void player.toggleCode()")


def test_the_loop_order_is_on_the_lane(page):
    page.load(race(4096, rungs=(Rung.KV_OUTER, Rung.FUSED)))
    texts = page.texts(3)
    assert any("key tiles outside" in text for text in texts) and any("query tiles outside" in text for text in texts)
