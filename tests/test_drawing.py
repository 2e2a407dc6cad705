"""The server's own browser: kept from one figure to the next, replaced when it dies, gone with its process."""
import io
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from example_runs import DEFAULT
from PIL import Image

from app import export
from app.charts.look import Template
from app.drawing.browser import Drawing, NotDrawn
from app.figures import FIGURES, Sources

ROOT = Path(__file__).parent.parent
LIFE = "[performance.timeOrigin, document.getElementsByTagName('*').length]"  # of the page: when it was loaded, how much is in it
DRAWS_AND_WAITS = "from app.drawing.browser import Drawing; Drawing().asked('0'); print('drawn', flush=True); input()"


@pytest.fixture(scope="module")
def figures():
    """Lines and tiles, in the talk template."""
    return [FIGURES[name](DEFAULT, Sources([])).draw(Template().look) for name in ("traffic", "tiles-bytes")]


def children(processes: set[int]) -> set[int]:
    """Every process that one of these started itself."""
    with subprocess.Popen(["ps", "-ax", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as listing:
        parents = [tuple(map(int, line.split())) for line in listing.stdout]
    return {child for child, parent in parents if parent in processes} - {listing.pid}


def below(process: int) -> set[int]:
    """Every process that this one started, itself or through others."""
    found = {process}
    while more := children(found) - found:
        found |= more
    return found - {process}


def test_every_figure_is_drawn_in_the_page_of_the_first(browser, figures):
    export.image(figures[0], "pdf")
    before = export.drawing.asked(LIFE)
    for figure in figures:
        for kind in ("svg", "png", "pdf"):
            export.image(figure, kind)
    assert export.drawing.asked(LIFE) == before


def test_a_figure_does_not_show_what_was_drawn_before(browser, figures):
    by_lot = "(?<=[pge-])[0-9a-f]{6}"  # Plotly's names: clip01cafe, trace01cafe
    drawn = lambda: re.sub(by_lot, "", export.image(figures[1], "svg").decode())
    first = drawn()
    for kind in ("svg", "pdf"):
        export.image(figures[0], kind)
    assert drawn() == first and "key tile" in first


def test_a_palette_is_close_to_every_colour(browser, figures):
    for figure in figures:
        text, pictures = figure.to_json(validate=False), []
        for opaque in (True, False):
            made = Image.open(io.BytesIO(export.drawing.png(text, export.PNG_SCALE, opaque)))
            assert made.size == (3840, 2160) and made.mode == ("P" if opaque else "RGBA")
            pictures.append(np.asarray(made.convert("RGB"), dtype=int))
        far = ((pictures[0] - pictures[1]) ** 2).sum(axis=2) > 8**2  # levels of 256, up to which shades share a swatch
        assert far.mean() < 1e-4  # a rare shade where there are more than 255


def test_what_the_page_refuses_is_said_in_its_words(browser):
    for wrong, words in (("{}", "TypeError"), ("{", "SyntaxError")):
        with pytest.raises(NotDrawn, match=words):
            export.drawing.svg(wrong)
    assert export.drawing.asked("1 + 1") == 2


def test_a_browser_that_died_is_replaced(browser):
    drawing, before, browsers = Drawing(), below(os.getpid()), children({os.getpid()})
    loaded = drawing.asked(LIFE)
    started = below(os.getpid()) - before
    assert started
    for process in started:
        with suppress(ProcessLookupError):  # it has ended with the one before
            os.kill(process, signal.SIGKILL)
    assert drawing.asked(LIFE) != loaded and not started & below(os.getpid())
    drawing.close()
    assert children({os.getpid()}) <= browsers  # those of other tests may have started more below them


def test_no_browser_outlives_its_process(browser):
    unignored = (lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) if os.name == "posix" else None  # jobs in the background ignore it
    with subprocess.Popen([sys.executable, "-c", DRAWS_AND_WAITS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, preexec_fn=unignored) as process:
        assert process.stdout.readline() == "drawn\n"
        started = below(process.pid)
        assert len(started) > 1
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    alive = lambda: subprocess.run(["ps", "-p", ",".join(map(str, started)), "-o", "stat="], capture_output=True, text=True).stdout.split()
    assert [state for state in alive() if not state.startswith("Z")] == []
