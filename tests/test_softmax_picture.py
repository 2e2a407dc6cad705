"""The softmax's picture: for any row, break, moment and theme no text overlaps, leaves its panel, is small or pale; and its player."""
import pytest
from player_page import PlayerPage, faults

from app.softmax.film import html
from app.softmax.online import Broken
from app.softmax.payload import payload
from app.softmax.rows import Scores, Size
from traffic_model import AttentionProblem

ALL = [(scores, broken) for scores in Scores for broken in Broken]
STILL, MOVING = [(index + .4) * 3 for index in range(4)], [0, .3, .9, 3.2, 3.5, 3.7, 4, 6.4, 9.6, 12]
REAL = [dict(), dict(tile=256, seed=3), dict(tile=16, seq_len=128, seed=11), dict(tile=64, seq_len=128, head_dim=256, dtype="bfloat16"),
        dict(tile=256, seq_len=128, seed=999), dict(tile=32, seq_len=256, seed=5)]


def row(size, scores=Scores.USUAL, broken=Broken.NOTHING, tile=64, seed=0, **shape) -> dict:
    return payload(size, scores, broken, AttentionProblem(**dict(seq_len=4096) | shape), tile, seed)


@pytest.fixture(scope="module")
def page(browser):
    return PlayerPage(browser, html(row(Size.HAND), theme="light"))


def wrong(page, moments: list[float]) -> set[str]:
    return {fault for boxes in page.frames(moments) for fault in faults(boxes)}


@pytest.mark.parametrize(("scores", "broken"), ALL, ids=str)
def test_text_by_hand_is_large_dark_and_in_its_place(page, scores, broken):
    for theme in ("light", "dark"):
        page.load(row(Size.HAND, scores, broken) | dict(id=f"{scores} {broken} {theme}"), theme)
        assert wrong(page, STILL + MOVING) == set()
    assert not page.complaints


@pytest.mark.parametrize("shape", REAL, ids=str)
@pytest.mark.parametrize("scores", Scores)
def test_text_of_a_real_row_is_large_dark_and_in_its_place(page, scores, shape):
    for broken in Broken:
        page.load(row(Size.REAL, scores, broken, **shape), "dark" if broken == Broken.NOTHING else "light")
        assert wrong(page, [0, .1, .4, 3.1, 6, 9.3, 11.7, 12]) == set()
    assert not page.complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_on_the_ground_it_says(page, theme):
    for size, scores, broken in ((Size.HAND, Scores.USUAL, Broken.NO_RESCALE), (Size.HAND, Scores.LATE, Broken.NOTHING),
                                 (Size.HAND, Scores.MASKED, Broken.SENTINEL), (Size.REAL, Scores.LATE, Broken.NOTHING)):
        page.load(row(size, scores, broken) | dict(id=f"ground {size} {scores} {theme}"), theme)
        assert [page.on_another_ground(seconds) for seconds in (1.2, 4.2, 7.2, 12)] == [[]] * 4


def test_a_step_is_a_line_and_stops_where_it_stands(page):
    page.load(row(Size.HAND) | dict(id="steps"))
    page.ask("void player.seek(0)")
    seen = [page.ask("(player.step(1), [player.moment.index, player.moment.share])") for _ in range(4)]
    assert seen == [[0, 1], [1, 1], [2, 1], [3, 1]]
    assert page.ask("(player.step(-1), [player.moment.index, player.moment.share])") == [2, 1]
    assert page.ask("(player.step(-10), player.moment.seconds)") == 0


def test_the_worksheet_gains_a_line_a_step(page):
    page.load(row(Size.HAND) | dict(id="lines"))
    counts = [sum(" = " in text and ("ℓ" in text or "O" in text) for text in page.texts(seconds)) for seconds in STILL[:3]]
    assert counts == [counts[0], counts[0] + 2, counts[0] + 4]


def test_raising_m_lengthens_every_older_distance_alike(page):
    page.load(row(Size.HAND) | dict(id="distances"))
    assert {"−1"} <= set(page.texts(STILL[0]))
    assert {"−1", "−2", "−3", "α = e", "2−3", " = 0.368", "m = 3", "m was 2"} <= set(page.texts(STILL[1]))


def test_a_broken_row_shows_the_error_grow(page):
    page.load(row(Size.HAND, broken=Broken.NO_RESCALE) | dict(id="grow"))
    assert "so far 30 % off" in page.texts(STILL[2]) and "not 1.553" in page.texts(STILL[2])
    real = row(Size.REAL, Scores.LATE, Broken.NO_RESCALE)
    page.load(real)
    texts = page.texts(12)
    assert [step["error"] for step in real["steps"] if step["error"] not in texts] == []


def test_a_place_in_the_link_names_a_moment(page):
    page.load(row(Size.HAND) | dict(id="link"))
    assert page.ask("['0', '1', '4'].map((mark) => player.film.mark(player.film.at(player.film.secondsAt(mark))))") == ["0", "1", "4"]
    assert page.ask("['5', '-1', 'x', '', null, '1.5'].map((mark) => Number.isNaN(player.film.secondsAt(mark)))") == [True] * 6


def test_it_opens_standing_on_the_rescale_and_plays_from_the_start(browser):
    opened = PlayerPage(browser, html(row(Size.HAND)))
    assert opened.ask("[player.playing, player.moment.index, player.moment.share]") == [False, 1, 1]
    label = opened.page.get_attribute("canvas", "aria-label")
    assert label.startswith("A larger score: everything kept is multiplied by α = 0.368. m: 2 to 3.")
    opened.page.keyboard.press("Space")
    opened.page.wait_for_function("tilescopePlayer.playing && tilescopePlayer.moment.seconds < 3 && tilescopePlayer.moment.seconds > 0")
    assert opened.requests == [] and opened.complaints == []
    opened.context.close()


def test_who_wants_no_motion_sees_each_moment_at_rest(browser):
    opened = PlayerPage(browser, html(row(Size.HAND)), reduced_motion="reduce")
    assert opened.ask("[player.playing, ...[3.1, 3.5, 6.2].map((seconds) => player.film.at(seconds).share)]") == [False, 1, 1, 1]
    opened.context.close()
