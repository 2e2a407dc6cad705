"""paper, capacity, occupancy, roofline, time, ring, warps: a table or JSON, and one sentence for a bad option."""
import json
import shlex
from collections import Counter

import pytest

from traffic_model import AttentionProblem, Ledger, Tiling, find_gpu, predict
from traffic_model.__main__ import main
from traffic_model.paper import comparisons

COMMANDS = ["paper", "capacity", "occupancy", "dram", "roofline", "time", "gpus", "ring", "warps"]


def objects(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return [json.loads(line, parse_constant=pytest.fail) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_and_json_lines(capsys, command):
    assert main([command]) == 0
    table = capsys.readouterr().out
    assert "──" in table and len(table.splitlines()) > 4 and max(map(len, table.splitlines())) < 240
    assert objects(capsys, command)


def test_paper(capsys):
    said = objects(capsys, "paper")
    compared, alone = [s for s in said if s["paper"] is not None], [s for s in said if s["paper"] is None]
    assert compared == [each.record() for each in comparisons()] and all(s["holds"] for s in compared)
    assert len(alone) >= 9 and all(s["model"] == sum(move["bytes"] for move in s["moves"]) for s in alone)


def test_capacity(capsys):
    said = objects(capsys, "capacity", "--gpu", "NVIDIA H200", "--seq-len", "512,4096,32768")
    assert [s["matrix_bytes"] for s in said[:3]] == [6291456, 402653184, 25769803776]
    assert len(said) == 4 and said[3]["gpu"] == "H200 SXM" and said[3]["longest"]["naive"] < said[3]["longest"]["fused"]


def test_occupancy_of_the_ladder_and_of_any_kernel(capsys):
    fused, = objects(capsys, "occupancy", "--algorithm", "fused", "--registers", "127")
    assert (fused["blocks"], fused["limiting"], fused["for_another"]["registers"]) == (4, ["registers", "shared memory"], 96)
    any_kernel, = objects(capsys, "occupancy", "--threads", "96", "--registers", "80", "--shared-bytes", "40000", "--gpu", "H200 SXM")
    assert (any_kernel["blocks"], any_kernel["limiting"]) == (5, ["shared memory"])
    assert main(["occupancy", "--algorithm", "fused", "--head-dim", "128"]) == 0
    assert "tile would raise it to" in capsys.readouterr().out


def test_roofline_and_time(capsys):
    naive, *kernels, fused = objects(capsys, "roofline", "--dtype", "bfloat16", "--unit", "fp16_bf16")
    assert (round(naive["intensity"], 1), round(naive["ridge"]), naive["side"], fused["side"]) == (31.5, 206, "left", "right")
    assert [kernel["name"] for kernel in kernels] == ["scores", "softmax", "output"]
    tiled, = objects(capsys, "time", "--algorithm", "tiled", "--heads", "16")
    assert tiled["ms"] == pytest.approx(sum(kernel["ms"] for kernel in tiled["kernels"]))


def test_warps_of_every_access(capsys):
    naive, tiled = objects(capsys, "warps", "--algorithm", "naive,tiled", "--seq-len", "300", "--mask", "causal")
    expected = predict("tiled", AttentionProblem(300, mask="causal"), Tiling(), find_gpu("H200 SXM")).warps
    for said in (naive, tiled):
        assert [kernel["name"] for kernel in said["kernels"]] == ["scores", "softmax", "output"]
    assert [Ledger.from_records(kernel["ledger"], kernel["measures"]) for kernel in tiled["kernels"]] == [k.ledger for k in expected]


def test_one_warp_access_lane_by_lane(capsys):
    column, = objects(capsys, "warps", "--algorithm", "naive", "--head-dim", "65", "--dtype", "float16", "--access", "K hbm read")
    assert (column["kernel"], column["access"], column["sectors"], column["fewest"]) == ("scores", "K hbm read", 32, 2)
    assert column["lanes"][:2] == [dict(lane=0, element=0, byte=0, sector=0), dict(lane=1, element=65, byte=130, sector=4)]
    assert len(column["lanes"]) == 32 and column["unpadded"] is None and column["requested_bytes"] == column["distinct_bytes"] == 64
    fill, = objects(capsys, "warps", "--algorithm", "tiled", "--access", "k SHARED write")
    assert (fill["wavefronts"], fill["conflicts"], fill["unpadded"]["wavefronts"]) == (1, 0, 8)
    assert sorted(lane["bank"] for lane in fill["lanes"]) == list(range(32))
    assert Counter(lane["bank"] for lane in fill["unpadded"]["lanes"]) == {bank: 8 for bank in range(4)}
    assert main(["warps", "--algorithm", "tiled", "--mask", "causal", "--seq-len", "1000", "--access", "S hbm write", "--kind", "20"]) == 0
    said = capsys.readouterr().out
    assert "Kind 20, the one at the lowest address, elements of 4 B" in said and "more kinds" in said
    assert len(said.split("\n\n")[-2].splitlines()) == 2 + 32


def test_a_described_gpu_serves_every_command(capsys, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(objects(capsys, "gpus")[0] | dict(name="Mine", driver_name="Mine")))
    for command in ("predict", "occupancy", "capacity", "dram", "roofline", "time"):
        assert main([command, "--gpu-file", str(path)]) == 0
        said = capsys.readouterr().out
        assert command == "predict" or "Mine" in said


@pytest.mark.parametrize(("options", "sentence"), [
    ("occupancy --threads 2000 --registers 32", "2000 threads per block: a block has 1 to 1024; the nearest is 1024."),
    ("occupancy --threads 128", "--threads describes any kernel and needs --registers"),
    ("occupancy --shared-bytes 9", "--shared-bytes describes any kernel and needs --threads"),
    ("occupancy --registers -4", "-4 registers per thread: it is a number from 0 up; the nearest is 0."),
    ("roofline --unit int8", "Unit int8 is not known: choose fp32 or tf32 or fp16_bf16 or fp8."),
    ("roofline --gpu T4 --roofs measured", "No measured rate of T4 is known for CUDA cores, fp32; known are none."),
    ("capacity --seq-len 0", "Seq len 0 is not a whole number from 1 up"),
    ("capacity --gpu H300", "GPU 'H300' is not in the table"),
    ("warps --access K", "Access 'K' is not an array, a space and a direction, such as 'K hbm read' or 'S shared write'."),
    ("warps --access 'K  hbm\tup'", "Access 'K hbm up' is not"),
    ("warps --algorithm fused --access 'S hbm read'", "Fused makes no access 'S hbm read' here; choose 'Q hbm read', 'K hbm read'"),
    ("warps --kind 2", "--kind is one of the kinds of an access and needs --access"),
    ("warps --algorithm tiled --kind 9 --access 'K hbm read'",
     "Kind 9 of tiled's K hbm read is not there: it has kinds 1 to 1; the nearest is 1."),
    ("time --gpu-file nothing.json", "nothing.json cannot be read"),
    ("time --gpu T4 --gpu-file x.json", "--gpu and --gpu-file both say which GPU; leave one out."),
    ("paper --nonsense", "Unrecognized arguments: --nonsense."),
])
def test_a_bad_option_gets_one_sentence_and_exit_2(capsys, options, sentence):
    try:
        status = main(shlex.split(options))
    except SystemExit as left:
        status = left.code
    said = capsys.readouterr()
    assert status == 2 and said.out == "" and sentence in said.err and said.err.count("\n") == 1
