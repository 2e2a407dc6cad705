"""Several GPUs on Time: which are offered, what is drawn of them, what is claimed; on the page, on slides and as a table."""
import csv
import io
from dataclasses import replace

import pytest
from example_runs import DEFAULT, recording, run_record
from test_app import opened
from test_charts_labels import drawn
from viewer import collisions

from app import cached, export, recordings, records
from app.charts.look import Template, page_look
from app.charts.time_gpus import DASHES, gpus_claim, short
from app.figures import FIGURES, Sources

NAMES = ("H200 SXM", "A100 SXM4 80GB", "L4", "RTX 4090")
LENGTHS = [256 * 2**k for k in range(8)]


def recorded(driver: str, factor: float, lengths=LENGTHS, settings=DEFAULT, **about) -> tuple[dict, list[dict]]:
    """A file of another GPU: each kernel takes a time that grows as N², longer by a factor."""
    header = dict(gpu=driver, date="2031-02-03", l2="warm", copy_gb_per_s=1000.0) | about
    ms = lambda n, slower: [factor * slower * n**2 / 2**24 * share for share in (.9, 1.0, 1.1)]
    return header, records.shipped(header, [run_record(settings.at(n), a, ms(n, s)) for n in lengths for a, s in
                                            (("naive", 9), ("tiled", 3), ("fused", 1))])


OTHERS = recorded("NVIDIA H200", 1), recorded("NVIDIA A100-SXM4-80GB", 2), recorded("NVIDIA L4", 9), \
    recorded("NVIDIA GeForce RTX 4090", 1.2, LENGTHS[:-2])


def test_offered_are_the_gpus_with_times_of_what_is_shown():
    other = replace(DEFAULT, problem=replace(DEFAULT.problem, head_dim=128))
    files = [OTHERS[0], recorded("NVIDIA L4", 9, settings=other), recorded("NVIDIA A10", 3, l2="cold"), OTHERS[1]]
    assert recordings.gpus(files, DEFAULT) == ["H200 SXM", "A100 SXM4 80GB"]
    assert recordings.gpus(files[:1], DEFAULT) == []
    on_the_cpu = dict(gpu="none (cpu backend)", date="2031-02-03"), [records.live(run_record(DEFAULT, "fused", backend="cpu"))]
    assert recordings.gpus([OTHERS[0], on_the_cpu], DEFAULT) == ["H200 SXM"]
    assert recordings.nearest(recordings.chosen(files, ["L4"]), DEFAULT).settings.gpu.name == "L4"
    assert recordings.chosen(files, ["T4"]) == files and recordings.chosen(files, []) == files


def test_a_line_keeps_its_rungs_colour_and_a_gpu_has_a_dash():
    look = page_look("light")
    figure = FIGURES["time"](DEFAULT, Sources([*OTHERS]))
    lines = {(trace.line.dash, trace.line.color) for trace in figure.draw(look).data if trace.mode == "lines+markers"}
    assert lines == {(dash, look.palette[rung]) for dash in ("solid", *DASHES) for rung in ("naive", "tiled", "fused")}
    assert "H200 SXM solid, A100 SXM4 80GB dash-dotted, L4 long-dashed, RTX 4090 long-dash-dotted" in figure.conditions
    alone = FIGURES["time"](DEFAULT, Sources([*OTHERS], gpus=("L4",)))
    assert "· L4 ·" in alone.conditions and "tiling gains" in alone.title and "recorded on NVIDIA L4, " in alone.provenance


def test_the_claim_is_of_the_fastest_common_point_nearest_to_n():
    title = lambda *gpus, n=4096: FIGURES["time"](DEFAULT.at(n), Sources([*OTHERS], gpus=gpus)).title
    said = lambda n: FIGURES["time"](DEFAULT.at(n), Sources([*OTHERS])).conditions
    assert said(2**20).startswith("N = 8,192 is the nearest length timed on every GPU · 16 heads") and said(8192).startswith("16 heads")
    assert title("H200 SXM", "L4") == "At N = 4,096 fused takes 9.00× as long on L4 as on H200 SXM"
    assert title(n=2**20) == ("At N = 8,192 fused takes 2.00× as long on A100 SXM4, 9.00× as long on L4 and 1.20× as long on RTX 4090 "
                              "as on H200 SXM")
    of = lambda ms, **more: [dict(algorithm="fused", n=8, when="recorded", median_ms=ms) | more]
    assert gpus_claim("T4", of(2), [("L4", of(1.93))], 8) == "At N = 8 fused takes as long on L4 as on T4"
    assert gpus_claim("T4", of(2), [("L4", of(1))], 8) == "At N = 8 fused takes 0.50× as long on L4 as on T4"
    assert gpus_claim("T4", of(2), [("L4", of(1, n=4))], 8) is None and gpus_claim("T4", of(2, when="live"), [("L4", of(1))], 8) is None
    apart = FIGURES["time"](DEFAULT, Sources([recording(DEFAULT, [1024]), recorded("NVIDIA L4", 9, [4096])]))
    assert apart.title.endswith(" on H200 SXM") and apart.conditions.startswith("N = 1,024 is the nearest length timed for all · ")


def test_the_table_names_each_records_gpu():
    figure = FIGURES["time"](DEFAULT, Sources([*OTHERS[:2]]))
    rows = list(csv.DictReader(io.StringIO(export.table(figure.records, figure.settings))))
    assert [sum(row["gpu"] == name for row in rows) for name in NAMES[:2]] == [3 * len(LENGTHS)] * 2
    assert all(("A100" in row["source"]) == ("A100" in row["gpu"]) for row in rows)


def test_names_are_shortened_to_whole_words():
    assert [short(name) for name in (*NAMES, "Jetson AGX Orin 64GB")] == ["H200 SXM", "A100 SXM4", "L4", "RTX 4090", "Jetson"]


@pytest.mark.parametrize("n", [256, 32768])
@pytest.mark.parametrize("look", [page_look("light", 780), page_look("dark"), Template(text=28).look, Template(shape="square").look],
                         ids=["phone", "page", "slide", "square"])
def test_labels_of_four_gpus_do_not_collide(blank, n, look):
    assert collisions(drawn(blank, FIGURES["time-model"](DEFAULT.at(n), Sources([*OTHERS])).draw(look), look)) == []


def test_the_page_offers_them_and_the_slide_takes_them_along(monkeypatch):
    alone = opened("time")
    assert not alone.multiselect
    monkeypatch.setattr(cached, "recorded_runs", lambda: [*OTHERS])
    app = opened("time", dtype="float32")
    [offered] = app.multiselect
    assert offered.options == list(NAMES) and offered.value == [] and "as long on L4" in app.subheader[0].value
    offered.set_value(["L4", "H200 SXM"]).run()
    assert not app.exception and app.subheader[0].value == "At N = 4,096 fused takes 9.00× as long on L4 as on H200 SXM"
    app.session_state["kept_gpus"] = ["L4", "V100 SXM2 32GB"]  # of a file that was taken out
    assert not app.run().exception
    slides = opened("slides", figure="time", dtype="float32")
    slides.session_state["kept_gpus"] = ["L4", "H200 SXM"]
    assert not slides.run().exception and slides.code[0].value.startswith("At N = 4,096 fused takes 9.00× as long on L4 as on H200 SXM. ")
