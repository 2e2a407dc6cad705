"""The race's end beside kernels that ran, its counters at moments nobody chose, and its picture over grids, themes and pairs of lanes."""
import random
import re
from dataclasses import replace
from functools import cache
from itertools import accumulate, product

import pytest
from player_page import faults
from playwright.sync_api import expect
from race_page import GPU, RacePage, race

from app import records
from app.race.counted import counted
from app.race.payload import LANES, payload
from app.race.rungs import Clock, Rung
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Space, Tiling, predict
from traffic_model.schedule import schedule
from traffic_model.units import decimal_bytes

SETTINGS = Settings(AttentionProblem(4096, heads=16, dtype="float16"), Tiling(), GPU)
PAIRS = [(Rung.NAIVE, Rung.FUSED), (Rung.TILED, Rung.FUSED), (Rung.KV_OUTER, Rung.FUSED)]
GRIDS = [dict(seq_len=128), dict(seq_len=300), dict(seq_len=1024), dict(seq_len=4096), dict(seq_len=1)]  # the second is ragged
MOMENTS = (0, .7, 2.5, 3.99, 4.5, 6.1, 8.6, 10)


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, race(128))


@cache
def recorded_runs() -> list[dict]:
    return [run for file in saved.recorded() for run in records.shipped(file.header, file.runs + file.out_of_memory)]


def shown(counts, rungs=LANES) -> dict:
    return payload(SETTINGS.problem, SETTINGS.tiling, GPU, rungs, counts=counts)


@pytest.mark.parametrize("rungs", [LANES, (Rung.TILED, Rung.KV_OUTER)])
def test_the_end_ticks_the_recorded_counts_and_tells_each_error(page, rungs):
    page.load(shown(counted(recorded_runs(), SETTINGS, rungs), rungs))
    boxes = page.boxes(10)
    texts = [box["text"] for box in boxes]
    assert any(text.endswith("counted: equal, recorded on NVIDIA H200, 29 Nov 2026") for text in texts) and "predicted" not in texts
    assert sum(text.startswith("output against float64: ‖Δ‖/‖ref‖ = ") for text in texts) == 2 and faults(boxes) == []
    assert "predicted" in page.texts(5)
    page.ask("void player.seek(10)")
    assert page.page.get_attribute("canvas", "aria-label").endswith("Requested bytes counted: equal, recorded on NVIDIA H200, 29 Nov 2026.")


def test_a_count_that_differs_is_told_with_its_cell(page):
    found = counted(recorded_runs(), SETTINGS, LANES)
    cells = dict(found.ledgers[1])
    wrong = next(key for key in cells if key[0] == "k")
    cells[wrong] -= 16
    ledgers = found.ledgers[0], type(found.ledgers[1])(cells, found.ledgers[1].measures)
    page.load(shown(replace(found, ledgers=ledgers)))
    words = f"fused: K hbm read requested: {cells[wrong] + 16} predicted, {cells[wrong]} counted"
    assert any(text.startswith(words) for text in page.texts(10)) and faults(page.boxes(10)) == []


def test_only_runs_of_exactly_these_settings_count():
    runs = recorded_runs()
    assert counted(runs, SETTINGS.at(4097), LANES) is None
    assert counted([run for run in runs if run["algorithm"] != "fused"], SETTINGS, LANES) is None
    assert counted([run | dict(layout={}) for run in runs], SETTINGS, LANES) is None


@pytest.mark.parametrize("clock", [Clock.COMPULSORY, Clock.REQUESTED])
def test_counters_are_the_ledgers_sums_to_the_byte_at_any_moment(page, clock, fresh_seed):
    problem, tiling = AttentionProblem(300, 32, mask="causal", dtype="float16"), Tiling(32, 64)
    page.load(payload(problem, tiling, GPU, LANES, clock))
    for lane, name in enumerate(("naive", "fused")):
        ends = list(accumulate(getattr(event, clock.measure) for event in schedule(name, problem, tiling, GPU).events()))
        assert ends[-1] == predict(name, problem, tiling, GPU).ledger.total(clock.measure, space=Space.HBM)
        for seconds in [random.Random(fresh_seed + lane).uniform(0, 9) for _ in range(3)] + [10]:
            texts = page.texts(seconds)
            clock_at, done = page.ask("[player.moment.clock, player.moment.views[x].done]", lane)
            moved = ends[done - 1] if done else 0
            assert moved <= clock_at and (done == len(ends) or clock_at <= next(end for end in ends[done:] if end > moved))
            over = clock_at >= ends[-1]
            assert (f"done: {decimal_bytes(ends[-1])}" if over else decimal_bytes(int(clock_at))) in texts


@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_no_text_is_out_of_place_on_any_grid(page, shape):
    for rungs, theme in product(PAIRS, ("light", "dark")):
        page.load(race(block_q=64, block_k=64, rungs=rungs, **shape), theme)
        assert {fault for boxes in page.frames(list(MOMENTS)) for fault in faults(boxes)} == set(), (rungs, theme)


def test_a_tap_names_a_block_until_the_next_one(browser):
    opened = RacePage(browser, race(128), has_touch=True)
    x, y, width, height = opened.ask("player.film.matrices.block('q', 1, 0)")
    scale, box = opened.ask("player.canvas.clientWidth / 1280"), opened.page.locator("canvas").bounding_box()
    opened.page.touchscreen.tap(box["x"] + (x + width / 2) * scale, box["y"] + (y + 118 + height / 2) * scale)
    note = opened.page.locator(".note")
    expect(note).to_have_text(re.compile(r"^Q\[1\]: queries 64 to 127"))
    opened.page.touchscreen.tap(box["x"] + 3, box["y"] + 3)
    expect(note).to_be_hidden()
    opened.context.close()
