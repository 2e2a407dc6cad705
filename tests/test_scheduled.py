"""A sweep over Dask's workers: the serial sweep's counts, whatever happens to workers and scheduler; what was measured stays."""
import asyncio
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import distributed
import pytest

from numba_kernels import saved, scheduled
from numba_kernels.__main__ import main
from numba_kernels.agreement import disagreements
from numba_kernels.drift import EVERY, Reference
from numba_kernels.scheduled import Workers
from numba_kernels.sweep import sweep
from traffic_model import AttentionProblem, Refusal, Tiling, find_gpu

H200 = find_gpu("H200 SXM")
PROBLEMS = [AttentionProblem(n, head_dim=16, heads=heads) for n in range(16, 26) for heads in (1, 2, 3, 4)]
HOW = dict(algorithms=["naive"], tilings=[Tiling(16, 16)], target=H200, backend="cpu", seed=0)


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    path = tmp_path_factory.mktemp("serial") / "runs.jsonl"
    sweep(path, problems=PROBLEMS, say=lambda line: None, **HOW)
    return {saved.key(run): run for run in saved.read(path).runs}


@pytest.fixture(scope="module")
def four():
    with Workers("local", workers=4) as workers:
        yield workers


def without_place(run):
    return {name: value for name, value in run.items() if name != "measured_on"}


def test_four_workers_of_which_two_are_killed_count_what_the_serial_sweep_counts(tmp_path, serial, four):
    path, said, killed = tmp_path / "runs.jsonl", [], []

    def say(line):
        said.append(line)
        if len(said) == 10:
            killed.extend(list(four.client.run(os.getpid).values())[:2])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    four.client.wait_for_workers(4, timeout=60)
    sweep(path, problems=PROBLEMS, say=say, place=four, **HOW)
    runs = saved.read(path).runs
    assert len(killed) == 2 and len(said) == len(runs) == len(PROBLEMS) == 40
    assert {saved.key(run): without_place(run) for run in runs} == serial
    assert {run["measured_on"]["gpu"] for run in runs} == {"none (cpu backend)"}
    sweep(path, problems=PROBLEMS, say=said.append, **HOW)  # the serial sweep takes the file up, and finds nothing to do
    assert said[-1] == "40 of 40 are there already" and saved.read(path).runs == runs


def miscounting(each, target):
    """As sweep.measure, without running anything: what each worker counts is its own number."""
    cell = dict(array="q", space="hbm", direction="read", measure="requested", bytes=4 * distributed.get_worker().name)
    return dict(algorithm=each["algorithm"], problem=each["problem"].record(), tiling=each["tiling"].record(), backend="cpu", layout={},
                measures=["requested"], ledger=[cell], kernels=[]), ""


def test_a_worker_that_counts_otherwise_ends_the_sweep(four):
    todo = [dict(algorithm="naive", problem=problem, tiling=Tiling(16, 16)) for problem in PROBLEMS]
    with pytest.raises(Refusal, match="naive at N = .*: tcp.* and tcp.* counted differently"):
        list(four.measured(todo, functools.partial(miscounting, target=H200)))


@pytest.fixture
def cluster():
    """(address, its scheduler's process) of a scheduler with one worker, each a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    host, port = address.split(":")
    start = lambda role, *options: subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{role}", *options, "--no-dashboard"], **quiet)
    scheduler = start("scheduler", "--host", host, "--port", port)
    worker = start("worker", address, "--nthreads", "1", "--resources", "CPU=1", "--no-nanny", "--death-timeout", "30")
    yield address, scheduler
    for process in (worker, scheduler):
        process.kill()
        process.wait()


def test_a_scheduler_that_dies_leaves_what_was_measured(tmp_path, serial, cluster):
    (address, scheduler), path, said = cluster, tmp_path / "runs.jsonl", []

    def say(line):
        said.append(line)
        if len(said) == 3:
            scheduler.kill()

    begun = time.monotonic()
    with pytest.raises(Refusal, match=f"the scheduler at {address} went away; what was measured is kept"), Workers(address) as workers:
        assert workers.backend == "cpu"
        sweep(path, problems=PROBLEMS, say=say, place=workers, **HOW)
    kept = {saved.key(run): without_place(run) for run in saved.read(path).runs}
    assert len(kept) == len(said) >= 3 and kept.items() <= serial.items() and time.monotonic() - begun < 30
    sweep(path, problems=PROBLEMS, say=said.append, **HOW)
    assert {saved.key(run): without_place(run) for run in saved.read(path).runs} == serial


@pytest.mark.parametrize(("options", "reason"), [
    (["--scheduler", "127.0.0.1:9"], "The scheduler at '127.0.0.1:9' does not answer; start one with"),
    (["--scheduler", "nowhere"], "The scheduler at 'nowhere' does not answer; start one with"),
    (["--scheduler", ""], "The scheduler at '' does not answer; start one with"),
    (["--scheduler", "tls://127.0.0.1:9"], "The scheduler at 'tls://127.0.0.1:9' does not answer; start one with"),
    (["--scheduler", "tcp://127.0.0.1:abc"], "The scheduler at 'tcp://127.0.0.1:abc' does not answer; start one with"),
    (["--scheduler", "local", "--workers", "1000000000000"], "Workers 1000000000000 is not possible"),
    (["--scheduler", "local", "--workers", "0"], "Workers 0 is not possible"),
    (["--scheduler", "127.0.0.1:9", "--workers", "2"], "Workers says how many --scheduler local starts"),
    (["--scheduler", "local", "--workers", "2", "--backend", "gpu"], "Workers is for the CPU"),
    (["--workers", "2"], "--workers says how many --scheduler local starts"),
])
def test_what_cannot_be_scheduled_is_refused_in_a_sentence(tmp_path, capsys, monkeypatch, options, reason):
    monkeypatch.setattr(scheduled, "CONNECT_S", .5)
    assert main(["sweep", "--out", str(tmp_path / "runs.jsonl"), *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith(reason) and said.count("\n") == 1 and not (tmp_path / "runs.jsonl").exists()


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""], ids=["another protocol", "silence"])
def test_whatever_else_listens_there_is_no_scheduler(tmp_path, capsys, monkeypatch, greeting):
    monkeypatch.setattr(scheduled, "CONNECT_S", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        def answer():
            while True:
                try:
                    spoken_to.append(server.accept()[0])
                except OSError:
                    return
                spoken_to[-1].sendall(greeting)

        spoken_to, begun = [], time.monotonic()
        threading.Thread(target=answer, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert main(["sweep", "--out", str(tmp_path / "runs.jsonl"), "--scheduler", address]) == 2
    assert capsys.readouterr().err.startswith(f"The scheduler at '{address}' does not answer") and time.monotonic() - begun < 10
    assert spoken_to


def test_a_sweep_may_start_from_a_thread_that_runs_a_loop(tmp_path, capsys, cluster):
    """A notebook's cell does, and a test beside a browser."""
    async def cell() -> int:
        return main(["sweep", "--out", str(tmp_path / "runs.jsonl"), "--scheduler", cluster[0], "--algorithm", "naive", "--head-dim", "16",
                     "--tiles", "16x16", "--seq-len", "16"])

    with ThreadPoolExecutor(1) as thread:  # this thread may run a browser's loop already
        assert thread.submit(asyncio.run, cell()).result() == 0, capsys.readouterr().err
    assert len(saved.read(tmp_path / "runs.jsonl").runs) == 1


def test_without_dask_it_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scheduled, "distributed", None)
    assert main(["sweep", "--out", str(tmp_path / "runs.jsonl"), "--scheduler", "local"]) == 2
    assert capsys.readouterr().err == "--scheduler needs Dask, which is not installed; pip install distributed, or leave --scheduler out.\n"


def test_a_reference_is_measured_first_and_every_ten_minutes_and_its_drift_is_over_the_first():
    clock, times = iter([0, 1, EVERY + 1, EVERY + 2, 2 * EVERY + 3, 2 * EVERY + 4]), iter([10.0, 11.0, 9.5])
    reference = Reference(lambda: dict(kernels=[dict(times_ms=[next(times)] * 3)]), lambda: next(clock))
    looks = [(reference.look() is not None, round(reference.drift, 3)) for _ in range(4)]
    assert looks == [(True, 0), (False, 0), (True, .1), (True, -.05)]


def test_a_reference_without_times_or_that_is_refused_has_no_drift():
    for record in (dict(kernels=[dict(times_ms=None)]), dict(out_of_memory=True), None):
        reference = Reference(lambda record=record: record)
        assert reference.look() == record and reference.drift is None


def test_runs_that_disagree_in_a_count_are_named(serial):
    one, *others = serial.values()
    there = ("NVIDIA A100", one)
    wrong = one | dict(ledger=[one["ledger"][0] | dict(bytes=one["ledger"][0]["bytes"] + 4), *one["ledger"][1:]], backend="gpu")
    assert list(disagreements([there, *(("NVIDIA L4", run) for run in [one, *others])])) == []
    found = list(disagreements([there, ("NVIDIA L4", wrong), ("NVIDIA H100", one)]))
    assert len(found) == 1 and ": NVIDIA A100 and NVIDIA L4 counted differently. " in found[0]
    assert f"{one['ledger'][0]['bytes'] + 4}" in found[0].replace(",", "")
