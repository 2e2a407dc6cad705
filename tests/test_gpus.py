"""The table of GPUs: every figure has a source, every GPU is found by the driver's name, and another one can be described."""
import csv
import json
from dataclasses import asdict

import pytest

from traffic_model import Refusal, all_gpus, find_gpu
from traffic_model.gpu_file import read_gpu
from traffic_model.gpus import rows


@pytest.mark.parametrize("table", ["gpus", "compute_capabilities"])
def test_every_figure_has_exactly_one_source(table):
    for row in rows(f"{table}.csv"):
        key, sources = next(iter(row.values())), [s for s in rows("sources.csv") if s["table"] == table]
        for name, value in row.items():
            named = [s["source"] for s in sources if s["row"] in ("*", key) and name in s["figures"].split()]
            assert len(named) == (value != "" and name != "note"), (key, name, named)
            assert all(len(source) > 15 for source in named)


def test_no_source_is_for_a_figure_that_is_not_there():
    for source in rows("sources.csv"):
        held = rows(f"{source['table']}.csv")
        assert source["row"] == "*" or source["row"] in [next(iter(row.values())) for row in held]
        assert set(source["figures"].split()) <= set(held[0])


@pytest.mark.parametrize("gpu", all_gpus().values(), ids=lambda gpu: gpu.name)
def test_a_gpu_is_found_by_each_of_its_names(gpu):
    short = gpu.driver_name.removeprefix("NVIDIA ")
    assert find_gpu(gpu.name) is find_gpu(gpu.driver_name) is find_gpu(short.upper()) is gpu
    assert gpu.shared_kib_per_block <= gpu.shared_kib_per_multiprocessor
    assert gpu.threads_per_multiprocessor == 32 * gpu.warps_per_multiprocessor


def test_the_peaks_follow_from_cores_and_clock():
    """fp32: 2 FLOP a clock, 64 or 128 lanes a multiprocessor; the datasheets round and some quote another clock."""
    for gpu in all_gpus().values():
        lanes = gpu.fp32_tflops * 1e6 / (2 * gpu.multiprocessors * gpu.boost_mhz)
        assert min(abs(lanes / n - 1) for n in (64, 128)) < 0.06, (gpu.name, lanes)


def test_an_unknown_gpu_asks_for_its_numbers():
    with pytest.raises(Refusal, match="choose H100 SXM5, H100 PCIe, or give its numbers with --gpu-file"):
        find_gpu("H100 NVL")


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_described_gpu_is_the_one_that_was_written_down(tmp_path, ending):
    for gpu in (find_gpu("H200 SXM"), find_gpu("T4")):
        path = tmp_path / f"gpu.{ending}"
        if ending == "json":
            path.write_text(json.dumps(asdict(gpu)))
        else:
            with open(path, "w", newline="") as file:
                writer = csv.DictWriter(file, asdict(gpu))
                writer.writeheader()
                writer.writerow(asdict(gpu))
        assert read_gpu(path) == gpu


FEW = dict(name="Mine", compute_capability="9.0", multiprocessors=78, l2_mib=60, dram_gb=96, dram_gb_per_s=4000, fp32_tflops=44,
           boost_mhz=1980, shared_bytes_per_clock=128)


def test_what_the_compute_capability_tells_may_be_left_out(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(FEW))
    gpu = read_gpu(path)
    assert (gpu.shared_kib_per_block, gpu.partitions, gpu.fp16_bf16_tflops, gpu.driver_name) == (227, 4, None, "Mine")


@pytest.mark.parametrize(("changes", "sentence"), [
    (dict(l2_mib=None, boost_mhz=None), "lacks l2_mib, boost_mhz."),
    (dict(compute_capability="13.0"), "lacks shared_kib_per_multiprocessor, .* may be left out for compute capability 7.0"),
    (dict(multiprocessors="many"), "not usable: could not convert"),
    (dict(multiprocessors=7.5), "multiprocessors 7.5 is not a whole number"),
    (dict(dram_gb=0), "gives dram_gb 0.0; it is a number above 0"),
    (dict(dram_gb=float("nan")), "gives dram_gb nan"),
    (dict(cores=1), "has cores, which no GPU is described by"),
    ({"a\nb": 1}, r"has 'a\\nb', which no GPU is described by"),
    (dict(multiprocessors=1e306), "it is a number from 0.001 to 1,000,000,000."),
    (dict(l2_mib=5e-324), "gives l2_mib 4.94066e-324; it is a number from 0.001"),
    (dict(name="\ud800"), "gives a name of more than 300 characters, or with some that cannot be printed"),
])
def test_a_description_that_will_not_do_is_refused_in_words(tmp_path, changes, sentence):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(FEW | changes))
    with pytest.raises(Refusal, match=sentence):
        read_gpu(path)


@pytest.mark.parametrize(("name", "text", "sentence"), [
    ("a.json", "{", "cannot be read"), ("a.json", "[1, 2]", "does not describe one GPU"),
    ("a.csv", "name\nA\nB\n", "does not describe one GPU"), ("a.csv", "name\nA,1\n", "does not describe one GPU")])
def test_a_file_that_is_no_gpu_is_refused(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    with pytest.raises(Refusal, match=sentence):
        read_gpu(tmp_path / name)
    for missing in (tmp_path / "none.json", tmp_path, "/dev/zero"):
        with pytest.raises(Refusal, match="cannot be read"):
            read_gpu(missing)
