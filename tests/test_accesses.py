"""What single warp accesses name and cost: predicted == what Nsight Compute counted of each on its own (tests/calibrate_accesses.py)."""
import json
from itertools import product
from pathlib import Path

import pytest
from warp_patterns import patterns

from numba_kernels import hardware
from traffic_model import Array, Cell, Direction, Refusal, Space
from traffic_model.vocabulary import SECTOR, WAVEFRONT, Measure
from traffic_model.warps import Access

README = Path(__file__).parent.parent / "README.md"
OTHER = {Direction.READ: Direction.WRITE, Direction.WRITE: Direction.READ}
SIZES = 2, 4, 8, 16


@pytest.fixture(scope="module")
def recorded() -> list[tuple[str, Access, dict]]:
    """(pattern, access, the hardware's numbers) of every access."""
    return [(line["pattern"], Access(Cell(Array.S, space, direction), line["size"], 0, tuple(line["lanes"]), 1), line[space][direction])
            for recording in hardware.recorded_accesses() for line in recording.lines for space, direction in product(Space, Direction)]


def predicted(access: Access) -> dict:
    """In the hardware's words."""
    turns = dict(sectors=access.bytes(Measure.SECTORS) // SECTOR) if access.cell.space == Space.HBM else \
        dict(wavefronts=access.bytes(Measure.WAVEFRONTS) // WAVEFRONT)
    return dict(distinct_bytes=access.bytes(Measure.DISTINCT)) | turns


def wrong(recorded) -> list:
    return [(pattern, access, numbers) for pattern, access, numbers in recorded if predicted(access) != numbers]


def test_every_access_is_predicted(recorded):
    assert wrong(recorded) == []


def test_all_patterns_were_recorded_at_every_size_in_both_spaces_and_directions(recorded):
    every = {(name, size, lanes, space, direction) for size in SIZES for name, lanes in patterns(size).items()
             for space, direction in product(Space, Direction)}
    assert {(name, a.size, a.lanes, a.cell.space, a.cell.direction) for name, a, _ in recorded} == every and len(every) == len(recorded)
    assert f" all {len(recorded)} accesses are predicted == hardware" in " ".join(README.read_text(encoding="utf-8").split())


def test_a_load_taken_for_a_store_would_show(recorded):
    """And the other way round, where elements of several words are served in parts; elsewhere direction makes no difference."""
    turned = [(name, access._replace(cell=access.cell._replace(direction=OTHER[access.cell.direction])), numbers)
              for name, access, numbers in recorded]
    assert {(access.cell.space, access.cell.direction, access.size) for _, access, _ in wrong(turned)} == \
        {(Space.SHARED, direction, size) for direction in Direction for size in (8, 16)}


@pytest.mark.parametrize(("change", "reason"), [
    (dict(size="8"), "its pattern is a text, its size a number of bytes"), (dict(lanes=[0, -1]), "a lane names no element"),
    (dict(hbm={}), "it lacks or does not know 'read'"),
    (dict(shared=dict(read=dict(distinct_bytes=4, wavefronts="1"))), "wavefronts of shared read is '1'")])
def test_a_broken_recording_is_refused_with_its_line(tmp_path, change, reason, monkeypatch):
    [original] = hardware.recorded_accesses()
    (tmp_path / "x_accesses.jsonl").write_text("\n".join(map(json.dumps, [original.header, original.lines[0] | change])))
    monkeypatch.setattr(hardware, "HARDWARE", tmp_path)
    with pytest.raises(Refusal, match=f"x_accesses.jsonl line 2 is not usable: {reason}"):
        hardware.recorded_accesses()
