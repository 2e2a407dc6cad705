"""A disk that fills up in the middle of a line, for real: the sweep ends in a sentence, and goes on once there is room."""
import resource

from numba_kernels import saved
from numba_kernels.__main__ import main


def sweep(path, lengths):
    return main(["sweep", "--backend", "cpu", "--algorithm", "fused", "--head-dim", "16", "--tiles", "16x16", "--seq-len", lengths,
                 "--out", str(path)])


def test_a_full_disk_costs_the_line_that_did_not_fit(tmp_path, capfd):
    path, (soft, hard) = tmp_path / "runs.jsonl", resource.getrlimit(resource.RLIMIT_FSIZE)
    assert sweep(path, "16") == 0
    held, size = saved.read(path).runs, path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))  # a hundred bytes of the next line fit
    try:
        status = sweep(path, "16,17,18")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    said = capfd.readouterr().err
    assert status != 0 and "Traceback" not in said and "could not be written" in said
    assert path.stat().st_size == size + 100
    assert sweep(path, "16,17,18") == 0
    runs = saved.read(path).runs
    assert runs[:1] == held and [run["problem"]["seq_len"] for run in runs] == [16, 17, 18]
