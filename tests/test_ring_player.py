"""The Ring page: what its film is made of is the model's, to the byte; its texts; its steps, scrubber, link and table."""
import csv
import io
import itertools
import json

import pytest
from player_page import PlayerPage, faults
from streamlit.testing.v1 import AppTest

from app.controls import RING
from app.ring import counted
from app.ring.film import html
from app.ring.payload import payload
from app.ring.words import claim
from app.settings import Settings
from numba_kernels import ring_host
from traffic_model import AttentionProblem, Measure, Refusal, Tiling, find_gpu
from traffic_model.layout.ring import SKIPPED
from traffic_model.ring import ring

H200, MEASURES = find_gpu("H200 SXM"), (Measure.REQUESTED, Measure.COMPULSORY)
LONG = AttentionProblem(131072, 256, 128, 64, 8, dtype="bfloat16", mask="causal")  # the longest numbers and conditions
RAGGED = AttentionProblem(1001, 80, 6, 2, 2, dtype="float16", mask="causal")


def shown(gpus=4, problem=RAGGED, measure=Measure.REQUESTED) -> dict:
    return payload(problem, Tiling(), H200, gpus, measure)


@pytest.fixture(scope="module")
def page(browser):
    opened = PlayerPage(browser, html(shown(), theme="light", autoplay=False))
    yield opened
    opened.context.close()


@pytest.mark.parametrize("gpus", RING)
def test_the_films_bytes_end_at_the_models_to_the_byte(page, gpus):
    """Summed by the script that draws them, over all and GPU by GPU, at the end of every step."""
    for problem, measure in itertools.product((RAGGED, AttentionProblem(300, kv_len=77)), MEASURES):
        page.load(shown(gpus, problem, measure))
        found, over = ring(problem, Tiling(), H200, gpus), "player.film.at(player.film.length * (step + 0.9))"
        drawn = page.ask(f"x.map((step) => [null, ...x].map((gpu) => player.film.moved({over}, gpu)))", list(range(gpus)))
        for number, (of_all, *of_each) in enumerate(drawn):
            for gpu, seen in [(None, of_all), *enumerate(of_each)]:
                steps = [step for step in found.steps if step.step <= number and gpu in (None, step.gpu)]
                wanted = dict(hbm=sum(step.ledger.total(measure) for step in steps), sent=sum(step.sent_bytes for step in steps),
                              needless=sum(step.needless_bytes for step in steps))
                assert seen == wanted
        assert page.ask("player.film.moved(player.film.end)") == of_all
        assert f"{of_all['hbm']:,} B" in page.texts(99) and f"{found.sent_bytes:,} B" in page.texts(99)


def test_a_gpu_has_the_block_that_the_model_says_and_skips_what_it_says(page):
    page.load(shown(5))
    for step in ring(RAGGED, Tiling(), H200, 5).steps:
        moment = f"player.film.at(player.film.length * {step.step + 0.4})"
        seen = page.ask(f"(moment => [player.film.holds(moment, x), player.film.during(moment, x).kind])({moment})", step.gpu)
        assert seen == [step.owner, step.kind]
    assert page.ask("player.film.onTheirWay(player.film.at(player.film.seconds)).length") == 0  # after the last step nothing moves


@pytest.mark.parametrize("gpus", RING)
def test_text_is_large_dark_and_in_its_place(page, gpus):
    for theme, (problem, measure) in zip(("light", "dark", "dark", "light"), itertools.product((RAGGED, LONG), MEASURES)):
        page.load(shown(gpus, problem, measure) | dict(id=f"{theme} {gpus} {problem} {measure}"), theme)
        length = page.ask("player.film.length")
        moments = [0, 99, *(length * (step + part) for step in range(gpus) for part in (0.01, 0.2, 0.5, 0.9))]
        assert {fault for boxes in page.frames(moments) for fault in faults(boxes)} == set()
    assert not page.complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_on_the_ground_it_says(page, theme):
    page.load(shown(6) | dict(id=f"ground {theme}"), theme)
    length = page.ask("player.film.length")
    assert [page.on_another_ground(seconds) for seconds in (0, length * 1.9, length * 2.9, 99)] == [[]] * 4


def test_steps_rest_where_a_step_is_over_and_come_back(page):
    page.load(shown(3) | dict(id="steps"))
    page.ask("void player.seek(0)")
    walk = [page.ask("(player.step(1), [player.moment.done, player.moment.rests, player.film.chapterOf(player.moment)])") for _ in range(4)]
    assert walk == [[1, True, 1], [2, True, 2], [3, True, 4], [3, True, 4]]
    assert [page.ask("(player.step(-1), player.moment.done)") for _ in range(4)] == [2, 1, 0, 0]
    assert page.ask("player.film.chapters.map(({ name }) => name)") == ["step 2", "step 3", "end"]
    assert page.ask("(player.chapter(1), player.moment.index)") == 1


def test_it_plays_by_itself_scrubs_and_knows_a_moment_of_a_link(browser):
    opened = PlayerPage(browser, html(shown(2)))
    opened.page.wait_for_function("tilescopePlayer.playing && tilescopePlayer.moment.seconds > 0.3")
    opened.page.keyboard.press("Space")
    assert opened.ask("player.playing") is False
    opened.page.locator("input[type=range]").fill("3")
    assert opened.ask("player.moment.seconds") == 3 == opened.ask("player.film.secondsAt(player.film.mark(player.moment))")
    opened.page.keyboard.press("End")
    assert opened.page.get_attribute("canvas", "aria-label").startswith(claim(ring(RAGGED, Tiling(), H200, 2), Measure.REQUESTED))
    assert opened.requests == [] and opened.complaints == []
    opened.context.close()
    still = PlayerPage(browser, html(shown(2)), reduced_motion="reduce")
    assert still.ask("[player.playing, player.moment.done]") == [False, 2]
    still.context.close()


def test_what_is_under_the_pointer_and_the_table_of_steps(page):
    page.load(shown(4) | dict(id="under"))
    page.ask("void player.seek(player.film.length * 1.9)")
    step = ring(RAGGED, Tiling(), H200, 4).of_gpu(3)[1]
    lines = page.ask("player.film.under(player.moment, player.film.track.boxes[3][0] + 5, player.film.track.boxes[3][1] + 5)")
    assert lines[0] == "GPU 3: queries 751 to 1,000" and f"HBM: {step.ledger.total(Measure.REQUESTED):,} B" in lines[2]
    pair = max((box for box in page.ask("player.boxes()") if box["text"] == "2" and box["x"] > 872), key=lambda box: box["y"])
    met = page.ask("player.film.under(player.moment, x[0], x[1])", [pair["x"], pair["y"]])
    assert met == ["queries 751 to 1,000, keys 501 to 750", *lines[1:]] and page.ask("player.film.under(player.moment, 2, 2)") is None
    rows = list(csv.DictReader(io.StringIO(page.ask("player.film.csv()"))))
    for row, made in zip(rows, ring(RAGGED, Tiling(), H200, 4).steps, strict=True):
        said = [int(row[name]) for name in ("gpu", "step", "block", "hbm_bytes", "sent_bytes", "needless_bytes", "received_bytes")]
        assert said == [made.gpu, made.step + 1, made.owner, made.ledger.total(Measure.REQUESTED), made.sent_bytes, made.needless_bytes,
                        made.received_bytes]
        assert (row["kind"] == SKIPPED) == (made.kind == SKIPPED)


def test_the_claim_is_of_the_numbers_on_show():
    said = lambda gpus, problem, measure: claim(ring(problem, Tiling(), H200, gpus), measure)
    assert said(8, AttentionProblem(4096, mask="causal"), Measure.REQUESTED) == \
        "Nobody needs 50 % of what crosses NVLink, and the busiest GPU does 1.87× the mean"
    assert said(4, AttentionProblem(4096, heads=16, dtype="float16"), Measure.REQUESTED) == \
        "NVLink carries 50.3 MB, 4.1 % of the requested HBM bytes"
    shared = AttentionProblem(64, 64, kv_len=65536)  # few queries, many keys: each block is read once and handed on thrice
    assert said(4, shared, Measure.COMPULSORY).endswith("% of the compulsory HBM bytes")
    assert said(2, AttentionProblem(4096), Measure.REQUESTED) != said(2, AttentionProblem(4096), Measure.COMPULSORY)


def test_a_short_ring_that_is_run_counts_what_is_predicted(monkeypatch):
    monkeypatch.setattr(counted, "SHORT", 7)
    monkeypatch.setattr(counted, "BACKEND", "simulator")
    settings = Settings(AttentionProblem(4096, 16, heads=4, mask="causal"), Tiling(16, 16), H200)
    said = counted.counted(settings, 2)
    assert said.startswith("Run on this machine (simulator), N = 7, one head, 2 members in one process: ")
    assert "3 launches and 2 copies, every byte as predicted" in said
    whole = ring_host.Seat.hand_on
    monkeypatch.setattr(ring_host.Seat, "hand_on", lambda self, blocks, to, after: whole(self, [*blocks, blocks[0]], to, after))
    assert "3 launches and 2 copies, 3 as predicted" in counted.counted(settings, 2)
    monkeypatch.setenv("TILESCOPE_RUN_HERE", "off")
    with pytest.raises(Refusal, match="its host has switched that off"):
        counted.counted(settings, 2)


def ring_page():
    import streamlit as st

    from app.settings import OPENING
    from app.views import ring

    ring.show(OPENING, st.sidebar.container())


def test_the_page_shows_the_ring_that_its_link_asks_for():
    page = AppTest.from_function(ring_page, default_timeout=30)
    page.query_params.update(members="8", hbm="compulsory")
    page.session_state["ring_details"] = True
    page.run()
    assert not page.exception
    (player,) = page.get("bidi_component")
    made = json.loads(player.proto.json)
    assert (made["gpus"], made["measure"], len(made["steps"])) == (8, "compulsory", 64)
    assert any("(8 − 1) · 2 · 1 · 16 · 4,096 · 64 · 2" in text.value for text in page.markdown)
    table = page.dataframe[0].value
    assert table["NVLink_out"].sum() == sum(step["sent"] for step in made["steps"]) == 7 * 2 * 16 * 4096 * 64 * 2
