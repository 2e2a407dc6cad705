"""Libraries and tensor cores on Time: drawn where a file holds such runs, in colours of their own, and compared by what they have."""
import csv
import io
import json
from itertools import pairwise

import numpy as np
import pytest
from example_runs import DEFAULT, recording, run_record
from test_charts_labels import drawn
from test_comparing import file, saved_run
from viewer import collisions

from app import comparing, dropped, records
from app.charts.claims import time_claim
from app.charts.look import DASH, PALETTES, page_look, slide_look
from app.export import table
from app.figures import FIGURES, Sources
from numba_kernels import compare
from numba_kernels.libraries import LibraryRun
from traffic_model import Refusal, Tiling

TIMES = {"PyTorch cuDNN": .5, "PyTorch memory-efficient": .9, "fused_tensor_core": .7}


def library_run(n: int, name: str, ms: float) -> dict:
    """As compare writes it."""
    run = LibraryRun(name, np.ones((1, 1, 1, 1)), (ms, 2 * ms))
    return compare._library(run, DEFAULT.at(n).problem, np.ones((1, 1, 1, 1)), np.array([0]), seed=0).record


def tensor_core_run(n: int, ms: float) -> dict:
    run = saved_run(DEFAULT.at(n), times_ms=(ms, 2 * ms))
    name = "fused_tensor_core"
    return run | dict(algorithm=name, tiling=Tiling(128, 64).record(), kernels=[run["kernels"][0] | dict(name=name)])


@pytest.fixture(scope="module")
def measured() -> tuple[dict, list[dict]]:
    """A dropped file: two libraries and the tensor cores at two lengths."""
    runs = [tensor_core_run(n, ms * n / 1024) if name == "fused_tensor_core" else library_run(n, name, ms * n / 1024)
            for name, ms in TIMES.items() for n in (1024, 4096)]
    return dropped.read("libraries.jsonl", file(*runs))


def lines(figure) -> dict:
    """{colour: dashes} of the lines with markers."""
    found = {}
    for trace in figure.data:
        if trace.mode == "lines+markers":
            found.setdefault(trace.line.color, []).append(trace.line.dash)
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_libraries_are_dashed_and_tensor_cores_have_a_line_of_their_own(measured, theme):
    shipped, palette = recording(DEFAULT, [1024, 4096]), PALETTES[theme]
    draw = lambda *files: FIGURES["time"](DEFAULT, Sources([*files])).draw(page_look(theme))
    with_libraries, without = draw(shipped, measured), draw(shipped)
    assert lines(with_libraries)[palette["library"]] == [DASH, DASH] and lines(with_libraries)[palette["tensor"]] == ["solid"]
    assert not {palette["library"], palette["tensor"]} & set(lines(without))
    said = " ".join(note.text for note in with_libraries.layout.annotations).replace("<br>", " ")
    assert all(f"<b>{name}</b>" in said for name in ("cuDNN", "memory-efficient", "tensor-core fused")) and "dashed: PyTorch" in said


def test_names_of_lines_that_end_close_together_stand_in_the_order_of_the_lines():
    """At 4,096 four lines end within half a decade, while the ladder goes on to 65,536."""
    times = {"PyTorch cuDNN": 1.1, "PyTorch memory-efficient": 2.0, "PyTorch flash": 1.6, "fused_tensor_core": 1.0}
    runs = [tensor_core_run(4096, ms) if name == "fused_tensor_core" else library_run(4096, name, ms) for name, ms in times.items()]
    measured = dropped.read("libraries.jsonl", file(*runs))
    look = page_look("light")
    figure = FIGURES["time"](DEFAULT, Sources([recording(DEFAULT, [2**k for k in range(7, 17)]), measured])).draw(look)
    low, high = figure.layout.yaxis.range
    height = lambda note: (note.y - low) / (high - low) * look.plot["y"] * look.text + note.yshift  # px above the axis
    named = {note.text.partition("<b>")[2].partition("</b>")[0]: note for note in figure.layout.annotations}
    ends = [named[name] for name in ("memory-efficient", "flash", "cuDNN", "tensor-core fused")]
    heights, shifts = [height(note) for note in ends], [abs(note.yshift) for note in ends]
    assert all(upper - lower >= look.text for upper, lower in pairwise(heights)) and max(shifts) < 2.5 * look.text
    assert len({(note.x, note.xshift) for note in ends}) == 1


@pytest.mark.parametrize("name", ["", " ", "\ud800 a", "\u0000 a"])
def test_a_library_without_a_name_is_refused(name):
    with pytest.raises(Refusal, match="is no name that could be printed"):
        dropped.read("libraries.jsonl", file(library_run(1024, name, .5)))


def test_a_table_says_the_tiles_that_a_kernel_had(measured):
    figure = FIGURES["time"](DEFAULT, Sources([recording(DEFAULT, [1024, 4096]), measured]))
    rows = csv.DictReader(io.StringIO(table(figure.records, figure.settings)))
    tiles = {row["algorithm"]: (row["block_q"], row["block_k"]) for row in rows}
    assert tiles["fused_tensor_core"] == ("128", "64") and tiles["PyTorch cuDNN"] == ("", "")
    assert tiles["fused"] == tuple(map(str, DEFAULT.tiling.record().values()))


@pytest.mark.parametrize("look", [page_look("light"), slide_look("light")], ids=["page", "slide"])
def test_their_labels_do_not_collide(blank, measured, look):
    sources = Sources([recording(DEFAULT, [2**k for k in range(7, 17)]), measured])
    for name in ("time", "time-model"):
        figure = FIGURES[name](DEFAULT, sources).draw(look)
        assert collisions(drawn(blank, figure, look)) == []


def test_every_figure_takes_a_file_of_libraries_alone(measured):
    assert FIGURES["time"](DEFAULT, Sources([measured])).title == "At N = 4,096 tensor-core fused takes 4.20 ms"
    for make in FIGURES.values():
        json.loads(make(DEFAULT, Sources([recording(DEFAULT, [1024]), measured])).draw(page_look("light")).to_json())


def test_the_title_credits_each_step_alone():
    times = {name: {8: ms} for name, ms in dict(naive=80, tiled=8, fused=4, fused_tensor_core=1).items()}
    assert time_claim(times, {}, 8) == "At N = 8 tiling gains 10×, fusion gains another 2.00×, the tensor-core kernel gains another 4.00×"
    slower = times | dict(fused_tensor_core={8: 8})
    assert time_claim(slower, {}, 8).endswith("the tensor-core kernel loses 2.00×")


def test_a_library_has_times_to_compare_and_no_counts(measured):
    _, runs = measured
    points = comparing.ratios([records.live(library_run(1024, "PyTorch cuDNN", 1.0))], runs)
    assert [(p["time_ratio"], p["requested_ratio"]) for p in points] == [(2.0, None)]
    assert comparing.summary(points) == "Nothing to compare was counted; the median ratio of times is 2.00"
    one = records.live(run_record(DEFAULT.at(64), "fused"))
    assert comparing.summary(points + comparing.ratios([one], [one])).startswith("Every cell was counted alike at 1 point in common")
