"""Labels of charts never overlap and never leave the figure, at the extremes of the settings too, on a page and on a slide."""
import json

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, ODD
from test_charts import draw_traffic
from viewer import TEXT_BOXES, collisions

from app import recordings, records
from app.charts.look import Template, page_look, slide_look
from app.charts.time import time as draw_time
from app.figures import FIGURES, Sources
from app.settings import Settings
from numba_kernels import saved
from traffic_model import AttentionProblem, Tiling, find_gpu

EXTREMES = [Settings(AttentionProblem(n, **shape), Tiling(*tiles), find_gpu(gpu)) for n, shape, tiles, gpu in (
    (128, dict(head_dim=16), (16, 16), "H200 SXM"), (131072, dict(heads=16), (256, 16), "H200 SXM"),
    (4096, dict(heads=128, batch=64), (64, 64), "T4"),
    (16384, dict(head_dim=128, heads=32, kv_heads=1, mask="causal"), (64, 64), "B200 SXM"),
    (2048, dict(head_dim=16, mask="causal"), (256, 64), "Jetson AGX Orin 64GB"))]

LOOKS = page_look("light", 780), page_look("dark"), page_look("light", 1556), slide_look("dark")


def drawn(blank, figure, look) -> list[dict]:
    """Draws the figure in the blank page and reads its text boxes."""
    assert figure.layout.width == look.width
    blank.evaluate("figure => Plotly.newPlot('chart', figure.data, figure.layout)", json.loads(figure.to_json()))
    boxes = blank.locator("#chart").evaluate(TEXT_BOXES)
    assert len(boxes) > 15
    return boxes


@pytest.mark.parametrize("look", LOOKS, ids=["phone", "page", "wide page", "slide"])
@pytest.mark.parametrize("settings", [DEFAULT, ODD, *EXTREMES], ids=lambda s: f"{s.n} {s.conditions} {s.gpu.name}")
def test_labels_of_traffic_do_not_collide(blank, settings, look):
    assert collisions(drawn(blank, draw_traffic(settings, look), look)) == []


@pytest.mark.parametrize("look", LOOKS, ids=["phone", "page", "wide page", "slide"])
@pytest.mark.parametrize("n", [128, 4096, 131072])
def test_labels_of_time_do_not_collide(blank, n, look):
    shown = recordings.nearest([(file.header, records.shipped(file.header, file.runs + file.out_of_memory))
                                 for file in saved.recorded()], DEFAULT.at(n))
    floor, bandwidth = recordings.unfused_floor(shown), shown.header["copy_gb_per_s"]
    figure = go.Figure(draw_time(records.timed(shown.runs), records.out_of_memory(shown.too_large), floor, bandwidth, n, look,
                                 DEFAULT.conditions))
    assert collisions(drawn(blank, figure, look)) == []


@pytest.mark.parametrize("template", [Template(text=28), Template(shape="4:3"), Template(shape="4:3", text=28, caption=False),
                                      Template(shape="square", text=28)], ids=lambda template: template.words)
def test_labels_fit_every_shape_of_slide(blank, template):
    sources = Sources([records.recording(file) for file in saved.recorded()])
    settings = Settings(AttentionProblem(4096, heads=16, dtype="float16"), Tiling(), DEFAULT.gpu)
    found = {name: collisions(drawn(blank, make(settings, sources).draw(template.look), template.look)) for name, make in FIGURES.items()}
    assert found == dict.fromkeys(FIGURES, [])
