"""A short race is one that ran: its threads held an online softmax, its picture shows it, its end ticks counts and first touches."""
import json
import threading
from functools import cache

import numpy as np
import pytest
from player_page import faults
from race_page import GPU, RacePage, race
from streamlit.testing.v1 import AppTest
from test_race_view import race_page

from app.race import executed as running
from app.race.executed import Executed, executed, short
from app.race.payload import LANES, payload
from app.race.rungs import Clock
from app.race.worked import worked
from numba_kernels.executions import Execution, execute
from traffic_model import AttentionProblem, Ledger, Refusal, Tiling

PROBLEM, TILING = AttentionProblem(40, 16, mask="causal"), Tiling(16, 16)
BLIND = AttentionProblem(40, 16, kv_len=24, mask="causal")  # its first 16 rows see no key


@cache
def both() -> Executed:
    return executed(PROBLEM, TILING, GPU, LANES)


def scores(run: Execution) -> np.ndarray:
    """[N, M] in float64 of the stored inputs, −∞ where hidden."""
    p, (queries, keys) = run.problem, (run.values(name).astype(float) for name in "QK")
    sees = np.tril(np.ones((p.seq_len, p.kv_len), bool), p.kv_len - p.seq_len)
    return np.where(sees, p.scale * queries @ keys.T, -np.inf)


@pytest.mark.parametrize("algorithm", ["fused", "fused_kv_outer"])
@pytest.mark.parametrize("problem", [PROBLEM, BLIND], ids=["square", "blind rows"])
def test_what_threads_held_is_an_online_softmax(algorithm, problem):
    run = execute(algorithm, problem, TILING, GPU)
    held, s = worked(algorithm, run), scores(run)
    for tile, end in enumerate(range(16, problem.kv_len + 16, 16)):
        rows = ~np.isnan(held.m[:, tile])
        here, earlier = s[rows, :end], s[rows, :end - 16]
        top, before = here.max(axis=1), earlier.max(axis=1, initial=-np.inf)
        weights = np.exp(here - np.where(top > -np.inf, top, 0)[:, None])
        near = lambda got, exact: np.testing.assert_allclose(got, exact, rtol=1e-4, atol=1e-5)
        near(held.m[rows, tile], top)
        near(held.l[rows, tile], weights.sum(axis=1))
        near(held.alpha[rows, tile], np.exp(before - np.where(top > -np.inf, top, 0)))
        kept = rows & ~np.isnan(held.o[:, tile, 0])
        near(held.o[kept, tile], weights[kept[rows]] @ run.values("V")[:end])
        if held.s is not None:
            near(held.s[rows, end - 16:end], here[:, end - 16:])
            near(held.p[rows, end - 16:end], weights[:, end - 16:])
    walked = ~np.isnan(held.m)
    assert walked[:, 0].any() and walked[-1].all() and (problem == PROBLEM or not walked[:16].any())


def test_ranges_are_those_of_the_blocks():
    run, (naive, fused) = execute("naive", PROBLEM, TILING, GPU), both().values
    tile = run.values("S")[16:32, :16]
    words = f"{tile.min():.2f} to {tile.max():.2f}".replace("-", "−")
    assert naive["s"][1][0] == words and fused["s"][1][0] == words  # to two places the same
    assert naive["s"][0][1] is None and fused["s"][0][1] is None and fused["alpha"][0][0] == "0.00"
    assert len(json.dumps(payload(PROBLEM, TILING, GPU, LANES, run=both()))) < 300_000


@pytest.mark.parametrize(("value", "words"), [(-1.234, "−1.23"), (12.34, "12.3"), (99.96, "100"), (.0021, "0.002"), (3.2e-5, "3e−5"),
                                              (0, "0.00")])
def test_a_number_fits_the_picture(value, words):
    assert running._number(value) == words


def test_first_touches_are_the_compulsory_bytes_where_every_row_sees_a_key():
    shown = payload(PROBLEM, TILING, GPU, LANES, run=both())
    assert not shown["differs"]
    assert shown["tick"][0] == "requested bytes counted and first touches traced: equal, executed on the cpu, seed 0"


def test_what_was_not_touched_is_told():
    naive, fused = both().touched
    key = next(key for key in fused if key[0] == "k")
    less = Ledger(dict(fused) | {key: fused[key] - 2}, fused.measures)
    shown = payload(PROBLEM, TILING, GPU, LANES, run=Executed(both().values, both().counted, (naive, less)))
    assert shown["differs"] and shown["tick"][0].endswith(f"fused: K hbm read compulsory: {fused[key]} drawn, {fused[key] - 2} touched")
    for algorithm, rows in (("naive", 24), ("fused", 40)):  # of the 40 rows of Q 16 see no key; fused loads them before it knows
        assert execute(algorithm, BLIND, TILING, GPU).touched["q", "hbm", "read", "compulsory"] == rows * 16 * 4


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, race(128))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_its_picture_shows_the_values_at_work(page, theme):
    page.load(payload(PROBLEM, TILING, GPU, LANES, Clock.STEPS, run=both()), theme)
    page.ask("void player.seek(0)")
    seen, names = set(), {"k": ("s", "m", "alpha"), "v": ("p", "l", "o")}
    for _ in range(45):
        event, boxes = page.ask("[player.moment.views[1].pulse ?? player.moment.views[1].flight, player.boxes()]")
        assert faults(boxes) == []
        texts = [box["text"] for box in boxes if box["y"] > 427 and box["x"] > 1040]
        if event and event["stage"] == "keys":
            wanted = [both().values[1][name][event["row"]][event["column"]] for name in names[event["array"]]]
            assert set(wanted) <= set(texts) and "executed, seed 0" in texts
            seen.add(event["array"])
        page.ask("void player.step(1)")
    assert seen == {"k", "v"}
    assert "bytes predicted, values executed on the cpu, seed 0" in page.texts(2)


def test_a_block_under_the_pointer_tells_its_values_once_they_exist(page):
    page.load(payload(PROBLEM, TILING, GPU, LANES, run=both()))
    x, y, width, height = page.ask("player.film.matrices.block('s', 1, 0)")
    under = lambda seconds, lane: page.ask(f"(player.seek({seconds}), player.film.under(player.moment, x[0], x[1]))",
                                           [x + width / 2, y + (118, 427)[lane] + height / 2])
    assert len(under(0, 0)) == 2
    assert under(10, 0)[2] == f"values {both().values[0]['s'][1][0]}, executed on the cpu, seed 0"
    assert under(10, 1)[2] == f"in registers {both().values[1]['s'][1][0]}, executed on the cpu, seed 0"


def test_longer_races_are_predicted(page):
    assert short(AttentionProblem(128)) and not short(AttentionProblem(129)) and not short(AttentionProblem(64, kv_len=200))
    page.load(race(192))
    assert "predicted" in page.texts(2) and not any("executed" in text for text in page.texts(2))


def test_the_page_plays_a_short_race_as_predicted_until_it_has_run(monkeypatch):
    go_on, ready = threading.Event(), both()
    monkeypatch.setattr(running, "_run", lambda *key: go_on.wait(30) and ready)  # of another problem: only where it ends up counts
    app = AppTest.from_function(race_page, kwargs=dict(seq_len=128)).run(timeout=30)
    shown = lambda: json.loads(app.get("bidi_component")[0].proto.json)["executed"]
    waiting = lambda: any("being run on the cpu" in caption.value for caption in app.caption)
    assert not app.exception and shown() is None and waiting()
    go_on.set()
    running.executed(AttentionProblem(128), Tiling(64, 32), GPU, LANES)
    app.run(timeout=30)
    assert not app.exception and shown()["source"] == "executed on the cpu, seed 0" and not waiting()
    running._begun.cache_clear()  # what was pretended here


def test_a_race_that_cannot_be_traced_stays_predicted_and_says_why(monkeypatch):
    monkeypatch.setattr(running, "_run", lambda *key: (_ for _ in ()).throw(Refusal("too many accesses.")))
    running._begun.cache_clear()
    running.begun(AttentionProblem(128), Tiling(64, 32), GPU, LANES).exception(30)
    app = AppTest.from_function(race_page, kwargs=dict(seq_len=128)).run(timeout=30)
    assert not app.exception and json.loads(app.get("bidi_component")[0].proto.json)["executed"] is None
    assert "Predicted, not executed: too many accesses." in [caption.value for caption in app.caption]
    running._begun.cache_clear()
