"""The race by hand: its numbers are an attention's, its sheet adds up, and the answers are a link away."""
import json
import re
from collections import Counter

import numpy as np
import pytest
from player_page import faults
from race_page import GPU, RacePage
from streamlit.testing.v1 import AppTest
from test_race_view import race_page

from app.race import hand, worksheet
from app.race.payload import LANES, by_hand
from app.race.receipts import receipt, schedule_cells
from app.race.rungs import Clock, Rung
from traffic_model.vocabulary import Measure


def test_its_numbers_are_an_attention():
    n = hand.numbers()
    assert n["s"] == pytest.approx(n["q"] @ n["k"].T / 2)
    assert n["p"].sum(axis=1) == pytest.approx(np.ones(8)) and n["p"] == pytest.approx(np.exp(n["s"]) / np.exp(n["s"]).sum(1)[:, None])
    assert n["o"] == pytest.approx(n["p"] @ n["v"])
    assert len(np.unique(n["s"])) > 4  # else every weight is alike


def test_its_bytes_are_the_closed_forms():
    naive, tiled, fused, outer = (sum(schedule_cells(hand.plan(rung.algorithm), Measure.COMPULSORY).values()) for rung in Rung)
    assert naive == tiled == 4 * (4 * 8 * 4 + 4 * 8 * 8) and fused == outer == 4 * (4 * 8 * 4)
    assert receipt(schedule_cells(hand.plan("naive"), Measure.COMPULSORY)) == (
        "4 × 128 (Q, K, V, O) + 4 × 256 (S, P out and back) = 1,536 B")


def test_the_sheet_leaves_blank_what_is_computed_and_the_answers_fill_it():
    blank, filled = (worksheet.sheet(LANES, answers) for answers in (False, True))
    cells = lambda page: re.findall(r"<td>(?:<b>)?([^<]*)", page)
    assert len(cells(blank)) == len(cells(filled)) and cells(blank).count("") > 160 and cells(filled).count("") == 1
    assert {"1,536", "512", "3"} <= set(cells(filled)) and not {"1,536", "512"} & set(cells(blank))
    assert cells(blank)[:32] == [number for row in hand.written("q") for number in row]
    assert worksheet.page(LANES, True).startswith("<!doctype html>")


def test_what_is_worked_with_is_an_online_softmax():
    n, work = hand.numbers(), hand.work()
    text = lambda values, places: [f"{value:.{places}f}".replace("-", "−") for value in np.atleast_1d(values)]
    near = lambda shown, exact: np.abs([float(word.replace("−", "-")) for word in shown] - np.atleast_1d(exact)).max() <= .0051
    for query, scores in enumerate(n["s"]):
        for tile, end in enumerate((4, 8)):
            top, before = scores[:end].max(), scores[:end - 4].max(initial=-np.inf)
            weights, at = np.exp(scores[:end] - top), {name: lines[query][tile] for name, lines in work.items()}.get
            assert at("m") == text(top, 1) and at("scores") == text(scores[end - 4:end], 1)
            assert near(at("alpha"), np.exp(before - top)) and near(at("weights"), weights[end - 4:]) and near(at("l"), weights.sum())
            assert near(at("o"), weights @ n["v"][:end]) and near(at("sum"), np.exp(scores[:end] - scores.max()).sum())
            assert near(at("shares"), n["p"][query, end - 4:end]) and near(at("product"), n["p"][query, :end] @ n["v"][:end])


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, by_hand(GPU))


@pytest.mark.parametrize("clock", [Clock.COMPULSORY, Clock.REQUESTED, Clock.STEPS])
@pytest.mark.parametrize("rungs", [LANES, (Rung.TILED, Rung.KV_OUTER)])
def test_its_text_is_in_its_place_and_a_block_shows_its_numbers(page, rungs, clock):
    page.load(by_hand(GPU, rungs, clock))
    assert {fault for boxes in page.frames([0, 1, 2.5, 4, 6, 8, 10]) for fault in faults(boxes)} == set()
    x, y, width, height = page.ask("player.film.matrices.block('s', 1, 0)")
    lines = page.ask("player.film.under(player.moment, x[0], x[1])", [x + width / 2, y + 80 + 38 + height / 2])
    assert lines[0] == "S[1,0]: queries 4 to 7, keys 0 to 3"
    assert [line.split() for line in lines[2:]] == [row[:4] for row in hand.written("s")[4:]]


def test_each_step_shows_the_numbers_it_works_with(page):
    work = hand.work()
    groups = {("fused", "keys", "k"): (["s", "m", "α"], ["scores", "m", "alpha"]), ("fused", "keys", "v"): (["o"], ["o"]),
              ("naive", "scores", "k"): (["s"], ["scores"]), ("naive", "maximum", "s"): (["s", "m"], ["scores", "m"]),
              ("naive", "sum", "s"): (["s", "m", "ℓ"], ["scores", "sum"]),
              ("naive", "products", "v"): (["o"], ["product"])}
    page.load(by_hand(GPU, LANES, Clock.STEPS))
    page.ask("void player.seek(0)")
    seen = set()
    for _ in range(50):
        views, boxes = page.ask("[player.moment.views.map((view) => view.pulse ?? view.flight), player.boxes()]")
        assert faults(boxes) == []
        for lane, event, top in zip(("naive", "fused"), views, (118, 427)):
            letters, names = groups.get((lane, event and event["stage"], event and event["array"]), ([], []))
            texts = [box["text"] for box in boxes if box["x"] > 846 and top + 34 < box["y"] < top + 188]
            numbers = [text for name in names for query in range(4 * event["row"], 4 * event["row"] + 4)
                       for text in work[name][query][event["column"]]]
            assert set(letters) <= set(texts) and not Counter(numbers) - Counter(texts)
            seen |= {(lane, event["stage"], event["array"])} if names else set()
        page.ask("void player.step(1)")
    assert seen == set(groups)


def test_a_link_opens_the_answers():
    app = AppTest.from_function(race_page, kwargs=dict(seq_len=4096), default_timeout=30)
    app.query_params.update(hand="true", answers="true", clock="measured time")
    app.run()
    assert not app.exception
    (player,) = app.get("bidi_component")
    shown = json.loads(player.proto.json)
    assert shown["conditions"][:2] == ["N = 8", "d = 4"] and shown["clockName"] == "compulsory bytes"
    assert app.toggle(key="answers").value is True and any("1,536" in html.proto.body for html in app.get("html"))
