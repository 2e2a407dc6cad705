"""The race's player: its clock, steps, keys and controls, on the stand-alone page in a browser."""
import math

import pytest
from race_page import GPU, RacePage, race

from app.race.film import SCRIPT
from app.race.rungs import Rung
from traffic_model import AttentionProblem, Tiling, predict, units
from traffic_model.schedule import schedule

SMALL = race(80, 16, 32, head_dim=16, mask="causal")
LANES = ("naive", "fused")
EVENTS = [list(schedule(name, AttentionProblem(80, 16, mask="causal"), Tiling(16, 32), GPU).events()) for name in LANES]


@pytest.fixture(scope="module")
def page(browser):
    return RacePage(browser, SMALL)


@pytest.fixture
def small(page):
    page.load(SMALL)
    page.ask("void (player.pause(), player.seek(0), document.activeElement.blur())")
    return page


def done(page) -> list[int]:
    return page.ask("player.moment.views.map((view) => view.done)")


def test_both_lanes_run_on_one_clock_and_fused_is_done_after_four_seconds(small):
    naive, fused = (predict(name, AttentionProblem(80, 16, mask="causal"), Tiling(16, 32), GPU).compulsory_bytes for name in LANES)
    clock = lambda seconds: small.ask("player.film.clock.at(x).clock", seconds)
    assert [clock(s) for s in (0, 2, 4, 4.7, 5, 7, 9, 10)] == [0, fused / 2, fused, fused, fused, (fused + naive) / 2, naive, naive]
    assert small.ask("player.film.clock.at(4).views[1].done") == len(EVENTS[1])
    assert small.ask("player.film.clock.at(9).views[0].done") == len(EVENTS[0])


def test_chapters_are_where_their_first_event_begins(small):
    chapters = small.ask("player.film.clock.chapters")
    assert sorted(c["name"] for c in chapters) == ["P comes back", "S comes back", "end", "fused done"]
    for name, array in (("S comes back", "s"), ("P comes back", "p")):
        first = next(i for i, event in enumerate(EVENTS[0]) if (event.array, event.direction) == (array, "read"))
        before = sum(event.compulsory for event in EVENTS[0][:first])
        seconds = next(c["seconds"] for c in chapters if c["name"] == name)
        assert small.ask("player.film.clock.valueAt(x)", seconds) == pytest.approx(before)


def test_every_event_is_a_step_and_the_clock_stands_still_for_a_reread(small):
    total = sum(map(len, EVENTS))
    walk = small.ask("""(() => { let { moment } = player; const path = [];
        for (let i = 0; i < x; i++) { const next = player.film.clock.step(moment, 1);
            path.push({ clock: next.clock, done: next.views.map((view) => view.done) }); moment = next; }
        for (let i = 0; i < x; i++) moment = player.film.clock.step(moment, -1);
        return { path, back: moment.clock, start: moment.views.map((view) => view.done) }; })()""", total)
    assert walk["path"][-1]["done"] == [len(events) for events in EVENTS]
    assert (walk["back"], walk["start"]) == (0, [0, 0])
    clock, before = 0, [0, 0]
    for step in walk["path"]:
        (lane,) = [i for i in (0, 1) if step["done"][i] == before[i] + 1]
        event = EVENTS[lane][before[lane]]
        assert not event.reread or step["clock"] == clock
        ends = [sum(e.compulsory for e in events[:n]) for events, n in zip(EVENTS, step["done"])]
        assert step["clock"] == max(ends)
        clock, before = step["clock"], step["done"]


def test_a_step_onto_a_reread_shows_a_pulse_and_no_flight(small):
    for _ in range(len(EVENTS[0])):
        small.ask("void player.step(1)")
        naive = small.ask("player.moment.views[0]")
        if naive["pulse"]:
            break
    assert naive["flight"] is None and naive["pulse"]["cost"] == 0
    texts = [box["text"] for box in small.ask("player.boxes()")]
    assert any(text.startswith("read ") and text.endswith(" again") for text in texts)
    assert any(text.startswith("re-read ") and ": free" in text for text in texts)


def test_a_moment_shows_what_python_says_has_moved(small):
    for seconds in (1.1, 3.3, 6.2, 8.1):
        clock = small.ask("(player.seek(x), player.moment.clock)", seconds)
        for lane, events in enumerate(EVENTS):
            seen = done(small)[lane]
            spent = sum(event.compulsory for event in events[:seen])
            assert spent <= clock < spent + next((e.compulsory for e in events[seen:] if not e.reread), math.inf)
            for array, way in (("s", "write"), ("s", "read"), ("p", "write"), ("o", "write"), ("k", "read")):
                moved = sum(e.compulsory for e in events[:seen] if (e.array, e.direction) == (array, way))
                assert small.ask("player.film.lanes[x[0]].progress(x[1], x[2], x[3]).bytes", [lane, array, way, seen]) == moved
            again = sum(max(0, e.requested - e.compulsory) for e in events[:seen])
            assert small.ask("player.film.lanes[x[0]].rereads[x[1]]", [lane, seen]) == again


def test_keys(small):
    press = small.page.keyboard.press
    press("ArrowRight")
    assert sum(done(small)) == 1
    press("Shift+ArrowRight")
    assert sum(done(small)) == 11
    press("ArrowLeft")
    assert sum(done(small)) == 10
    press("End")
    assert small.ask("player.moment.seconds") == 10
    press("Home")
    assert small.ask("player.moment.seconds") == 0
    press("Space")
    assert small.ask("player.playing") is True
    press("Space")
    assert small.ask("player.playing") is False


def test_the_block_under_the_pointer_is_named_with_what_has_moved(small):
    for rungs in ((Rung.TILED, Rung.KV_OUTER), (Rung.NAIVE, Rung.FUSED)):
        small.load(race(80, 16, 32, rungs, head_dim=16, mask="causal"))
        seen = small.ask("(player.seek(7.3), player.moment.views.map((view) => view.done))")
        for lane, rung in enumerate(rungs):
            events = list(schedule(rung.algorithm, AttentionProblem(80, 16, mask="causal"), Tiling(16, 32), GPU).events())[:seen[lane]]
            for array, row, column in (("q", 2, None), ("k", None, 1), ("s", 3, 0), ("v", None, 0), ("o", 0, None)):
                moved = {way: [e.requested for e in events if (e.array, e.row, e.column, e.direction) == (array, row, column, way)
                               and e.requested] for way in ("read", "write")}
                touches = small.ask("player.film.touches(...x)", [lane, array, row, column, seen[lane]])
                assert touches == {way: dict(count=len(sizes), bytes=sum(sizes)) for way, sizes in moved.items()}
    x, y, width, height = small.ask("player.film.matrices.block('s', 1, 0)")
    scale = small.ask("player.canvas.clientWidth / 1280")
    box = small.page.locator("canvas").bounding_box()
    small.page.mouse.move(box["x"] + (x + width / 2) * scale, box["y"] + (y + 80 + 38 + height / 2) * scale)
    note = small.page.locator(".note")
    assert note.inner_text().splitlines()[0] == "S[1,0]: queries 16 to 31, keys 0 to 31"
    assert note.inner_text().splitlines()[1].startswith("so far written 1×, ")
    small.page.mouse.move(box["x"] + 3, box["y"] + 3)
    assert note.is_hidden()


def test_space_on_a_button_is_the_buttons_own(small):
    small.page.focus("[data-action=step]")
    small.page.keyboard.press("Space")
    assert small.ask("player.playing") is False and sum(done(small)) == 1


def test_buttons_and_scrubber(small):
    small.page.click("[data-action=step]")
    small.page.click("[data-action=back]")
    assert sum(done(small)) == 0
    small.page.click("text=fused done")
    assert small.ask("player.moment.seconds") == 4
    small.page.fill("input[type=range]", "7.5")
    assert small.ask("player.moment.seconds") == 7.5
    small.page.click("[data-action=speed]")
    assert small.ask("player.speed") == 2 and small.page.inner_text("[data-action=speed]") == "2×"
    small.page.click("[data-action=loop]")
    assert small.ask("player.loop") is True
    small.ask("void (player.seek(9.99), player.speed = 5, player.play())")
    small.page.wait_for_function("tilescopePlayer.moment.seconds < 5")
    small.ask("void (player.pause(), player.loop = false, player.speed = 1)")


def test_present_mode_is_the_picture_and_the_clickers_keys(browser):
    opened = RacePage(browser, SMALL)
    press, seconds = opened.page.keyboard.press, lambda: opened.ask("player.moment.seconds")
    press("PageDown")
    assert seconds() == 0  # not presented: the page's own key
    press("f")
    assert opened.ask("player.stage.presenting") is True
    box = opened.ask("(({ width, height }) => ({ width, height }))(player.canvas.getBoundingClientRect())")
    assert box == dict(width=1280, height=720)
    assert opened.ask("Number(getComputedStyle(player.controls.holder).opacity)") == 0
    chapters = [chapter["seconds"] for chapter in opened.ask("player.film.chapters")]
    for chapter in chapters:
        press("PageDown")
        assert seconds() == pytest.approx(chapter)
    press("PageUp")
    assert seconds() == pytest.approx(chapters[-2])
    press(".")
    assert opened.ask("getComputedStyle(player.canvas).visibility") == "hidden"
    press(".")
    press("]")
    press("]")
    press("[")
    assert opened.ask("[getComputedStyle(player.canvas).visibility, player.speed]") == ["visible", 2]
    press("f")
    assert opened.ask("player.stage.presenting") is False and opened.complaints == []
    opened.context.close()


def test_what_is_said_changes_with_the_story_not_with_the_frame(small):
    label = lambda: small.page.get_attribute("canvas", "aria-label")
    start = label()
    assert small.page.get_attribute("canvas", "role") == "img" and "S and P are never stored" in start
    small.ask("void (player.speed = 0.01, player.play())")
    small.page.wait_for_function("tilescopePlayer.moment.seconds > 0")
    assert label() == start
    small.ask("void (player.seek(3.999), player.speed = 1)")
    small.page.wait_for_function("document.querySelector('.spoken').textContent.startsWith('Fused is done.')")
    small.ask("void player.pause()")


def test_new_settings_keep_the_canvas_and_the_moment(small):
    small.ask("void (player.seek(6), player.canvas.dataset.mine = 'yes')")
    small.load(race(512))
    assert small.page.get_attribute("canvas", "data-mine") == "yes"
    assert small.ask("[player.moment.seconds, player.film.rows.at(-1)]") == [6, 512]


def test_it_plays_once_by_itself_and_stops_at_the_end(browser):
    opened = RacePage(browser, SMALL, autoplay=True)
    assert opened.ask("player.playing") is True
    opened.ask("void (player.speed = 30)")
    opened.page.wait_for_function("!tilescopePlayer.playing")
    assert opened.ask("player.moment.seconds") == 10
    assert opened.texts(10)[0].startswith("Same output")
    assert opened.complaints == [] and opened.requests == []  # no network at all
    opened.context.close()


def test_who_wants_no_motion_sees_the_still(browser):
    opened = RacePage(browser, SMALL, autoplay=True, reduced_motion="reduce")
    assert opened.ask("[player.playing, player.moment.seconds]") == [False, 4]
    opened.context.close()


@pytest.mark.parametrize("size, scale", [((1280, 720), 1), ((390, 844), 3)])
def test_it_fits_the_window_and_stays_sharp(browser, size, scale):
    opened = RacePage(browser, SMALL, size=size, device_scale_factor=scale)
    opened.page.wait_for_timeout(100)
    box = opened.ask("(({ width, height, bottom }) => ({ width, height, bottom }))(player.canvas.getBoundingClientRect())")
    assert opened.ask("player.canvas.width") == round(box["width"] * scale)
    assert opened.ask("document.documentElement.scrollWidth") <= size[0]
    assert opened.ask("player.root.getBoundingClientRect().bottom") <= size[1]
    for button in opened.page.query_selector_all(".controls > button"):
        place = button.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= size[0] and place["height"] >= 36
    names = [label.bounding_box() for label in opened.page.query_selector_all(".chapters button")]
    assert all(a["x"] + a["width"] <= b["x"] + .5 for a, b in zip(names, names[1:]))
    assert 0 <= names[0]["x"] and names[-1]["x"] + names[-1]["width"] <= size[0]
    opened.context.close()


def test_a_moment_of_65536_tiles_is_found_at_once(page):
    page.load(race(16384))
    assert page.ask("player.film.lanes.map((lane) => lane.count)") == [590_080, 131_584]
    longest = page.ask("""Math.min(...[0, 1, 2].map(() => { const start = performance.now();
        for (let i = 0; i < 100; i++) player.film.clock.at(i / 10); return (performance.now() - start) / 100; }))""")
    assert longest < 5  # ms


def test_numbers_are_written_as_python_writes_them(page):
    values = [0, 1, 999, 999.6, 1000, 1005, 2675, 4125, 9994, 9995, 9999, 99950, 123456, 999499, 999500, 1e6, 4194304, 68.75e9, 3e15]
    factors = [1, 1.005, 1.0625, 2.675, 4.125, 9.9951, 9.994, 12.5, 13.5, 64.5, 99.4, 99.5, 1025, 2048.5]
    shares = [0, 1, .0004, .0005, .00125, .0154, .0994, .0996, .105, .115, .5, .994, .99999]
    ours = page.page.evaluate(f"""([values, factors, shares]) => {{ {SCRIPT}
        return [values.map(decimalBytes), factors.map(times), shares.map(percent), factors.map(milliseconds)]; }}""",
                              [values, factors, shares])
    assert ours == [[units.decimal_bytes(v) for v in values], [units.ratio(v) for v in factors], [units.percent(v) for v in shares],
                    [units.milliseconds(v) for v in factors]]
