"""The README's commands work, and every place it names exists."""
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^python (-m .*)$", README, flags=re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, tmp_path):
    arguments = [str(tmp_path / word) if word.endswith(".jsonl") or word == "slides" else word for word in shlex.split(command)]
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_every_command_line_is_shown():
    model = ("predict", "gpus", "paper", "capacity", "occupancy", "dram", "roofline", "time", "ring", "warps")
    kernels = ("run", "ring", "sweep", "validate")
    assert {tuple(command.split()[1:3]) for command in COMMANDS} == {
        *(("traffic_model", name) for name in model), *(("numba_kernels", name) for name in kernels), ("app", "export"), ("app", "results")}


def test_the_places_it_names_exist():
    named = set(re.findall(r"`((?:traffic_model|numba_kernels|tests|app)/[\w/.]*)`", README))
    assert len(named) > 8 and [place for place in named if not (ROOT / place).exists()] == []
