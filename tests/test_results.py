"""The README's tables of results: every figure is a recorded one, libraries stand where they were timed, and each goes to its place."""
from statistics import median

import pytest
from test_libraries_drawn import library_run

from app import __main__ as command
from app import results
from app.results import compared, ladder
from numba_kernels import hardware, saved
from traffic_model import Refusal


@pytest.fixture(scope="module")
def recorded():
    return saved.recorded(), hardware.recorded_launches()


def test_each_row_is_what_was_recorded(recorded):
    found = {(row.n, row.name): row for row in ladder.rows(*recorded)}
    assert {n for n, _ in found} == set(ladder.LENGTHS) and {name for _, name in found} == set(ladder.RUNGS)
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
    with_one = ladder.rows([*files, files[0]._replace(runs=[library], out_of_memory=[])], launches)
    assert len(with_one) == len(ladder.rows(files, launches)) + 1
    lines = ladder.markdown(with_one).splitlines()
    assert lines[0].endswith(f"| {ladder.AGAINST} |") and len({line.count("|") for line in lines}) == 1
    assert "| 4,096 | PyTorch cuDNN | – | – | – | – | 750 µs | 1.00× |" in lines
    assert all(line.endswith("– |") for line in lines if line.startswith("| 1,024"))
    assert ladder.AGAINST not in ladder.table()


def test_the_tensor_cores_stand_beside_libraries_that_were_timed_with_them(recorded):
    found = compared.rows(recorded[0])
    for problem, runs in found.items():
        assert set(runs) == {compared.NAME, *compared.LIBRARIES}, problem
        assert len({id(next(file for file in recorded[0] if run in file.runs)) for run in runs.values()}) == 1, "in one file"
    problem = next(each for each in found if (each.head_dim, each.mask, each.seq_len) == (64, "full", 4096))
    ours, cudnn = found[problem][compared.NAME], found[problem]["PyTorch cuDNN"]
    tflops = 4 * 16 * 4096**2 * 64 / median(saved.total_times_ms(ours)) / 1e9
    [line] = [line for line in compared.table().splitlines() if line.startswith("| 64 | full | 4,096 |")]
    cells = [cell.strip() for cell in line.split("|")[4:-1]]
    assert cells[0] == f"{tflops:.0f}"
    assert cells[-2] == f"{median(saved.total_times_ms(cudnn)) / median(saved.total_times_ms(ours)):.2f}×"


def test_they_are_written_between_their_markers_and_nowhere_else(tmp_path, capsys):
    page = tmp_path / "page.md"
    (start, end), (second, ends) = map(results.markers, results.TABLES)
    page.write_text(f"before\n{second}\n{ends}\nbetween\n{start}\nan old table\n{end}\nafter\n")
    assert command.main(["results", "--into", str(page)]) == 0
    ladders, others = (table() for table in results.TABLES.values())
    assert page.read_text() == f"before\n{second}\n{others}\n{ends}\nbetween\n{start}\n{ladders}\n{end}\nafter\n"
    page.write_bytes(f"before\r\n{start}\r\n{end}\r\n".encode())  # as an editor on Windows leaves it, and the other table is not wanted
    results.write(page)
    assert page.read_bytes() == f"before\n{start}\n{ladders}\n{end}\n".replace("\n", "\r\n").encode()
    for broken in (f"{start}\n{second}\n{end}\n{ends}", f"{start}\n{second}\n{ends}\n{end}", f"{start}\n{start}\n{end}", f"{end}\n{start}",
                   f"{start}\n{end}\n{second}", f"{start}\n{end}\n{start}\n{end}"):
        page.write_text(broken)
        assert command.main(["results", "--into", str(page)]) == 2 and "not once each, one after the other" in capsys.readouterr().err
        assert page.read_text() == broken
    page.write_text("no place")
    assert command.main(["results", "--into", str(page)]) == 2 and "has no place for a table" in capsys.readouterr().err
    assert page.read_text() == "no place"
    with pytest.raises(Refusal, match="absent.md' cannot be read: No such file or directory."):
        results.write(tmp_path / "absent.md")


def _problem(n: int) -> dict:
    return ladder.SHOWN.at(n).problem.record()
