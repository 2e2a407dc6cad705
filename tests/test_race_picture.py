"""The race's picture: at any size, mask, moment and theme no text overlaps, leaves its panel, is small or pale; and it says what is so."""
import re

import pytest
from player_page import contrast, faults
from race_page import GPU, RacePage, race

from app.race.payload import payload
from app.race.receipts import ledger_cells, receipt
from app.race.rungs import Clock, Rung
from traffic_model import AttentionProblem, Measure, Space, Tiling, predict
from traffic_model.schedule import one_head
from traffic_model.units import decimal_bytes, percent, ratio

SHAPES = [
    race(64, 16, 256, head_dim=16), race(64, 64, 64, mask="causal"), race(64, 256, 16, head_dim=128),
    race(200, 16, 64, head_dim=128, mask="causal"), race(200, 64, 64), race(200, 256, 16, head_dim=16),
    race(512, 16, 256, heads=16), race(512, 64, 64, head_dim=128), race(512, 256, 16, mask="causal"),
    race(4096, 64, 64, heads=16), race(4096, 16, 64, head_dim=128, mask="causal"), race(4096, 256, 16, head_dim=16),
    race(16384, 64, 64, mask="causal"), race(131072, 16, 256, mask="causal", heads=128), race(131072, 256, 16, head_dim=128),
    race(200, 16, 256, kv_len=900), race(900, 64, 16, kv_len=200, mask="causal"), race(4096, kv_len=1, head_dim=128),
    race(1, 16, 16, kv_len=4096), race(131072, 64, 64, kv_len=100000, mask="causal", heads=16),
]
MOMENTS = (0, 0.05, 1.9, 3.7, 4, 4.5, 5.3, 7, 8.9, 9, 10)
LOSES = race(512) | dict(lanes=race(512)["lanes"][::-1], id="fused first")


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, SHAPES[0])


def describe(shown: dict) -> str:
    return f"{shown['file']}_{len(shown['rows']) - 1}x{len(shown['columns']) - 1}"


@pytest.mark.parametrize("shown", [*SHAPES, LOSES], ids=describe)
def test_text_is_large_dark_and_in_its_place(page, shown):
    page.load(shown, "dark" if len(shown["file"]) % 2 else "light")
    chapters = page.ask("player.film.clock.chapters.map((chapter) => chapter.seconds + 0.001)")
    frames = page.frames([*MOMENTS, *chapters]) + page.frames([*MOMENTS, *chapters], running=True)
    frames += page.ask("(player.seek(0), [1, 2, 3].map(() => (player.step(7), player.boxes())))")
    assert {fault for boxes in frames for fault in faults(boxes)} == set()
    assert not page.complaints


def test_the_check_sees_what_is_wrong(page):
    good = page.boxes(0)
    assert faults([*good, good[0]]) == [f"{good[0]['text']!r} and {good[0]['text']!r} overlap"]
    for change in (dict(size=17), dict(x=-3), dict(ink=good[0]["ground"]), dict(squeezed=1.5)):
        assert faults([good[0] | change])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_ink_of_both_themes_is_readable(page, theme):
    page.load(race(512), theme)
    inks = {(box["ink"], box["ground"]) for seconds in MOMENTS for box in page.boxes(seconds)}
    assert len(inks) >= 8
    assert min(contrast(*pair) for pair in inks) >= 4.5


@pytest.mark.parametrize("shown", [SHAPES[3], SHAPES[9], SHAPES[16]], ids=describe)
def test_text_stands_on_the_ground_it_says(page, shown):
    """The commonest pixel of every text box is the stated ground; words on two grounds are left out."""
    page.load(shown)
    assert [page.on_another_ground(seconds) for seconds in (1.3, 4, 6.1, 8, 10)] == [[]] * 5


def test_the_story_is_told_in_titles(page):
    page.load(race(4096, heads=16))
    naive, fused = (predict(name, AttentionProblem(4096), Tiling(), GPU).compulsory_bytes for name in ("naive", "fused"))
    assert page.texts(1)[0] == f"Same attention: naive must move {decimal_bytes(naive)}, fused {decimal_bytes(fused)}"
    assert page.texts(4)[0] == f"Fused is done. Naive has moved {percent(fused / naive)} of its bytes."
    assert page.texts(4)[0] == "Fused is done. Naive has moved 1.5 % of its bytes."
    assert page.texts(10)[0] == f"Same output to rounding, {ratio(naive / fused)} fewer compulsory HBM bytes"
    assert "clock: compulsory bytes, same rate for both" in page.texts(2)
    assert "fast-forward 64×, clock: compulsory bytes" in page.texts(7)
    assert "65× fewer compulsory bytes = 1 + N/d" in page.texts(10)


def test_titles_of_a_tie_and_of_a_loss(page):
    page.load(race(4096, kv_len=1, head_dim=128))
    assert page.texts(10)[0] == "Same output to rounding, compulsory HBM bytes equal within 5 %"
    page.load(LOSES)
    assert page.texts(10)[0] == "Same output to rounding, but naive moves 9.00× the compulsory HBM bytes"
    assert page.texts(4)[0].startswith("Fused is done. Naive has moved")


def test_where_the_rest_is_shorter_than_the_lead_the_film_slows_down(page):
    page.load(race(900, 64, 16, kv_len=200, mask="causal"))
    assert any(text.startswith("slow motion") for text in page.texts(7))


@pytest.mark.parametrize("shape", [dict(kv_len=700), dict(mask="causal")])
def test_the_identity_is_claimed_only_where_it_holds(page, shape):
    page.load(race(512, **shape))
    texts = page.texts(10)
    assert not any("N/d" in text for text in texts)
    assert any(re.fullmatch(r"[\d.]+× fewer compulsory bytes", text) for text in texts)


def test_fused_stores_no_scores_and_naive_reads_them_back(page):
    page.load(race(512))
    assert " ".join(page.texts(10)).count("never stored") == 3  # S, P and the lane's sentence
    assert page.texts(10).count("back 100 %") == 2
    assert page.texts(10).count("out 100 %") == 4  # naive's S, P, O and fused's O


@pytest.mark.parametrize("shape", [dict(seq_len=4096), dict(seq_len=99, kv_len=900), dict(seq_len=300, mask="causal", heads=4, kv_heads=2)])
@pytest.mark.parametrize("measure", [Measure.COMPULSORY, Measure.REQUESTED])
@pytest.mark.parametrize("rung", Rung)
def test_a_receipt_adds_up_to_the_prediction(rung, measure, shape):
    problem = AttentionProblem(**shape)
    for heads in (problem, one_head(problem)):
        terms, total = receipt(ledger_cells(predict(rung.algorithm, heads, Tiling(), GPU).ledger, measure)).split(" = ")
        added = sum(int(count or 1) * int(size.replace(",", "")) for count, size in re.findall(r"(?:(\d+) × )?([\d,]+) \(", terms))
        assert added == int(total.removesuffix(" B").replace(",", ""))
        assert added == predict(rung.algorithm, heads, Tiling(), GPU).ledger.total(measure, space=Space.HBM)


def test_lanes_end_with_the_predicted_bytes(page):
    causal = AttentionProblem(200, mask="causal")
    shapes = [(causal, Tiling(16, 64)), (AttentionProblem(16384), Tiling()), (AttentionProblem(300, kv_len=70), Tiling(64, 16))]
    for problem, tiling in shapes:
        for rungs in ((Rung.NAIVE, Rung.FUSED), (Rung.TILED, Rung.KV_OUTER)):
            for clock in (Clock.COMPULSORY, Clock.REQUESTED):
                page.load(payload(problem, tiling, GPU, rungs, clock))
                for index, rung in enumerate(rungs):
                    ledger = predict(rung.algorithm, problem, tiling, GPU).ledger
                    moved = {measure: ledger.total(measure, space=Space.HBM) for measure in (Measure.COMPULSORY, Measure.REQUESTED)}
                    assert page.ask("player.film.lanes[x].total", index) == moved[clock.measure]
                    if problem != causal:  # there some compulsory bytes are never requested, and more are moved again
                        again = moved[Measure.REQUESTED] - moved[Measure.COMPULSORY]
                        assert page.ask("player.film.lanes[x].rereads.at(-1)", index) == again


def test_a_run_replaces_the_word_predicted_at_the_end(page):
    page.load(race(512) | dict(tick="counted on cpu: equal", id="with a run"))
    assert "predicted" in page.texts(5)
    assert "counted on cpu: equal" in page.texts(10) and "predicted" not in page.texts(10)


