"""The race's page: what stands below the player, and that the player is mounted with the settings' payload."""
import json

from streamlit.testing.v1 import AppTest

from app.race.receipts import ledger_cells, receipt
from traffic_model import DEFAULT_GPU, AttentionProblem, Measure, Tiling, find_gpu, predict

GPU = find_gpu(DEFAULT_GPU)


def race_page(**shape):
    import streamlit as st

    from app.settings import Settings
    from app.views import race
    from traffic_model import DEFAULT_GPU, AttentionProblem, Tiling, find_gpu

    own = st.sidebar.container()
    race.show(Settings(AttentionProblem(**shape), Tiling(64, 32), find_gpu(DEFAULT_GPU)), own)


def test_the_page_shows_the_race_its_limits_and_its_numbers():
    shape = dict(seq_len=4096, heads=16, mask="causal")
    page = AppTest.from_function(race_page, kwargs=shape).run(timeout=30)
    assert not page.exception
    (player,) = page.get("bidi_component")
    assert json.loads(player.proto.json)["file"] == "tilescope_race_N4096_d64_float32_causal"
    assert not page.dataframe  # closed, it is not drawn, and the browser need not load what draws tables
    page.session_state["race_details"] = True
    page.run()
    formulas = " ".join(text.value for text in page.expander[0].markdown)
    for name in ("naive", "fused"):
        ledger = predict(name, AttentionProblem(**shape), Tiling(64, 32), GPU).ledger
        assert receipt(ledger_cells(ledger, Measure.COMPULSORY)) in formulas
    assert {"naive", "fused"} == set(page.dataframe[0].value["algorithm"])
    assert "What it leaves out" in " ".join(text.value for text in page.markdown)
