"""The cpu backend's cache on disk: shared by sessions and processes, never trusted when damaged, never needed."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from small_kernels import CASES

from numba_kernels import cpu
from numba_kernels.cpu import cache
from numba_kernels.cpu import compile as cpu_compile
from numba_kernels.cpu.cache import prune

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    """An empty cache folder, and nothing in memory."""
    monkeypatch.setenv("TILESCOPE_CACHE", str(tmp_path))
    monkeypatch.setattr(cpu_compile, "READY", {})
    return tmp_path


def run_case(made):
    """Counts and output."""
    arrays = made.arrays()
    return cpu.launch(made.spec, arrays, "requests").tolist(), arrays["Y"].tolist()


def test_four_sessions_at_once(fresh_cache):
    cases = [CASES[name] for name in ("block_sum", "scan", "block_sum", "scan")]
    alone = [run_case(made) for made in cases[:2]] * 2
    cpu_compile.READY.clear()
    for file in fresh_cache.rglob("*.*"):
        file.unlink()
    with ThreadPoolExecutor(4) as sessions:
        together = list(sessions.map(run_case, cases))
    assert together == alone


IN_ANOTHER_PROCESS = """
from small_kernels import CASES
from numba_kernels import cpu
arrays = CASES["scan"].arrays()
print((cpu.launch(CASES["scan"].spec, arrays, "requests").tolist(), arrays["Y"].tolist()))
[function] = cpu.compile.READY.values()
print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


def test_other_processes_share_the_cache(fresh_cache):
    def start():
        return subprocess.Popen([sys.executable, "-c", IN_ANOTHER_PROCESS], stdout=subprocess.PIPE, text=True,
                                env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"})

    compiling = [start(), start()]  # both find the folder empty
    expected = str(run_case(CASES["scan"]))
    assert [process.communicate()[0].splitlines()[0] for process in compiling] == [expected, expected]
    assert start().communicate()[0].splitlines() == [expected, "1 0"]  # loaded, not compiled


@pytest.mark.parametrize(("damaged", "damage"), [
    (".nbc", lambda content: content[:3000] + bytes(2000) + content[5000:]),
    (".nbi", lambda content: content[:50]),
    (".py", lambda content: b"\xff\x00" + content[40:]),
    (".sums", lambda content: b"\xff\xfe\x00"),
], ids=["machine code", "index", "source", "sums"])
def test_a_damaged_cache_is_replaced(fresh_cache, damaged, damage):
    made = CASES["volume"]
    expected = run_case(made)
    for file in fresh_cache.rglob(f"*{damaged}"):
        file.write_bytes(damage(file.read_bytes()))
    cpu_compile.READY.clear()
    assert run_case(made) == expected
    cpu_compile.READY.clear()
    assert run_case(made) == expected
    [function] = cpu_compile.READY.values()
    assert sum(function.stats.cache_hits.values()) == 1  # whole again


def test_sources_that_were_not_used_for_long_are_removed(fresh_cache):
    foreign = fresh_cache / "notes.py"
    foreign.write_text("not the cache's")
    expected = {name: run_case(CASES[name]) for name in ("volume", "scan")}
    [older] = fresh_cache.glob("volume_*.py")
    os.utime(older, (0, 0))
    prune(fresh_cache, keep=1)
    assert foreign.exists() and not list(fresh_cache.rglob("volume_*"))
    assert len(list(fresh_cache.rglob("scan_*"))) == 4  # source, sums, index and machine code
    cpu_compile.READY.clear()
    assert {name: run_case(CASES[name]) for name in expected} == expected


def test_a_folder_that_cannot_be_written_is_replaced(fresh_cache, monkeypatch):
    (fresh_cache / "file").write_text("in the way")
    monkeypatch.setenv("TILESCOPE_CACHE", str(fresh_cache / "file" / "cache"))
    assert run_case(CASES["volume"])[0] == [1152] * 4


def test_without_a_home_the_folder_is_this_processs_own(monkeypatch):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    for name in ("TILESCOPE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pathlib.Path.home", nobody)
    assert cache.cache_folder() == cache.own_folder()
