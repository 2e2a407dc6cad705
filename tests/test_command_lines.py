"""The command lines: the JSON of the contract, and one helpful sentence for a bad option."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from numba_kernels import saved
from numba_kernels.__main__ import main
from traffic_model import AttentionProblem, Ledger, Tiling, find_gpu, predict

ROOT = Path(__file__).parent.parent
SMALL = ["--seq-len", "20", "--head-dim", "16", "--heads", "2", "--kv-heads", "1", "--mask", "causal"]  # of a layout in shapes.py


def call(module, *arguments):
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)


def objects(module, *arguments):
    done = call(module, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_predict_prints_one_object_per_algorithm():
    naive, fused = objects("traffic_model", "predict", *SMALL)
    assert (naive["algorithm"], fused["algorithm"]) == ("naive", "fused")
    problem = AttentionProblem(20, head_dim=16, heads=2, kv_heads=1, mask="causal")
    for said in (naive, fused):
        expected = predict(said["algorithm"], problem, Tiling(), find_gpu("H200 SXM"))
        assert AttentionProblem(**said["problem"]) == problem and said["tiling"] == dict(block_q=64, block_k=64)
        assert Ledger.from_records(said["ledger"], said["measures"]) == expected.ledger
        assert said["flops"] == problem.flops and said["compulsory_bytes"] == expected.compulsory_bytes
        assert said["dram"]["read_bytes"] == sum(each.read_bytes for each in expected.dram) > said["problem"]["kv_len"]
        assert [kernel["name"] for kernel in said["kernels"]] == [kernel.name for kernel in expected.kernels]
        assert said["layout"]


@pytest.mark.parametrize("backend", ["cpu", "simulator"])
def test_run_prints_what_it_counted(backend):
    for said in objects("numba_kernels", "run", *SMALL, "--algorithm", "naive,tiled,fused,fused_kv_outer", "--backend", backend):
        predicted, = objects("traffic_model", "predict", *SMALL, "--algorithm", said["algorithm"])
        assert said["ledger"] == [record for record in predicted["ledger"] if record["measure"] == "requested"]
        assert said["measures"] == ["requested"] and said["backend"] == backend
        assert said["compulsory_bytes"] == predicted["compulsory_bytes"] and said["layout"] == predicted["layout"]
        assert 0 < said["relative_error"] < 1e-5 and said["max_abs_error"] < 1e-4
        for kernel, expected in zip(said["kernels"], predicted["kernels"], strict=True):
            assert (kernel["grid"], kernel["block"]) == (expected["grid"], expected["block"])
            assert kernel["times_ms"] is kernel["registers_per_thread"] is kernel["shared_bytes"] is kernel["local_bytes"] is None


def test_a_negative_scale_is_a_number_and_not_an_option():
    for text in ("-1e3", "-.5", "-2", "-1.5E-3"):
        [said] = objects("traffic_model", "predict", *SMALL, "--algorithm", "fused", "--scale", text)
        assert said["problem"]["scale"] == float(text)


def test_what_is_named_twice_is_done_once():
    assert len(objects("traffic_model", "predict", *SMALL, "--algorithm", "fused,naive,fused")) == 2


def test_a_terminal_that_knows_only_ascii_gets_a_table_and_a_sentence():
    for options, status in (("", 0), ("--block-q 0", 2), ("--head-dim 256 --block-q 256 --block-k 256", 2)):
        done = subprocess.run([sys.executable, "-m", "traffic_model", "predict", *options.split()], cwd=ROOT, capture_output=True,
                              env=dict(os.environ, PYTHONIOENCODING="ascii"), timeout=300)
        assert done.returncode == status and b"Traceback" not in done.stderr and (done.stdout or done.stderr)


def test_run_counts_warps_and_checks():
    said, = objects("numba_kernels", "run", *SMALL, "--algorithm", "naive", "--backend", "cpu", "--counting", "warps", "--check")
    predicted, = objects("traffic_model", "predict", *SMALL, "--algorithm", "naive")
    assert said["measures"] == ["distinct", "requested", "sectors", "wavefronts"] and said["accesses_checked"] is True
    requested = [[record for record in each["ledger"] if record["measure"] == "requested"] for each in (said, predicted)]
    assert requested[0] == requested[1]
    refused = call("numba_kernels", "run", *SMALL, "--algorithm", "naive", "--backend", "simulator", "--check")
    assert refused.returncode == 2 and "The simulator backend does not check accesses" in refused.stderr


def test_a_check_that_found_nothing_says_that_it_ran(capsys):
    for options, lines in ((["--check"], 1), ([], 0)):
        assert main(["run", *SMALL, "--algorithm", "naive", "--backend", "cpu", *options]) == 0
        assert capsys.readouterr().out.count("every access checked: no races, no unwritten reads, no indices outside\n") == lines


def test_nothing_runs_if_one_of_them_cannot(capsys):
    problem = ["--head-dim", "64", "--dtype", "bfloat16", "--algorithm", "naive,fused_tensor_core"]
    assert main(["run", *SMALL, *problem, "--backend", "cpu"]) == 2
    out, said = capsys.readouterr()
    assert out == "" and "the cpu backend has none; take fused" in said


def test_help_shows_the_defaults_of_its_own_command(capsys):
    for command, algorithms, heads, dtype in (("run", "naive,fused", 1, "float32"), ("compare", "fused,fused_tensor_core", 16, "bfloat16")):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        said = " ".join(capsys.readouterr().out.split())
        assert all(f"({default})" in said for default in (algorithms, heads, dtype, 4096, 64))


def test_ctrl_c_is_answered_with_a_sentence_and_what_was_measured_stays(tmp_path):
    sweep = ["sweep", "--algorithm", "naive", "--head-dim", "16", "--tiles", "16x16", "--seq-len", "16,16384", "--heads", "8",
             "--backend", "cpu", "--out", str(tmp_path / "runs.jsonl")]
    unignored = (lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) if os.name == "posix" else None  # jobs in the background ignore it
    started = subprocess.Popen([sys.executable, "-m", "numba_kernels", *sweep], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, preexec_fn=unignored)
    assert any("[1/2" in line for line in started.stderr)  # the first is measured, the second takes a minute
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=120)
    assert started.returncode == 130 and "Stopped." in said and "Traceback" not in said
    assert len(saved.read(tmp_path / "runs.jsonl").runs) == 1


def test_a_full_disk_is_answered_with_a_sentence():
    if Path("/dev/full").exists():
        with open("/dev/full", "w") as full:
            done = subprocess.run([sys.executable, "-m", "traffic_model", "gpus"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and done.stderr == "The output could not be written: No space left on device.\n"


def test_a_file_keeps_its_name_in_a_sentence():
    done = call("numba_kernels", "validate", "--seq-len", "16", "--csv", "no-such.csv")
    assert done.returncode == 2 and done.stderr.startswith("no-such.csv cannot be read")


def test_tables_are_readable():
    done = call("traffic_model", "predict", "--seq-len", "4096")
    assert "fused, predicted: 136 MB requested, 4.19 MB compulsory through HBM" in done.stdout


@pytest.mark.parametrize("module", ["traffic_model predict", "numba_kernels run"])
@pytest.mark.parametrize(("options", "sentence"), [
    ("--seq-len 0", "Seq len 0 is not a whole number from 1 up; the smallest is 1."),
    ("--seq-len many", "'many' is not a whole number"),
    ("--block-q 0", "Query tile 0 is not one of 16, 32, 64, 128, 256; the nearest is 16."),
    ("--head-dim 512", "Head dim 512 is not supported: the kernels take 16 to 256; the nearest is 256."),
    ("--head-dim 128 --block-k 256", "the largest legal key tile is 128."),
    ("--mask sometimes", "Mask sometimes is not known: choose full or causal."),
    ("--heads 8 --kv-heads 3", "the nearest that does is 2."),
    ("--algorithm flash", "Algorithm flash is not known; choose naive, tiled, fused, fused_kv_outer, fused_tensor_core."),
    ("--gpu H300", "GPU 'H300' is not in the table"),
    ("--dtype int8", "Dtype int8 is not known: choose float32 or float16 or bfloat16."),
    ("--nonsense", "Unrecognized arguments: --nonsense."),
])
def test_a_bad_option_gets_one_sentence_and_exit_2(module, options, sentence):
    done = call(*module.split(), *options.split())
    assert done.returncode == 2 and done.stdout == ""
    assert sentence in done.stderr and done.stderr.count("\n") == 1


def test_a_gpu_is_not_invented():
    from numba_kernels.run import gpu_available

    if not gpu_available():
        done = call("numba_kernels", "run", "--backend", "gpu")
        assert done.returncode == 2 and "use cpu, which runs the same kernel text" in done.stderr
    timed = call("numba_kernels", "run", "--backend", "cpu", "--repeat", "3")
    assert timed.returncode == 2 and "Times come only from a GPU" in timed.stderr
