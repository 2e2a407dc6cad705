"""A host can switch Run here off: then no page draws a button that starts a kernel, and none starts however it is asked for."""
import json

import pytest
from example_runs import DEFAULT
from race_page import GPU
from streamlit.testing.v1 import AppTest
from test_app import opened
from test_race_view import race_page

from app import cached, hosting, running, warp
from app.race import executed
from app.race.payload import LANES
from app.race.rungs import Rung
from app.worker.queue import RunQueue
from traffic_model import AttentionProblem, Refusal, Tiling

SHORT = AttentionProblem(128)
PAGES = [("traffic", "run_here"), ("saved_runs", "run_here"), ("warp", "trace")]


@pytest.fixture
def off(monkeypatch):
    """Switched off, with a queue that has never heard of a worker and kernels that fail the test."""
    def started(*_, **__):
        raise AssertionError("a kernel was started")

    monkeypatch.setenv(hosting.SWITCH, "off")
    monkeypatch.setattr(warp, "trace", started)
    monkeypatch.setattr(executed, "_begun", started)
    line = RunQueue(("/no/worker/is/started",))
    monkeypatch.setattr(cached, "run_queue", lambda: line)
    return line


def said(app) -> bool:
    return hosting.SWITCHED_OFF in [caption.value for caption in app.caption]


@pytest.mark.parametrize(("value", "runs"), [(None, True), ("", True), ("on", True), ("On ", True), ("off", False), ("OFF", False),
                                             ("0", False), ("of", False)])
def test_anything_but_on_is_off(monkeypatch, value, runs):
    monkeypatch.delenv(hosting.SWITCH, raising=False) if value is None else monkeypatch.setenv(hosting.SWITCH, value)
    assert hosting.runs_kernels() is runs


@pytest.mark.parametrize(("page", "key"), PAGES)
def test_the_button_is_there_unless_it_is_switched_off(monkeypatch, page, key):
    monkeypatch.delenv(hosting.SWITCH, raising=False)
    app = opened(page)
    assert not app.exception and key in [button.key for button in app.button] and not said(app)


@pytest.mark.parametrize(("page", "key"), PAGES)
def test_a_hand_made_state_starts_nothing(off, page, key):
    app = opened(page)
    assert not app.exception and said(app) and key not in [button.key for button in app.button]
    for forged in ("run_now", key):
        app.session_state[forged] = True
        app.run()
        assert not app.exception and said(app)
    assert "run_job" not in app.session_state and not off.numbers and off.worker is None


def test_a_press_from_before_it_was_switched_off_starts_nothing(off, monkeypatch):
    monkeypatch.setenv(hosting.SWITCH, "on")
    app = opened()
    pressed = app.button(key="run_here").click()
    monkeypatch.setenv(hosting.SWITCH, "off")
    pressed.run()
    assert not app.exception and said(app) and not off.numbers and off.worker is None


def test_a_short_race_is_predicted_and_says_why(off):
    app = AppTest.from_function(race_page, kwargs=dict(seq_len=128)).run(timeout=30)
    assert not app.exception and json.loads(app.get("bidi_component")[0].proto.json)["executed"] is None
    assert f"Predicted, not executed. {hosting.SWITCHED_OFF}" in [caption.value for caption in app.caption]


@pytest.mark.parametrize("start", [lambda line: line.submit(DEFAULT.at(128)), lambda line: warp.traced(Rung.NAIVE, DEFAULT, "K hbm read"),
                                   lambda line: executed.begun(SHORT, Tiling(), GPU, LANES),
                                   lambda line: running.run_both(DEFAULT.at(128), lambda *_: None)],
                         ids=["queue", "trace", "race", "worker"])
def test_where_a_kernel_would_start_it_is_refused(off, start):
    with pytest.raises(Refusal, match="No kernel runs on this server"):
        start(off)
