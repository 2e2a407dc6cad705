"""Bad input, whatever door it comes through: one sentence with the value and the rule, exit status 2, and never a traceback."""
import gzip
import json
import re

import pytest

from numba_kernels import saved
from numba_kernels.__main__ import main as kernels
from numba_kernels.run import run
from traffic_model import AttentionProblem, Ledger, Refusal, Tiling, find_gpu, predict
from traffic_model.__main__ import main as model
from traffic_model.gpu_file import read_gpu

H200 = find_gpu("H200 SXM")
HUGE = "9" * 400

OPTIONS = {  # of every command that takes a problem: (options, what the sentence says)
    "--seq-len": ["0", "-1", HUGE, "1.5", "nan", "many", "٣٢x", "", "1e3", "0x10", "16777217"],
    "--kv-len": ["0", "-7", HUGE, "2.0", "none", "inf"],
    "--head-dim": ["0", "15", "257", "-64", HUGE, "64.0", "d", "½"],
    "--heads": ["0", "-1", "65536", HUGE, "two", "3.5"],
    "--kv-heads": ["0", "-2", "2", "65536", "all"],
    "--batch": ["0", "-1", "65536", HUGE, "b"],
    "--dtype": ["int8", "FLOAT32", "float64", "", "fp8", "浮点"],
    "--mask": ["sometimes", "Causal", "", "full,causal", "🙈"],
    "--scale": ["nan", "inf", "-inf", "1e7", "-1e300", "abc", "1/8", ""],
    "--block-q": ["0", "-16", "17", "512", "64.0", HUGE, "q"],
    "--block-k": ["0", "8", "100", "1024", "k", "64x64"],
    "--algorithm": ["flash", "", "naive;fused", "fused,,naive", "NAIVE", "naive fused", "../fused"],
    "--gpu": ["H300", "", "h200; rm -rf /", "NVIDIA", "0"],
    "--gpu-file": ["/no/such/file", "/", "."],
    "--seq-length": ["64"],
}
TOGETHER = [
    ("--heads 8 --kv-heads 3", "do not divide"),
    ("--heads 2 --kv-heads 4", "do not divide"),
    ("--head-dim 128 --block-k 256", "the largest legal key tile is 128"),
    ("--head-dim 256 --block-q 256 --block-k 256", "the largest legal"),
    ("--gpu T4 --gpu-file x.json", "leave one out"),
    ("--seq-len", "expected one argument"),
    ("64", "unrecognized arguments"),
    ("--seq-len 64 extra", "unrecognized arguments"),
    ("--json=yes", "ignored explicit argument"),
    ("--algorithm tiled --seq-len 16000000 --block-q 16 --block-k 16", "would need a grid"),
]
RUN_ONLY = [
    ("--backend tpu", "invalid choice"), ("--counting everything", "invalid choice"), ("--l2 lukewarm", "invalid choice"),
    ("--seed -1", "seed -1 is below zero"), ("--seed x", "not a whole number"), ("--repeat -1 --backend cpu", "below zero"),
    ("--repeat 3 --backend cpu", "times come only from a gpu"), ("--warmup -2", "below zero"),
    ("--backend simulator --seq-len 66", "the simulator takes sequences up to 65"),
    ("--seq-len 200000 --heads 64 --backend cpu", "needs .* are free"),
    ("--backend simulator --seq-len 16 --counting warps", "no warps to count"),
]
SWEEP_ONLY = [
    ("", "required: --out"), ("--out x --tiles 64", "not a list of tilings"), ("--out x --tiles 64x64x64", "not a list of tilings"),
    ("--out x --tiles 64x65", "key tile 65"), ("--out x --tiles 0x0", "query tile 0"),
    ("--out x --seq-len 64,,128", "not a whole number"), ("--out x --json", "leave --json out"), ("--out x --block-q 64", "unrecognized"),
    ("--out / --backend cpu", "cannot be used"), ("--out x --mask full,never", "mask never"),
    ("--out x --dtype float32,int4", "dtype int4"),
]


def refused(capsys, main, command, words) -> str:
    """The sentence with which a command line is refused, all in lower case."""
    try:
        status = main([command, *words])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr()
    assert status == 2 and said.out == "", (status, said)
    assert said.err.count("\n") == 1 and said.err.endswith(".\n") and "Traceback" not in said.err, said.err
    assert len(said.err) < 1000 and said.err[0] == said.err[0].upper(), said.err
    return said.err.lower()


@pytest.mark.parametrize(("main", "command"), [(model, "predict"), (kernels, "run")], ids=["predict", "run"])
@pytest.mark.parametrize(("option", "value"), [(option, value) for option, values in OPTIONS.items() for value in values],
                         ids=lambda text: text[:12])
def test_one_bad_option(capsys, main, command, option, value):
    said = refused(capsys, main, command, [f"{option}={value}"])
    assert option.strip("-").split("-")[-1][:3] in said or value.lower()[:40] in said


@pytest.mark.parametrize(("main", "command"), [(model, "predict"), (kernels, "run")], ids=["predict", "run"])
@pytest.mark.parametrize(("options", "reason"), TOGETHER)
def test_options_that_do_not_go_together(capsys, main, command, options, reason):
    assert reason in refused(capsys, main, command, options.split())


@pytest.mark.parametrize(("options", "reason"), RUN_ONLY)
def test_what_a_run_does_not_take(capsys, options, reason):
    assert re.search(reason, refused(capsys, kernels, "run", options.split()))


@pytest.mark.parametrize(("options", "reason"), SWEEP_ONLY)
def test_what_a_sweep_does_not_take(capsys, tmp_path, monkeypatch, options, reason):
    monkeypatch.chdir(tmp_path)
    assert reason in refused(capsys, kernels, "sweep", options.split())
    assert list(tmp_path.iterdir()) == []  # nothing is begun that is refused


@pytest.mark.parametrize("words", [[], ["paint"], ["--json"], ["predict\x00"]], ids=str)
@pytest.mark.parametrize("main", [model, kernels], ids=["model", "kernels"])
def test_no_such_command(capsys, main, words):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2 and capsys.readouterr().err.count("\n") == 1


SIZES = dict(seq_len=64, head_dim=64, heads=1, batch=1, kv_heads=1, kv_len=64)
NOT_SIZES = [0, -1, 1.5, float("nan"), float("inf"), "64", True, [64], {}, 10**400]


@pytest.mark.parametrize("value", NOT_SIZES, ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize("name", SIZES)
def test_a_problem_of_a_size_that_is_none(name, value):
    with pytest.raises(Refusal, match=name.replace("_", " ")):
        AttentionProblem(**SIZES | {name: value})


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -float("inf"), 1e7, "1", True, [1]], ids=str)
def test_a_scale_that_is_none(scale):
    with pytest.raises(Refusal, match="scale"):
        AttentionProblem(64, scale=scale)


@pytest.mark.parametrize("value", [0, 17, -16, 64.0, "64", None, True, float("nan"), 10**400, (64,)], ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize("name", ["block_q", "block_k"])
def test_a_tile_that_is_none(name, value):
    with pytest.raises(Refusal, match="tile"):
        Tiling(**{name: value})


@pytest.mark.parametrize("name", ["flash", "", None, 3, ["naive"]], ids=str)
def test_an_algorithm_that_is_none(name):
    for call in (predict, run):
        with pytest.raises((Refusal, TypeError)):  # TypeError for what cannot be a name at all
            call(name, AttentionProblem(16), Tiling(), H200)


RECORD = dict(array="q", space="hbm", direction="read", measure="requested", bytes=4)


@pytest.mark.parametrize("change", [dict(array="w"), dict(space="l2"), dict(direction="both"), dict(measure="moved"), dict(bytes=-1),
                                    dict(bytes=1.5), dict(bytes="4"), dict(bytes=None), dict(bytes=float("nan")), dict(bytes=True),
                                    dict(array=None), dict(array=["q"])], ids=str)
def test_a_ledgers_record_that_is_none(change):
    with pytest.raises((ValueError, TypeError)):
        Ledger.from_records([RECORD | change], ["requested"])


HEADER = dict(schema=1, gpu="none", date="2026-11-29", l2="warm")
GZIP = gzip.compress(b"{}", mtime=0)  # always the same: it is part of a test's name
FILES = {  # of runs: what is in them, and what the refusal says
    "empty": (b"", "is empty"),
    "a byte": (b"\x00", "line 1 is not JSON"),
    "gzip": (GZIP, "cannot be read"),
    "utf-16": (json.dumps(HEADER).encode("utf-16"), "cannot be read|not JSON"),
    "byte-order mark": (b"\xef\xbb\xbf" + json.dumps(HEADER).encode(), "line 1 is not JSON"),
    "a number": (b"1", "line 1 is not an object"),
    "null": (b"null", "line 1 is not an object"),
    "cut off": (json.dumps(HEADER).encode()[:-5], "line 1 is not JSON"),
    "another schema": (json.dumps(HEADER | dict(schema=2)).encode(), "schema is 2"),
    "schema as text": (json.dumps(HEADER | dict(schema="1")).encode(), "schema is '1'"),
    "schema as true": (json.dumps(HEADER | dict(schema=True)).encode(), "schema is True"),
    "no gpu": (json.dumps(HEADER | dict(gpu="")).encode(), "gpu is not a text"),
    "a date that is none": (json.dumps(HEADER | dict(date="yesterday")).encode(), "isoformat"),
    "two headers": (f"{json.dumps(HEADER)}\n{json.dumps(HEADER)}".encode(), "line 2"),
    "NaN": (f"{json.dumps(HEADER)}\n{{\"a\": NaN}}".encode(), "line 2 is not JSON"),
    "deep nesting": (f"{json.dumps(HEADER)}\n{'[' * 100_000}".encode(), "line 2 is not JSON"),
    "a huge number": (f"{json.dumps(HEADER)}\n{{\"algorithm\": {HUGE * 20}}}".encode(), "line 2"),
    "an empty line": (f"{json.dumps(HEADER)}\n\n".encode(), "line 2 is not JSON"),
    "a list of runs": (f"{json.dumps(HEADER)}\n[{{}}]".encode(), "line 2 is not an object"),
}


@pytest.mark.parametrize(("content", "reason"), FILES.values(), ids=FILES)
def test_a_file_of_runs_that_is_none(tmp_path, content, reason):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(Refusal, match=reason):
        saved.read(path)


@pytest.fixture
def described(tmp_path):
    """A GPU as `gpus --json` prints it, and how to write it to a file."""
    def write(text, suffix=".json", **how):
        path = tmp_path / f"own{suffix}"
        path.write_text(text, **how)
        return path

    return vars(H200), write


@pytest.mark.parametrize("number", [10**400, True, -1, 0, "many", None, [132], float("inf")], ids=lambda value: repr(value)[:8])
def test_a_gpus_number_that_is_none(described, number):
    gpu, write = described
    with pytest.raises(Refusal):
        read_gpu(write(json.dumps(gpu | dict(multiprocessors=number))))


def test_a_byte_order_mark_before_a_gpu_is_no_matter(described):
    gpu, write = described
    assert read_gpu(write(json.dumps(gpu), encoding="utf-8-sig")) == H200
    table = write(f"{','.join(gpu)}\n{','.join(str(value) for value in gpu.values())}\n", ".csv", encoding="utf-8-sig")
    assert read_gpu(table).multiprocessors == H200.multiprocessors


def test_a_file_with_the_line_ends_of_windows_is_read(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(json.dumps(HEADER).encode() + b"\r\n")
    assert saved.read(path).runs == []


def test_a_line_of_a_hundred_megabytes_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(HEADER) + "\n" + '{"algorithm": "' + "x" * 10**8 + '"}')
    with pytest.raises(Refusal) as refusal:
        saved.read(path)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"1", b"\xff\xfe", b'{"name": "x"}', b'{"name": "x", "l2_mib": "many"}',
                                     GZIP, b"name,l2_mib\n", b"name\nx,y,z\n", b"[" * 100_000], ids=lambda b: repr(b)[:20])
@pytest.mark.parametrize("suffix", [".json", ".csv", ""])
def test_a_gpu_file_that_is_none(tmp_path, content, suffix):
    path = tmp_path / f"gpu{suffix}"
    path.write_bytes(content)
    with pytest.raises(Refusal) as refusal:
        read_gpu(str(path))
    assert len(str(refusal.value)) < 1500
