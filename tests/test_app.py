"""The dashboard's logic, without a browser: links, titles, and what the controls change."""
import json
import re
from dataclasses import replace

import pytest
from example_runs import DEFAULT, run_record
from streamlit.testing.v1 import AppTest

from app import cached, controls, dropped, records
from app.views import run_here
from numba_kernels.agreement import disagreements

PAGE = """
import streamlit as st
from app import controls
from app.views import {page}
with st.sidebar:
    own, settings = st.container(), controls.read()
{page}.show(settings{own})
"""
WITH_CONTROLS = ("race", "warp", "slides")  # pages with controls of their own in the sidebar


def opened(page="traffic", **link) -> AppTest:
    """A page alone, as a link opens it; n=512 stands for ?n=512."""
    return _at(AppTest.from_string(PAGE.format(page=page, own=", own" * (page in WITH_CONTROLS)), default_timeout=60), link)


def frame(**link) -> AppTest:
    """The whole dashboard, likewise."""
    return _at(AppTest.from_file("../app/frame.py", default_timeout=60), link)


def _at(app, link) -> AppTest:
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


@pytest.mark.parametrize("link", [dict(n="abc"), dict(n="0"), dict(d="9999"), dict(br="-1", bc="1e9", gpu="", heads="null", kv_heads="0",
                                                                                    batch="∞", mask="<script>")], ids=str)
def test_a_hostile_link_opens_the_defaults(link):
    app = opened(**link)
    assert not app.exception and not app.error
    assert app.select_slider(key="n").value == 4096 and "16 heads · d = 64 · float16 · full" in app.sidebar.caption[0].value


def test_more_settings_are_drawn_when_open_or_changed():
    drawn = lambda app: [slider.key for slider in app.select_slider if slider.key in controls.OPENING_SHAPE]
    closed, changed, opened_by_hand = opened(), opened(heads="4"), opened()
    assert drawn(closed) == [] and drawn(changed) == ["d", "heads", "batch"]
    opened_by_hand.session_state["more"] = True
    assert drawn(opened_by_hand.run()) == ["d", "heads", "batch"]
    opened_by_hand.select_slider(key="heads").set_value(2).run()
    opened_by_hand.session_state["more"] = False
    assert "2 heads" in opened_by_hand.run().sidebar.caption[0].value and drawn(opened_by_hand)  # closed, what was changed lasts


def test_a_link_is_the_state():
    app = opened(n="512", br="32", mask="causal")
    assert app.select_slider(key="n").value == 512
    assert "float16 · causal · 32×64 tiles · H200 SXM" in app.caption[0].value


def test_an_illegal_tiling_names_the_largest_legal_one_and_leaves_the_sliders():
    app = frame(bc="256", d="128")
    [sentence] = [error.value for error in app.error]
    legal = int(re.search(r"the largest legal key tile is (\d+)\.$", sentence)[1])
    assert not app.exception
    app.select_slider(key="bc").set_value(legal).run()
    assert not app.error and not app.exception


def test_title_follows_the_sliders():
    app = opened()
    assert app.subheader[0].value.startswith("65× fewer")
    app.select_slider(key="n").set_value(8192).run()
    assert app.subheader[0].value.startswith("129× fewer")
    app.select_slider(key="br").set_value(16).run()
    assert app.subheader[0].value == "At N = 8,192 fused requests 1.99× the bytes that three ideal kernels must move"


def test_time_page_shows_recordings_for_any_settings():
    assert not opened("time").info
    other = opened("time", d="96", gpu="A100 SXM4 40GB", n="256")
    assert not other.exception and "Shown is what comes nearest" in other.info[0].value


def test_traffic_turns_to_what_is_held():
    app = opened(bytes="Held")
    assert app.subheader[0].value == "At N = 4,096 naive holds 33× the bytes of fused, and grows as N²"
    app.select_slider(key="n").set_value(131072).run()
    assert app.subheader[0].value == "At N = 131,072 naive needs 7.81× the GPU's memory, fused 0.8 % of it"


def test_time_is_split_by_kernel_and_the_title_kept_back():
    app = opened("time", split="By kernel", hide="true")
    assert not app.exception and app.subheader[0].value == "What do you expect?"
    app.toggle(key="hide").set_value(False).run()
    assert app.subheader[0].value == "At N = 4,096 naive spends 72 % of its time in scores"


def test_a_link_chooses_the_slide_and_its_template():
    app = opened("slides", figure="tiles-time", ground="dark", shape="square", text="28", caption="false", heads="2")
    assert not app.exception and [app.selectbox(key=key).value for key in ("figure", "shape", "text")] == ["tiles-time", "square", "28"]
    [command] = [code.value for code in app.code if code.value.startswith("python -m app export")]
    assert "--page tiles-time --ground dark --shape square --text 28 --no-caption" in command and "--heads 2" in command


def test_the_guided_path_says_where_a_step_is():
    for link, where in ((dict(step="3"), "step 3 is on Traffic"), (dict(step="9"), "the steps are 1 to 5"), (dict(step="x"), "1 to 5")):
        app = frame(**link)
        assert not app.exception and where in app.info[0].value
    app = frame(step="1")
    assert not app.info and not any("= 1 + N/d" in text.value for text in app.markdown)
    app.button(key="guide_answer").click().run()
    assert any("1 + N/d = 1 + 4096/64 = 65×" in text.value for text in app.markdown)


def test_runs_of_this_session_stand_beside_recorded_ones():
    app = opened("saved_runs")
    assert not app.exception and list(app.dataframe[0].value["runs_from"]) == ["recorded on NVIDIA H200"]
    app.session_state["runs"] = [records.live(run_record(replace(DEFAULT, problem=replace(DEFAULT.problem, dtype="float16")), "fused",
                                                         backend="cpu"))]
    app.run()
    assert not app.exception
    assert app.subheader[0].value == "Every cell was counted alike at 1 point in common; no times to compare"
    app.session_state["dropped"] = {"mine.jsonl": (dict(gpu="none"), app.session_state["runs"])}
    app.run()
    app.button(key="out_mine.jsonl").click().run()
    assert not app.exception and not app.session_state["dropped"]


def doctored(by: int) -> tuple[str, bytes]:
    """(what one cell was, a file of runs): a recorded run, its date a day of 2031, with that many bytes more in its first cell."""
    header, [run, *_] = cached.recorded_runs()[0]
    wrong = {name: value for name, value in run.items() if name not in ("when", "source")}
    wrong["ledger"] = [cell | dict(bytes=cell["bytes"] + by * (k == 0)) for k, cell in enumerate(run["ledger"])]
    lines = (header | dict(date="2031-01-02"), wrong)
    return str(run["ledger"][0]["bytes"]), "".join(json.dumps(line) + "\n" for line in lines).encode()


@pytest.mark.parametrize("page", ["saved_runs", "traffic"])
def test_counts_that_disagree_are_an_error_with_configuration_cell_and_sources(page, monkeypatch):
    looked = []
    monkeypatch.setattr(run_here, "disagreements", lambda runs: looked.append(1) or disagreements(runs))
    app = opened(page)
    for by in (0, 4):
        was, content = doctored(by)
        app.session_state["dropped"] = {"mine.jsonl": dropped.read("mine.jsonl", content)}
        app.run()
        assert not app.exception and len(app.error) == (by > 0)
    said = app.error[0].value
    assert "naive at N = 256, d = 64, 16 heads, " in said and "hbm read requested: " in said
    assert f"{was} the former, {int(was) + 4} the latter" in said
    assert "recorded on NVIDIA H200, 29 Nov 2026 and mine.jsonl (recorded on NVIDIA H200, 2 Jan 2031) counted differently" in said
    app.select_slider(key="n").set_value(2048).run()
    assert app.error and len(looked) == 3  # once for each set of sources
    app.session_state["dropped"] = {}
    assert not app.run().error


def test_a_run_of_this_session_that_disagrees_is_an_error():
    app = opened()
    run = records.live(run_record(replace(DEFAULT, problem=replace(DEFAULT.problem, dtype="float16")), "fused", backend="cpu"))
    app.session_state["runs"] = [run]
    assert not app.run().error
    app.session_state["runs"].append(run | dict(ledger=run["ledger"][1:]))
    [said] = [error.value for error in app.run().error]
    assert "absent in the latter" in said and "and this machine (cpu) counted differently" in said


def test_time_page_says_where_the_model_fails():
    app = opened("time")
    assert not any("off by more than" in text.value for text in app.caption)
    app.toggle(key="model").set_value(True).run()
    assert not app.exception and any("off by more than 25 %" in text.value for text in app.caption)


def test_roofline_page_opens_on_tensor_cores_and_turns_to_cuda_cores():
    app = opened("roofline", unit="nonsense")
    assert not app.exception
    assert app.subheader[0].value == "On tensor cores unfused is memory-bound, tensor-core fused at 60 % of their roof"
    app.segmented_control(key="unit").set_value("CUDA cores").run()
    assert app.subheader[0].value == "On CUDA cores softmax is left of the ridge, products and fused right"
    single = opened("roofline", dtype="float32")  # tensor cores would round it
    assert not single.exception and not single.segmented_control and single.subheader[0].value.startswith("On CUDA cores")


def test_roofline_page_works_the_share_of_the_roof_out():
    app = AppTest.from_string(PAGE.format(page="roofline", own=""), default_timeout=60)
    app.session_state["roofline_details"] = True
    app.run()
    [row] = [row for text in app.markdown for row in text.value.splitlines() if "tensor-core fused, of its roof" in row]
    tflops, roof, share = map(float, re.search(r"100·([\d.]+) ÷ (\d+) \| \*\*([\d.]+)", row).groups())
    assert not app.exception and share == round(100 * tflops / roof, 1)


def test_tiles_page_shows_bytes_time_and_occupancy():
    app = opened("tiles", d="128")
    assert app.subheader[0].value == "Up to Br = 32 fused requests more than three ideal kernels move"
    app.select_slider(key="d").set_value(16).run()
    assert app.subheader[0].value == "Every legal tiling requests less than three ideal kernels move"
    for view in ("Time", "Occupancy"):
        app.segmented_control(key="tiles").set_value(view).run()
        assert not app.exception and "64×64" in app.subheader[0].value


def test_warp_page_shows_padding_and_follows_the_rung():
    app = opened("warp", access="no such thing")
    assert not app.exception and app.subheader[0].value == "Padding turns 8 wavefronts into 1"
    app.toggle(key="bare").set_value(True).run()
    assert app.subheader[0].value == "Without padding: 8 wavefronts where 1 would do: 7 bank conflicts"
    app.selectbox(key="access").set_value("S hbm write").run()
    assert not app.exception and app.subheader[0].value == "32 lanes ask for 64 B; 64 B move: nothing wasted"
    app.selectbox(key="rung").set_value("naive").run()
    assert not app.exception and app.selectbox(key="access").value == "S hbm write"
    app.selectbox(key="rung").set_value("K/V-outer").run()  # it makes no such access
    assert not app.exception and app.subheader[0].value == "1 wavefront for 32 lanes, no bank conflict"


def test_proof_page_shows_the_recorded_validation():
    app = opened("proof")
    assert not app.exception and app.subheader[0].value.startswith("All ") and "recorded on NVIDIA H200" in app.caption[0].value
    before = app.dataframe[0].value
    app.selectbox(key="shape").select_index(1).run()
    assert not app.exception and not app.dataframe[0].value.equals(before)
