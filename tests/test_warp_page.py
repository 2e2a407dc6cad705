"""The Warp page's picture: the numbers are the model's, the boxes are where the addresses are, labels fit, and a trace agrees."""
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from example_runs import DEFAULT, ODD
from test_charts_labels import drawn
from viewer import collisions

from app import warp
from app.charts import warp as chart
from app.charts.claims import warp_claim
from app.charts.look import page_look, slide_look
from app.race.rungs import Rung
from traffic_model.vocabulary import WORD

SHORT = DEFAULT.at(128)
SHOWN = [(Rung.TILED, "K shared write", True), (Rung.TILED, "K shared write", False), (Rung.TILED, "S shared write", True),
         (Rung.NAIVE, "K hbm read", True), (Rung.NAIVE, "S hbm read", True), (Rung.FUSED, "O hbm write", True),
         (Rung.KV_OUTER, "STATS hbm write", True), (Rung.NAIVE, "Q hbm read", True)]


def draw(rung, access, padded, settings=DEFAULT, look=None, number=1):
    chosen = warp.shown(rung, settings, access, number, padded)
    return chosen, go.Figure(chart.warp(warp.records(chosen), warp.summary(chosen), look or page_look("light"), settings.conditions))


@pytest.mark.parametrize(("rung", "access", "padded", "title"), [
    (Rung.TILED, "K shared write", True, "Padding turns 8 wavefronts into 1"),
    (Rung.TILED, "K shared write", False, "Without padding: 8 wavefronts where 1 would do: 7 bank conflicts"),
    (Rung.TILED, "S shared write", True, "4 wavefronts where 1 would do: 3 bank conflicts"),
    (Rung.FUSED, "Q shared read", True, "1 wavefront for 32 lanes, no bank conflict"),
    (Rung.NAIVE, "K hbm read", True, "32 lanes ask for 128 B; 1,024 B move"),
    (Rung.NAIVE, "S hbm write", True, "32 lanes ask for 128 B; 128 B move: nothing wasted"),
    (Rung.NAIVE, "Q hbm read", True, "32 lanes ask for 128 B; 32 B move: they share"),
])
def test_titles(rung, access, padded, title):
    assert warp_claim(warp.summary(warp.shown(rung, DEFAULT, access, padded=padded))) == title


@pytest.mark.parametrize("rung", Rung)
def test_every_access_of_every_rung_can_be_shown(rung):
    listed = warp.accesses(rung, ODD)
    assert len(listed) == len(set(listed)) >= 8
    for access in listed:
        chosen, figure = draw(rung, access, False, ODD, number=99)
        assert chosen.number <= chosen.kinds and figure.data
        assert eval(warp.summary(chosen)["measures"][0]["of"].split(" lane")[0]) == len(warp.records(chosen))


def test_each_product_comes_to_its_bytes():
    for rung, access, padded in SHOWN:
        for measure in warp.summary(warp.shown(rung, DEFAULT, access, padded=padded))["measures"]:
            many, size = (int(part.split()[0]) for part in measure["of"].split(" × "))
            assert many * size == measure["bytes"]


def test_words_stand_in_their_banks():
    chosen, figure = draw(Rung.TILED, "K shared write", False)
    words = {lane["byte"] // WORD for lane in warp.records(chosen)}
    below = [trace for trace in figure.data if trace.fill == "toself" and min(filter(None, trace.y)) > 5]
    drawn_words = max(below, key=lambda trace: len(set(trace.y)))
    columns = {int(left) for left in drawn_words.x[::6]}
    assert columns == {word % 32 for word in words} == {0, 1, 2, 3} and len(drawn_words.x) == 6 * len(words) == 6 * 32


@pytest.mark.parametrize("look", [page_look("dark"), slide_look("light")], ids=["page", "slide"])
def test_labels_do_not_collide(blank, look):
    for rung, access, padded in SHOWN:
        for settings in (DEFAULT, replace(ODD, problem=replace(ODD.problem, mask="full"))):
            _, figure = draw(rung, access, padded, settings, look)
            assert collisions(drawn(blank, figure, look)) == [], (rung, access)


def test_a_traced_block_does_what_was_predicted():
    said = warp.traced(Rung.NAIVE, SHORT, "K hbm read")
    assert said == ("Traced on this machine (cpu), N = 128, one head, block 0 of scores: 512 warp accesses to K hbm read, "
                    "65.5 kB requested, all as predicted.")


def test_a_trace_that_differs_is_not_called_as_predicted(monkeypatch):
    other = warp.SOURCES | dict(naive=lambda problem, layout: warp.SOURCES["tiled"](
        problem, warp.LAYOUTS["tiled"].resolve(problem, DEFAULT.tiling, DEFAULT.gpu)))
    monkeypatch.setattr(warp, "SOURCES", other)
    assert "512 warp accesses to K hbm read, 65.5 kB requested, 0 as predicted." in warp.traced(Rung.NAIVE, SHORT, "K hbm read")
