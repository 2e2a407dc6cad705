"""The README's table of results: every figure is a recorded one, a library has a place where one was timed, and it is never out of date."""
from statistics import median

import pytest
from test_libraries_drawn import library_run

from app import __main__ as command
from app import results
from numba_kernels import hardware, saved
from traffic_model import Refusal


@pytest.fixture(scope="module")
def recorded():
    return saved.recorded(), hardware.recorded_launches()


def test_each_row_is_what_was_recorded(recorded):
    found = {(row.n, row.name): row for row in results.rows(*recorded)}
    assert {n for n, _ in found} == set(results.LENGTHS) and {name for _, name in found} == set(results.RUNGS)
    fused = found[4096, "fused"]
    assert fused.requested == 2 * 16 * 4096 * 64 * 4 * (1 + 4096 // 64)  # Q and O once, K and V once per query tile
    assert fused.compulsory == 4 * 16 * 4096 * 64 * 4
    [run] = [run for file in recorded[0] for run in file.runs if run["algorithm"] == "fused" and run["problem"] == _problem(4096)]
    assert fused.ms == median(saved.total_times_ms(run))
    kernels = [line for line in recorded[1][0].lines if line["algorithm"] == "naive" and line["problem"] == _problem(4096)]
    assert [line["kernel"] for line in kernels] == ["scores", "softmax", "output"]
    assert found[4096, "naive"].dram == tuple(sum(line[f"dram_{way}_bytes"] for line in kernels) for way in ("read", "write"))
    assert found[65536, "naive"].needed_bytes > 141e9 and found[65536, "naive"].requested is None


def test_a_library_that_was_timed_is_set_beside_the_ladder(recorded):
    files, launches = recorded
    library = library_run(4096, "PyTorch cuDNN", .5)
    library["problem"] = _problem(4096)
    with_one = results.rows([*files, files[0]._replace(runs=[library], out_of_memory=[])], launches)
    assert len(with_one) == len(results.rows(files, launches)) + 1
    lines = results.markdown(with_one).splitlines()
    assert lines[0].endswith(f"| {results.AGAINST} |") and len({line.count("|") for line in lines}) == 1
    assert "| 4,096 | PyTorch cuDNN | – | – | – | – | 750 µs | 1.00× |" in lines
    assert all(line.endswith("– |") for line in lines if line.startswith("| 1,024"))
    assert results.AGAINST not in results.table()


def test_it_is_written_between_the_markers_and_nowhere_else(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{results.START}\nan old table\n{results.END}\nafter\n")
    assert command.main(["results", "--into", str(page)]) == 0
    assert page.read_text() == f"before\n{results.START}\n{results.table()}\n{results.END}\nafter\n"
    page.write_bytes(f"before\r\n{results.START}\n{results.END}\r\n".encode())  # as an editor on Windows leaves it
    results.write(page)
    assert page.read_bytes() == f"before\r\n{results.START}\n{results.table()}\n{results.END}\r\n".encode()
    page.write_text("no place")
    assert command.main(["results", "--into", str(page)]) == 2 and "has no place for the table" in capsys.readouterr().err
    assert page.read_text() == "no place"
    with pytest.raises(Refusal, match="absent.md' cannot be read: No such file or directory."):
        results.write(tmp_path / "absent.md")


def _problem(n: int) -> dict:
    return results.SHOWN.at(n).problem.record()
