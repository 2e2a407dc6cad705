"""Run here, without a browser: kernels that run in the worker, what is refused, and what is said of the counts."""
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from example_runs import DEFAULT, run_record
from test_app import opened

from app import cached, records, running
from app.worker.queue import RunQueue
from traffic_model import Refusal


def until(app, ended):
    """Reruns the app until `ended(app)`, as a browser does by itself."""
    deadline = time.monotonic() + 120
    while not ended(app):
        assert time.monotonic() < deadline and not app.exception
        time.sleep(.2)
        app.run()
    return app


def test_run_here_counts_both_algorithms_and_agrees_with_the_prediction():
    app = opened(n="128", heads="1", d="32")
    app.button(key="run_here").click().run()
    until(app, lambda app: "run_job" not in app.session_state)
    assert not app.exception and not app.error
    assert [(run["algorithm"], run["backend"]) for run in app.session_state["runs"]] == [("naive", "cpu"), ("fused", "cpu")]
    verdicts = [line for text in app.markdown if "float64" in text.value for line in text.value.split("\n\n")]
    assert len(verdicts) == 2 and all(re.search(r"requested bytes, all \d+ cells counted as predicted", v) for v in verdicts)


def test_a_refused_run_says_why_and_offers_one_head(monkeypatch):
    refused = RunQueue((sys.executable, str(Path(__file__).parent / "scripted_worker.py"), "refuse"))
    monkeypatch.setattr(cached, "run_queue", lambda: refused)
    app = opened(n="192", heads="8", d="32")
    app.button(key="run_here").click().run()
    until(app, lambda app: app.error)
    assert app.error[0].value == "It would take too long."
    willing = RunQueue()
    monkeypatch.setattr(cached, "run_queue", lambda: willing)
    app.button(key="run_one_head").click().run()
    assert app.select_slider(key="heads").value == 1
    until(app, lambda app: "run_job" not in app.session_state)
    assert [run["problem"]["heads"] for run in app.session_state["runs"]] == [1, 1]


def test_a_long_run_is_refused(monkeypatch):
    monkeypatch.setattr(running, "estimate_seconds", lambda algorithm, problem, *_: 10 * problem.heads * (problem.seq_len / 128) ** 2)
    eight_heads = replace(DEFAULT, problem=replace(DEFAULT.problem, heads=8, kv_heads=8))
    with pytest.raises(Refusal, match="it would take about 6 min on the .* and the limit is 2 min; no smaller N runs here either.$"):
        running.require_possible(eight_heads.at(192))
    with pytest.raises(Refusal, match="the largest N that runs here is 256.$"):
        running.require_possible(eight_heads.with_one_head().at(1024))


def test_what_does_not_fit_the_memory_is_refused():
    with pytest.raises(Refusal, match=r"naive needs 2.20 TB and .* are free; .*N"):
        running.require_possible(DEFAULT.at(131072))


def test_a_disagreement_is_put_in_words():
    run = records.live(run_record(DEFAULT, "fused", backend="cpu"))
    run["ledger"][0] = run["ledger"][0] | dict(bytes=7)
    said = "**fused**, this machine (cpu): requested bytes, Q hbm read requested: 16777216 predicted, 7 counted; output"
    assert running.verdict(run, DEFAULT).startswith(said)
