"""A place that cannot be written, and a clock that is set back: a sentence, and the same file."""
import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_saved import small_sweep

from numba_kernels import saved, sweep

ROOT = Path(__file__).parent.parent
CAPBSET_DROP, DAC_OVERRIDE = 24, 1  # of Linux: prctl(2), capabilities(7)
SWEEP = "-m numba_kernels sweep --backend cpu --algorithm fused --head-dim 16 --tiles 16x16 --seq-len 16 --out"
EXPORT = "-m app export --page traffic --format csv --out"


def without_override() -> None:
    """Of the process that follows: root, too, may then write only where the folder's mode says so."""
    if os.geteuid() == 0:
        dropped = ctypes.CDLL(None).prctl(CAPBSET_DROP, DAC_OVERRIDE, 0, 0, 0)
        assert dropped == 0


@pytest.mark.parametrize(("command", "name"), [(SWEEP, "runs.jsonl"), (SWEEP, "new/runs.jsonl"), (EXPORT, "slides"), (EXPORT, ".")])
def test_a_folder_that_may_only_be_read_is_answered_with_a_sentence(tmp_path, command, name):
    folder = tmp_path / "read_only"
    folder.mkdir(mode=0o555)
    done = subprocess.run([sys.executable, *command.split(), str(folder / name)], cwd=ROOT, capture_output=True, text=True,
                          preexec_fn=without_override)
    assert done.returncode == 2 and done.stdout == "", done
    assert done.stderr.count("\n") == 1 and "Permission denied" in done.stderr and "Traceback" not in done.stderr
    assert list(folder.iterdir()) == []


def test_a_clock_that_is_set_back_in_a_sweep_changes_nothing(tmp_path, monkeypatch):
    """Remaining time is counted on a clock that nobody sets; the header's date is that of the first run."""
    said, real, back = [], time.time, iter(range(0, 10**9, 86_400))
    small_sweep(tmp_path / "runs.jsonl", (16,))
    header = saved.read(tmp_path / "runs.jsonl").header
    monkeypatch.setattr(time, "time", lambda: real() - next(back))

    class Yesterday(sweep.datetime):
        @classmethod
        def now(cls, zone=None):
            return super().fromtimestamp(time.time() - 86_400, zone)

    monkeypatch.setattr(sweep, "datetime", Yesterday)
    held = small_sweep(tmp_path / "runs.jsonl", (16, 17, 18), said)
    assert sweep.header("cpu", "warm")["date"] < header["date"] == held.header["date"] and len(held.runs) == 6
    left = [line.partition(", ")[2].partition(" left]")[0] for line in said[1:]]
    assert len(left) == 4 and left[-1] == "0 s" and all(words.split()[0].isdigit() for words in left)
