"""The line of jobs: in order, bounded, and whatever the worker does, the next job runs."""
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from example_runs import DEFAULT, ODD

from app.settings import Settings
from app.worker import queue
from app.worker.queue import RunQueue
from traffic_model import Refusal

SCRIPTED = str(Path(__file__).parent / "scripted_worker.py")
SHORT, LONG = DEFAULT.at(128), DEFAULT.at(192)  # the scripted worker does the first, and as it is told with the second


@pytest.fixture
def line():
    made = []

    def make(how, **limits):
        made.append(RunQueue((sys.executable, SCRIPTED, how), **limits))
        return made[-1]

    yield make
    for each in made:
        each.close()


def wait(job, queue, until=lambda job: job.ended, seconds=20):
    deadline = time.monotonic() + seconds
    while not until(queue.look(job)):
        assert time.monotonic() < deadline, job
        time.sleep(.01)
    return job


@pytest.mark.parametrize("settings", [DEFAULT, ODD], ids=["default", "odd"])
def test_settings_travel_as_plain_values(settings):
    assert Settings.from_record(settings.record()) == settings


def test_jobs_run_in_order_and_say_their_place(line):
    runs = line("echo")
    first = wait(runs.submit(LONG), runs, lambda job: job.share == .5)
    second, third = runs.submit(SHORT), runs.submit(SHORT)
    assert (first.state, first.words) == ("running", "N = 192")
    assert runs.look(second).words.startswith("Waiting: 1 run has") and runs.look(third).words.startswith("Waiting: 2 runs have")
    runs.cancel(first)
    assert wait(first, runs).state == "cancelled" and first.runs == []
    assert wait(third, runs).runs == [dict(n=128)] and second.state == "done"


def test_a_full_line_says_busy(line):
    runs = line("echo", places=2)
    running = wait(runs.submit(LONG), runs, lambda job: job.share)
    runs.submit(SHORT), runs.submit(SHORT)
    with pytest.raises(Refusal, match="busy: 2 runs wait for this machine already"):
        runs.submit(SHORT)
    runs.cancel(running)


def test_a_waiting_job_can_be_cancelled(line):
    runs = line("echo")
    running, waiting = runs.submit(LONG), None
    wait(running, runs, lambda job: job.share)
    waiting = runs.submit(SHORT)
    runs.cancel(waiting)
    assert waiting.state == "cancelled" and runs.waiting == []
    runs.cancel(running)
    assert wait(running, runs).state == "cancelled"


@pytest.mark.parametrize(("how", "state", "sentence"), [
    ("refuse", "refused", "it would take too long."),
    ("fail", "failed", "RuntimeError: no luck"),
    ("hang", "failed", "the worker said nothing for 4 s and was replaced"),
    ("memory", "failed", "CudaAPIError: [2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"),
    ("poison", "failed", "CudaAPIError: [700] CUDA_ERROR_ILLEGAL_ADDRESS"),
    ("crash", "failed", "the worker stopped while it ran this; a new one takes the next run"),
    ("die", "failed", "the worker stopped while it ran this; a new one takes the next run"),
    ("number", "failed", "the worker stopped while it ran this; a new one takes the next run"),
    ("babble", "failed", "the worker stopped while it ran this; a new one takes the next run"),
])
def test_whatever_the_worker_does_is_said_and_the_next_job_runs(line, how, state, sentence):
    runs = line(how, silent_seconds=4)
    job, following = runs.submit(LONG), runs.submit(SHORT)
    assert (wait(job, runs).state, job.sentence) == (state, sentence)
    assert wait(following, runs).runs == [dict(n=128)]


def test_a_worker_that_does_not_stop_is_replaced(line):
    runs = line("deaf", cancel_seconds=.2)
    job = wait(runs.submit(LONG), runs, lambda job: job.share)
    runs.cancel(job)
    assert wait(job, runs).state == "cancelled"
    assert wait(runs.submit(SHORT), runs).state == "done"


def test_a_job_that_nobody_watches_is_given_up(line, monkeypatch):
    monkeypatch.setattr(queue, "UNWATCHED_SECONDS", .3)
    runs = line("echo")
    forgotten, unseen = runs.submit(LONG), runs.submit(LONG)
    deadline = time.monotonic() + 20
    while not (forgotten.ended and unseen.ended):  # without looking through the queue
        assert time.monotonic() < deadline
        time.sleep(.01)
    assert (forgotten.state, unseen.state) == ("cancelled", "cancelled")


def test_a_clock_that_jumps_ends_no_job(line, monkeypatch):
    """Time-outs are counted on the clock that no one sets: by the other this worker would have hung, and its session be gone."""
    runs = line("echo", silent_seconds=60)
    job, real = runs.submit(LONG), time.time
    for jump in (-86_400, 86_400):
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        wait(job, runs, lambda job: job.share == .5)
        time.sleep(.5)  # twice around the queue's loop
        assert runs.look(job).state == "running"
    runs.cancel(job)
    assert wait(job, runs).state == "cancelled"


def test_a_command_that_does_not_exist_is_said():
    runs = RunQueue(("/no/such/worker",))
    assert "FileNotFoundError" in wait(runs.submit(SHORT), runs).sentence


def test_many_sessions_at_once_get_their_own_runs(line):
    runs, got = line("echo", places=100), {}

    def session(number):
        job = runs.submit(SHORT)
        got[number] = wait(job, runs)

    sessions = [threading.Thread(target=session, args=(number,)) for number in range(20)]
    for each in sessions:
        each.start()
    for each in sessions:
        each.join(timeout=30)
    assert len({job.number for job in got.values()}) == 20 and all(job.runs == [dict(n=128)] for job in got.values())


def test_the_real_worker_runs_cancels_and_ends_with_its_server():
    runs = RunQueue()
    narrow = replace(DEFAULT, problem=replace(DEFAULT.problem, head_dim=32))
    job = wait(runs.submit(narrow.at(128).with_one_head()), runs, seconds=120)  # it compiles
    assert [run["algorithm"] for run in job.runs] == ["naive", "fused"] and job.state == "done"
    long = wait(runs.submit(narrow.at(4096)), runs, lambda job: "blocks" in job.words or job.ended, seconds=120)
    runs.cancel(long)
    assert wait(long, runs).state == "cancelled"
    worker = runs.worker.process
    worker.stdin.close()
    assert worker.wait(timeout=10) == 0


def test_an_end_of_stdin_in_the_middle_of_a_run_leaves_no_process():
    process = subprocess.Popen(queue.COMMAND, cwd=queue.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(json.dumps(dict(job=1, settings=DEFAULT.at(4096).record())), file=process.stdin, flush=True)
    assert process.stdout.readline()
    process.stdin.close()
    assert process.wait(timeout=20) == 0
