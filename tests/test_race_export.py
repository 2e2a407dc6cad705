"""The files that a player makes by itself, opened from disk without a network: GIF, MP4, PNG and the table of steps."""
import base64
import csv
import io
import json
import re
import struct
from itertools import groupby

import numpy as np
import pytest
from PIL import Image
from player_page import PlayerPage
from race_page import GPU, race

from app.race.film import SCRIPT, html
from traffic_model import AttentionProblem, Tiling
from traffic_model.schedule import schedule

SHOWN = race(80, 16, 32, head_dim=16, mask="causal")
NAME = "tilescope_race_N80_d16_float32_causal"
MOMENTS = (0, 1.2, 4.48, 7, 9.96)  # seconds; whole frames of the GIF
DRAWN = """(player.seek(x), player.playing = true, x = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 }),
    player.draw(x), player.playing = false, x.toDataURL())"""
DECODED = """async ([text, moments]) => {
    const video = Object.assign(document.createElement('video'), { muted: true, src: `data:video/mp4;base64,${text}` }), frames = [];
    await new Promise((resolve, reject) => { video.onloadeddata = resolve; video.onerror = () => reject(video.error.message); });
    const sheet = Object.assign(document.createElement('canvas'), { width: video.videoWidth, height: video.videoHeight });
    for (const moment of moments) {
        video.currentTime = moment + 0.01;
        await new Promise((resolve) => { video.onseeked = resolve; });
        sheet.getContext('2d').drawImage(video, 0, 0);
        frames.push(sheet.toDataURL());
    }
    return [video.duration, frames]; }"""


class Saved(PlayerPage):
    """The race as a person opens it who was sent the file: encoders work there, on a blank page they do not."""

    def __init__(self, browser, folder, **context):
        path = folder / "race.html"
        path.write_text(html(SHOWN, theme="light", autoplay=False), encoding="utf-8")
        super().__init__(browser, path.as_uri(), **context)
        self.own = path.as_uri()

    def menu(self) -> dict[str, str]:
        self.page.click("[data-action=save]")
        self.page.wait_for_selector(".menu button")
        return {item.get_attribute("data-file"): item.inner_text() for item in self.page.query_selector_all(".menu button")}

    def save(self, kind: str) -> tuple[str, bytes]:
        """Name and content of a file from the menu."""
        self.menu()
        with self.page.expect_download(timeout=180_000) as download:
            self.page.click(f"[data-file={kind}]")
        return download.value.suggested_filename, download.value.path().read_bytes()

    def drawn(self, seconds: float) -> np.ndarray:
        """The sheet as it is drawn while it runs."""
        return picture(self.ask(DRAWN, seconds))


def picture(address: str) -> np.ndarray:
    """A PNG's pixels, shape [720, 1280, 3]."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.split(",")[1]))).convert("RGB")).astype(int)


def boxes(data: bytes, start: int = 0) -> dict[str, bytes]:
    """The boxes of an MP4 side by side, each with what it holds."""
    found = {}
    while start < len(data):
        size, name = struct.unpack(">I4s", data[start:start + 8])
        assert 8 <= size <= len(data) - start
        found[name.decode("latin-1")] = data[start + 8:start + size]
        start += size
    return found


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    opened = Saved(browser, tmp_path_factory.mktemp("race"))
    yield opened
    assert opened.complaints == [] and set(opened.requests) - {opened.own} == set(filter(re.compile("blob:|data:").match, opened.requests))


def test_a_gif_shows_every_moment_as_it_is_drawn_and_the_page_stays_alive(page):
    alive = "(() => { window.alive = 0; const count = () => { window.alive++; requestAnimationFrame(count); }; count(); })()"
    page.ask(f"void {alive}")
    name, data = page.save("gif")
    assert name == f"{NAME}.gif" and len(data) <= 5_000_000
    assert page.page.evaluate("alive") > 50
    gif, frames, shown = Image.open(io.BytesIO(data)), {}, 0
    assert gif.size == (1280, 720) and gif.info["loop"] == 0
    assert gif.info["comment"].decode().startswith("Same output to rounding, ")
    for number in range(gif.n_frames):
        gif.seek(number)
        frames |= {moment: np.asarray(gif.convert("RGB")).astype(int) for moment in MOMENTS
                   if shown <= 1000 * moment < shown + gif.info["duration"]}
        shown += gif.info["duration"]
    assert shown == 10_000
    for moment in MOMENTS:
        assert ((frames[moment] - page.drawn(moment)) ** 2).sum(axis=2).max() <= 8 ** 2, moment


def test_lzw_is_undone_by_another_decoder_at_every_turn_of_its_codes(page, fresh_seed):
    """Around 254, 766 and 1,790 codes the width grows, at 3,838 all is forgotten; noise has a code a pixel, two colours long strings."""
    noise = np.random.default_rng(fresh_seed)
    lengths = [1, 2, 3, *(turn + more for turn in (254, 766, 1790, 3838, 4092) for more in (-1, 0, 1, 2))]
    rows = [noise.integers(0, 256, length).tolist() for length in lengths] + [noise.integers(0, 2, 20_000).tolist(), [7] * 20_000]
    pack = "JSON.stringify(JSON.parse(text).map((row) => gifBlocks(lzw(Uint8Array.from(row))).flatMap((block) => [...block])))"
    packed = json.loads(page.page.evaluate(f"(text) => {{ {SCRIPT} return {pack}; }}", json.dumps(rows)))
    greys = bytes(level for level in range(256) for _ in "rgb")
    for row, blocks in zip(rows, packed):
        size = struct.pack("<HH", len(row), 1)
        whole = b"GIF89a" + size + b"\xf7\0\0" + greys + b"\x2c\0\0\0\0" + size + b"\0\x08" + bytes(blocks) + b"\x3b"
        assert list(Image.open(io.BytesIO(whole)).convert("L").tobytes()) == row


def test_an_mp4_lasts_ten_seconds_and_shows_what_is_drawn(page):
    label = page.menu()["mp4"]
    page.page.keyboard.press("Escape")
    if label.startswith("MP4: not here, "):  # a Chromium without an H.264 encoder says so
        assert page.page.evaluate("VideoEncoder.isConfigSupported({codec: 'avc1.42e028', width: 1280, height: 720})")["supported"] is False
        return
    name, data = page.save("mp4")
    assert name == f"{NAME}.mp4"
    top = boxes(data)
    assert list(top) == ["ftyp", "moov", "mdat"]  # the index comes first
    movie = boxes(top["moov"])
    track, media = boxes(movie["trak"]), boxes(boxes(movie["trak"])["mdia"])
    table = boxes(boxes(media["minf"])["stbl"])
    number = lambda box, at: struct.unpack(">I", box[at:at + 4])[0]
    rate, ticks = number(movie["mvhd"], 12), number(movie["mvhd"], 16)
    assert (rate, ticks) == (30, 300) == (number(media["mdhd"], 12), number(media["mdhd"], 16))
    assert [number(track["tkhd"], at) for at in (20, 76, 80)] == [300, 1280 << 16, 720 << 16]
    assert struct.unpack(">4I", table["stts"]) == (0, 1, 300, 1)
    sizes = struct.unpack(f">{300}I", table["stsz"][12:])
    assert number(table["stsz"], 8) == 300 and sum(sizes) == len(top["mdat"]) and data[number(table["stco"], 8):] == top["mdat"]
    assert struct.unpack(">10I", table["stss"][8:]) == tuple(range(1, 301, 30))
    start = 0
    for size in sizes:  # a sample is whole units, each after its length
        end = start + size
        while start < end:
            start += 4 + number(top["mdat"], start)
        assert start == end
    duration, frames = page.page.evaluate(DECODED, [base64.b64encode(data).decode(), MOMENTS])
    assert duration == 10
    for moment, frame in zip(MOMENTS, frames):
        close = np.abs(picture(frame) - page.drawn(int(moment * 30) / 30)).max(axis=2)
        assert np.median(close) <= 3 and (close > 32).mean() < .03, moment  # colours have half the resolution


def test_steps_are_the_schedules_events(page):
    name, data = page.save("csv")
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert name == f"{NAME}.csv" and [lane for lane, _ in groupby(rows, lambda row: (row["lane"], row["algorithm"]))] == [
        ("upper", "naive"), ("lower", "fused")]
    problem, tiling = AttentionProblem(80, 16, mask="causal"), Tiling(16, 32)
    for (_, algorithm), group in groupby(rows, lambda row: (row["lane"], row["algorithm"])):
        place = lambda first, last, edge, size: ("", "") if first is None else (str(first * size), str(min(edge, (first + 1) * size) - 1))
        expected = [(str(number), str(e.kernel), e.array, e.direction, *place(e.row, None, 80, 16), *place(e.column, None, 80, 32),
                     str(e.compulsory), str(e.requested))
                    for number, e in enumerate(schedule(algorithm, problem, tiling, GPU).events(), start=1)]
        assert [tuple(value for column, value in row.items() if column not in ("lane", "algorithm", "stage")) for row in group] == expected


def test_a_png_is_three_times_the_sheet(page):
    name, data = page.save("png")
    assert name == f"{NAME}.png" and struct.unpack(">II", data[16:24]) == (3840, 2160)


def test_the_menu_says_what_is_there_and_closes(page):
    said = page.menu()
    assert list(said) == ["png", "gif", "mp4", "csv"] and said["gif"] == "GIF: 10 s, 1280×720, 25 frames a second"
    page.page.keyboard.press("Escape")
    assert page.page.is_hidden(".menu") and page.ask("document.activeElement.dataset.action") == "save"
    page.menu()
    page.page.mouse.click(300, 300)
    assert page.page.is_hidden(".menu")


def test_a_press_stops_what_is_being_made(page):
    page.menu()
    page.page.click("[data-file=gif]")
    page.page.wait_for_function("/^GIF \\d+ %$/.test(document.querySelector('[data-action=save]').textContent)")
    page.page.click("[data-action=save]")
    page.page.wait_for_function("document.querySelector('[data-action=save]').textContent === 'Save'")
    assert page.page.is_hidden(".menu")


SUPPORTED = "VideoEncoder.isConfigSupported = async (config) => ({ supported: true, config })"
NO_MEMORY = "VideoEncoder.prototype.configure = () => { throw new Error('out of memory'); }"


@pytest.fixture
def instead(page):
    """Runs a script that takes something from the browser's encoder; afterwards it is whole again."""
    page.ask("void (window.whole = [VideoEncoder, VideoEncoder.isConfigSupported, VideoEncoder.prototype.configure])")
    yield lambda script: page.ask(f"void ({script})")
    page.ask("void ([window.VideoEncoder, VideoEncoder.isConfigSupported, VideoEncoder.prototype.configure] = whole)")
    page.page.mouse.click(300, 300)


@pytest.mark.parametrize(("missing", "words"), [
    ("delete window.VideoEncoder", "this browser has no WebCodecs"),
    ("VideoEncoder.isConfigSupported = async () => ({ supported: false })", "this browser has no H.264 encoder")])
def test_without_an_encoder_the_menu_says_what_is_missing(page, instead, missing, words):
    instead(missing)
    assert page.menu()["mp4"] == f"MP4: not here, {words}"
    assert page.page.is_disabled("[data-file=mp4]")


def test_an_encoder_that_fails_is_told_in_words(page, instead):
    instead(f"{SUPPORTED}, {NO_MEMORY}")
    page.menu()
    page.page.click("[data-file=mp4]")
    page.page.wait_for_function("document.querySelector('.menu output')?.textContent === 'No MP4: out of memory'")
    assert page.page.inner_text("[data-action=save]") == "Save"
