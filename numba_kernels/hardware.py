"""Hardware recordings: what Nsight Compute measured of single launches on a GPU, and validations beside it. They ship with Tilescope.

JSON Lines with the header of saved.py. recorded/hardware/…_dram.jsonl: a launch per line, L2 emptied before it: {"algorithm", "problem",
"tiling", "kernel", "registers_per_thread", "shared_bytes", "l2_read_bytes", "dram_read_bytes", "dram_write_bytes", "duration_us"}.
…_dram_repeated.jsonl: some of them again, several times over.
…_dram_seen.jsonl: more of them, by which the DRAM model was mended. h200_lengths: other lengths and heads, drawn at random; h200_along:
single kernels, densely along one size after another; h200_ragged: any length, drawn at random. …_dram_unseen.jsonl: drawn like those, once
all of the model stood.
…_validation.jsonl: the object of `python -m numba_kernels validate --json` per line.
…_accesses.jsonl: accesses of one warp on its own, those of a pattern and an element size per line: {"pattern", "size", "lanes": the element
that each lane names, "hbm", "shared": {"read", "write": {"distinct_bytes", "sectors" or "wavefronts"}}}; see tests/calibrate_accesses.py.
"""
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from numba_kernels.saved import RECORDED, check, check_header, is_size, objects
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.vocabulary import Direction, Space

HARDWARE = RECORDED / "hardware"
SIZES = ("registers_per_thread", "shared_bytes", "l2_read_bytes", "dram_read_bytes", "dram_write_bytes", "duration_us")
COMPARED = ("counted", "hardware")
NAMED = {Space.HBM: ("distinct_bytes", "sectors"), Space.SHARED: ("distinct_bytes", "wavefronts")}


class Recording(NamedTuple):
    """A file: its header and its lines."""

    header: dict
    lines: list[dict]


def recorded_launches(kind: str = "dram") -> list[Recording]:
    """The launches that ship with Tilescope, by file name; kind: "dram", or that with "_repeated", "_seen" or "_unseen"."""
    return [read(path, _check_launch) for path in sorted(HARDWARE.glob(f"*_{kind}.jsonl"))]


def recorded_validations() -> list[Recording]:
    """The validations that ship with Tilescope, by file name."""
    return [read(path, _check_validation) for path in sorted(HARDWARE.glob("*_validation.jsonl"))]


def recorded_accesses() -> list[Recording]:
    """The warp accesses that ship with Tilescope, by file name."""
    return [read(path, _check_accesses) for path in sorted(HARDWARE.glob("*_accesses.jsonl"))]


def read(path: Path, reasons: Callable[[dict], Iterator[str]]) -> Recording:
    """reasons: what is wrong with a line, in words. Raises Refusal that names the line and the reason."""
    header, *lines = objects(path)
    check(path, 1, header, check_header)
    for number, line in enumerate(lines, 2):
        check(path, number, line, reasons)
    return Recording(header, lines)


def _check_launch(line: dict) -> Iterator[str]:
    yield from _check_names(line, line["kernel"])
    yield from (f"{name} is {line[name]!r}" for name in SIZES if not is_size(line[name]))


def _check_validation(line: dict) -> Iterator[str]:
    yield from _check_names(line, line["backend"])
    for kernel in line["kernels"]:
        yield from (f"{name} of {kernel['name']} is {each[name]!r}" for each in kernel["compared"] for name in COMPARED
                    if not is_size(each[name]))
        yield from (f"{name} of {kernel['name']} is {value!r}" for when in ("cold", "warm") for name, value in (kernel[when] or {}).items()
                    if not is_size(value))


def _check_accesses(line: dict) -> Iterator[str]:
    if not isinstance(line["pattern"], str) or not is_size(line["size"]):
        yield "its pattern is a text, its size a number of bytes"
    if not all(element is None or is_size(element) for element in line["lanes"]):
        yield "a lane names no element"
    for space, direction in product(map(str, Space), map(str, Direction)):
        yield from (f"{name} of {space} {direction} is {value!r}" for name in NAMED[space]
                    if not is_size(value := line[space][direction][name]))


def _check_names(line: dict, other: str) -> Iterator[str]:
    if not isinstance(line["algorithm"], str) or not isinstance(other, str):
        yield "a name is no text"
    AttentionProblem(**line["problem"])
    Tiling(**line["tiling"])
