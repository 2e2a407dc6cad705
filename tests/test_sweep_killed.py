"""A sweep that is killed at any moment: the file stays readable, the sweep goes on, nothing is lost and nothing measured twice."""
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from numba_kernels import saved

ROOT = Path(__file__).parent.parent
KILLS = int(os.environ.get("TILESCOPE_KILLS", "3"))  # more in a long test
LENGTHS = range(16, 16 + 14 * KILLS)
COMMAND = [sys.executable, "-m", "numba_kernels", "sweep", "--backend", "cpu", "--algorithm", "naive,fused", "--head-dim", "16",
           "--tiles", "16x16", "--seq-len", ",".join(map(str, LENGTHS)), "--out"]


def keys(path):
    return [saved.key(run) for run in saved.read(path).runs]


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path):
    path, held = tmp_path / "runs.jsonl", []
    for kill in range(KILLS):
        sweep = subprocess.Popen([*COMMAND, path], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = time.monotonic()
        while len(path.read_bytes().splitlines() if path.exists() else []) < len(held) + 3 and time.monotonic() < begun + 120:
            assert sweep.poll() is None  # it measures on: there is more than three to do
            time.sleep(.01)
        time.sleep(random.random() * .1)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        if not path.read_bytes().endswith(b"\n"):  # cut off in the middle of a line, which the next start drops
            path.write_bytes(path.read_bytes()[:path.read_bytes().rfind(b"\n") + 1])
        now = keys(path)
        assert now[:len(held)] == held and len(now) > len(held), kill
        held = now
    subprocess.run([*COMMAND, path], cwd=ROOT, check=True, capture_output=True)
    every = keys(path)
    assert every[:len(held)] == held and len(every) == len(set(every)) == 2 * len(LENGTHS)
