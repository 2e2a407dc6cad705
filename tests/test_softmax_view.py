"""The softmax page: its controls, and that the player is mounted with the chosen row."""
import json

import pytest
from streamlit.testing.v1 import AppTest


def softmax_page():
    import streamlit as st

    from app.settings import Settings
    from app.views import softmax
    from traffic_model import DEFAULT_GPU, AttentionProblem, Tiling, find_gpu

    own = st.sidebar.container()
    softmax.show(Settings(AttentionProblem(4096, 128), Tiling(64, 32), find_gpu(DEFAULT_GPU)), own)


def opened(**link) -> AppTest:
    page = AppTest.from_function(softmax_page, default_timeout=30)
    for name, value in link.items():
        page.query_params[name] = value
    return page.run()


def payload(page: AppTest) -> dict:
    assert not page.exception
    (player,) = page.get("bidi_component")
    return json.loads(player.proto.json)


def test_it_opens_on_two_one_three_zero():
    shown = payload(opened())
    assert [key["score"] for tile in shown["tiles"] for key in tile] == [2, 1, 3, 0]
    assert shown["broken"] is None


def test_a_link_chooses_row_scores_break_and_seed():
    shown = payload(opened(row="real row", scores="a large late maximum", **{"break": "fp16 sums"}, seed="7"))
    assert shown["file"] == "tilescope_softmax_row_seed7_a_large_late_maximum_fp16_sums"
    assert shown["conditions"][1:5] == ["N = 512", "16 tiles of 32 keys", "d = 128", "float32"]


@pytest.mark.parametrize("link", [dict(row="<b>", scores="", seed="-4"), dict(row="real row", seed="1e9")], ids=str)
def test_a_hostile_link_opens_something_sensible(link):
    assert payload(opened(**link))["titles"]


def test_breaking_it_changes_the_picture():
    page = opened()
    page.selectbox(key="break").set_value("no rescale").run()
    assert payload(page)["titles"][-1] == "No rescale: the output still sums to 10, and is 30 % off"
    page.session_state["softmax_details"] = True
    page.run()
    assert "30 %" in page.dataframe[0].value["output O"].iloc[-1]


def test_a_real_rows_table_says_in_words_what_each_tile_did():
    page = opened(row="real row")
    page.session_state["softmax_details"] = True
    rows = page.run().dataframe[0].value
    assert list(rows)[:4] == ["tile", "maximum m", "factor α", "ℓ kept"] and len(rows) == len(payload(page)["steps"]) > 10
    assert (rows["sum ℓ"] / rows["ℓ in float64"] - 1).abs().max() < 1e-5
