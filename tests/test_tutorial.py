"""The tutorial: its commands print what it shows, every number in it is computed here, its links set what the dashboard offers."""
import math
import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from statistics import median

import pytest
from streamlit.testing.v1 import AppTest
from test_documentation import MAINS

from app import lasting, results, tutorial
from app.softmax.online import steps
from app.softmax.rows import Scores, hand
from app.tutorial import FILES, FOLDER
from app.views import tutorial as view
from numba_kernels import hardware, saved
from traffic_model import Array, AttentionProblem, Direction, Measure, Space, Tiling, find_gpu, predict
from traffic_model.io_complexity import tie_tile
from traffic_model.units import decimal_bytes, milliseconds, percent, ratio

H200 = find_gpu("H200 SXM")
SQUARE = Tiling(64, 64)
HALF = AttentionProblem(4096, 64, heads=16, dtype="float16")  # what the commands ask for
FENCED = re.compile(r"^```\n(.*?)^```\n", flags=re.M | re.S)
NUMBER = re.compile(r"(?<!\w)\d+(?:,\d{3})*(?:\.\d+)?")
NOT_PROSE = re.compile(r"^```\n.*?^``` |\]\(\S+\)|`[^`]*`|4·N|2·N", flags=re.M | re.S)


def hbm(algorithm: str, problem=HALF, tiling=SQUARE, measure=Measure.REQUESTED, array=None, direction=None) -> int:
    return predict(algorithm, problem, tiling, H200).ledger.total(measure, array, Space.HBM, direction)


def recorded(algorithm: str, dtype: str, n=4096, head_dim=64) -> str:
    """The recorded time, as written for people."""
    wanted = AttentionProblem(n, head_dim, heads=16, dtype=dtype).record()
    [run] = [run for file in saved.recorded() for run in file.runs if (run["algorithm"], run["problem"]) == (algorithm, wanted)]
    return milliseconds(median(saved.total_times_ms(run)))


def memory_bound() -> list[str]:
    intensity = lambda problem: problem.flops / problem.compulsory_three_kernel_bytes
    longest = AttentionProblem(2**24, 64, dtype="float16")
    large = AttentionProblem(16384, 256, heads=16, dtype="float16")
    memory, peak = H200.dram_gb_per_s, H200.fp16_bf16_tflops
    ridge, reached = peak * 1e3 / memory, intensity(large) * memory / 1e3
    assert intensity(longest) < 64 / 2 and round(intensity(longest), 3) == 32 and intensity(large) < ridge
    return [f"d = 64, in 2-byte elements and N = 4,096, it is {intensity(HALF):.1f} FLOP/B", "below 32", f"do {peak:.0f} TFLOP/s",
            f"{memory:,.0f} GB/s", f"{ridge:.0f} FLOP", f"under {intensity(HALF) * memory / 1e3:.0f} of the {peak:.0f} TFLOP/s",
            f"at {H200.fp32_tflops * 1e3 / memory:.1f} FLOP/B", f"at {intensity(AttentionProblem(4096, 64, heads=16)):.1f}:", "in float32",
            "sizes up to 256", "N = 16,384", f"128 ÷ (1 + 256 ÷ 16,384) = {intensity(large):.1f} FLOP/B, left of the ridge at {ridge:.0f}",
            f"{reached:.0f} of {peak:.0f} TFLOP/s, which is {percent(reached / peak)}"]


def tiling() -> list[str]:
    tall = Tiling(128, 64)
    asked = lambda array, tiles: decimal_bytes(hbm("tiled", tiling=tiles, array=array))
    assert asked(Array.K, SQUARE) == asked(Array.V, SQUARE) and asked(Array.K, tall) == asked(Array.V, tall)
    assert all(asked(array, tall) == asked(array, SQUARE) for array in (Array.Q, Array.S, Array.P, Array.O))
    both, taller = (decimal_bytes(hbm("tiled", tiling=tiles)) for tiles in (SQUARE, tall))
    return ["N = 4,096 with 64×64 tiles and 16 heads", f"{ratio(hbm('naive') / hbm('tiled'))} fewer", "2·d elements",
            f"from {recorded('naive', 'float16')} to {recorded('tiled', 'float16')}",
            f"{decimal_bytes(hbm('tiled', measure=Measure.COMPULSORY))} compulsory", "Br = 128 and Bc = 64", f"of the {both}?",
            f"{4096 // 128} times, not {4096 // 64}", f"from {asked(Array.K, SQUARE)} to {asked(Array.K, tall)}",
            f"the sum from {both} to {taller}"]


def online_softmax() -> list[str]:
    row = hand(Scores.LATE)
    first, second = steps(row.tiles, row.values)
    assert [tile.tolist() for tile in row.tiles] == [[2, 1], [0, 5]] and math.isclose(second.alpha, math.exp(-3), rel_tol=1e-6)
    share, wrong = second.kept_l / second.l, first.l / (first.l + math.exp(-5) + 1)
    return ["each of the 4 query tiles", "scores are 2 and 1, then 0 and 5", f"m = {first.m:.0f} and ℓ = 1 + exp(−1) = {first.l:.3f}",
            f"raises m to {second.m:.0f}, so α = exp(−3) = {second.alpha:.4f}",
            f"{second.alpha:.4f} × {first.l:.3f} + exp(−5) + 1 = {second.l:.4f}", f"weighs {percent(share)} of the row",
            f"weigh {percent(wrong)}"]


def requested_and_dram() -> list[str]:
    at = lambda n: AttentionProblem(n, 64, heads=16, dtype="float16")
    short, long = ([hbm("fused", at(n), measure=measure, direction=Direction.READ) for measure in (Measure.COMPULSORY, Measure.REQUESTED)]
                   for n in (65536, 131072))
    [near], [far] = (predict("fused", at(n), SQUARE, H200).dram for n in (65536, 131072))
    assert long[0] == 2 * short[0] and round(long[1] / short[1], 2) == 4
    [row] = [row for row in results.ladder.rows(saved.recorded(), hardware.recorded_launches()) if (row.n, row.name) == (65536, "fused")]
    single = AttentionProblem(65536, 64, heads=16)
    [modelled] = predict("fused", single, SQUARE, H200).dram
    assert modelled.read_bytes == pytest.approx(row.dram[0], rel=.05)
    must = hbm("fused", single, measure=Measure.COMPULSORY, direction=Direction.READ)
    mib = lambda moved: f"{moved.between_bytes / 2**20:.2f}"
    size = decimal_bytes
    return [f"At N = 65,536 the fused kernel asks for {size(short[1])}, must read {size(short[0])}", f"reads {size(near.read_bytes)} from",
            f"hold {mib(near)} of its {H200.l2_mib:.0f} MiB", "In float32", f"{size(row.requested)} are requested",
            f"and {size(must)} compulsory", f"model says {size(modelled.read_bytes)}", f"recorded on an H200, {size(row.dram[0])}",
            "Double N to 131,072", f"from {size(short[0])} to {size(long[0])}", f"from {size(short[1])} to {size(long[1])}",
            f"{ratio(far.read_bytes / near.read_bytes)}, from {size(near.read_bytes)} to {size(far.read_bytes)}",
            f"{mib(far)} of {H200.l2_mib:.0f} MiB"]


def when_fused_loses() -> list[str]:
    wide = AttentionProblem(4096, 128, heads=16, dtype="float16")
    asks = {rows: ratio(hbm("fused", wide, Tiling(rows, 64)) / wide.compulsory_three_kernel_bytes) for rows in (16, 32, 64, 128)}
    twice = hbm("fused", tiling=Tiling(16, 64)) / HALF.compulsory_three_kernel_bytes
    [launch] = predict("fused_kv_outer", HALF, SQUARE, H200).kernels
    blocks = lambda algorithm: math.prod(predict(algorithm, AttentionProblem(256, 128, 16), SQUARE, H200).kernels[0].launch.grid)
    assert round(twice, 1) == 2 and math.prod(launch.launch.grid) == 16
    return [f"At d = 64 that is {tie_tile('fused', HALF):.0f} rows; with 16", f"16 blocks on {H200.multiprocessors} multiprocessors",
            "16 heads, N = 4,096, d = 64 in float32", f"took {recorded('fused_kv_outer', 'float32')},",
            f"`fused` {recorded('fused', 'float32')}, and", f"{recorded('tiled', 'float32')}.",
            "At 16 heads, N = 256 and d = 128 in float32", f"{blocks('fused')} blocks for {H200.multiprocessors} multiprocessors",
            f"come in {blocks('tiled')}.", f"took {recorded('tiled', 'float32', 256, 128)} and",
            f"{recorded('fused', 'float32', 256, 128)}.", "d = 128 and N = 4,096, 16 heads in 2-byte elements",
            "16, 32, 64 and 128", f"at Br = {tie_tile('fused', wide):.0f}", "With 16 and 32 rows", f"{asks[16]} and {asks[32]}",
            f"With 64 it asks for {asks[64]}", f"with 128 for {asks[128]}"]


LINKED = """
import streamlit as st
from app import controls
from app.views import {page}
with st.sidebar:
    own, settings = st.container(), controls.read()
{page}.show(settings{own})
"""
SHOWN = """
from app.settings import OPENING
from app.views import tutorial
tutorial.show(OPENING, {number})
"""
COMPUTED = (memory_bound, tiling, online_softmax, requested_and_dram, when_fused_loses)
each = pytest.mark.parametrize(("name", "computed"), list(zip(FILES, COMPUTED, strict=True)), ids=FILES)


def unfounded(text: str, computed: list[str]) -> list[str]:
    """What was computed and is not said, and numbers that are said and were not computed."""
    prose = NOT_PROSE.sub(" ", text)
    known = {number for phrase in computed for number in NUMBER.findall(phrase)}
    said = " ".join(text.split())
    return [phrase for phrase in computed if phrase not in said] + [number for number in NUMBER.findall(prose) if number not in known]


def unprinted(text: str) -> list[str]:
    """Lines shown below the commands of a text that these do not print."""
    found = []
    for fenced in FENCED.findall(text):
        command, _, shown = fenced.partition("\n")
        _, _, module, *arguments = shlex.split(command)
        with redirect_stdout(StringIO()) as out:
            assert MAINS[module](arguments) == 0
        found += [line for line in shown.splitlines() if line and line.split() not in map(str.split, out.getvalue().splitlines())]
    return found


@each
def test_every_number_is_computed(name, computed):
    assert unfounded((FOLDER / name).read_text(encoding="utf-8"), computed()) == []


@pytest.mark.parametrize("name", FILES)
def test_commands_print_what_is_shown(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert FENCED.findall(text) and unprinted(text) == []


@pytest.mark.parametrize("number", range(1, len(FILES) + 1))
def test_a_link_sets_what_the_dashboard_offers(number):
    part = tutorial.tutorial()[number - 1]
    app = AppTest.from_string(LINKED.format(page=part.page or "race", own=", own" * (part.page in ("", "softmax"))), default_timeout=60)
    for name, value in part.settings.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception and not app.error and lasting.NOT_OFFERED not in app.session_state
    controls = [*app.select_slider, *app.selectbox]
    assert {each.key: str(each.value) for each in controls if each.key in part.settings} == part.settings


@pytest.mark.parametrize("number", range(1, len(FILES) + 1))
def test_the_dashboard_shows_a_part_and_what_comes_before_and_after(number):
    app = AppTest.from_string(SHOWN.format(number=number), default_timeout=60).run()
    part = tutorial.tutorial()[number - 1]
    assert not app.exception and app.subheader[0].value == part.title
    texts = [text.value for text in app.markdown]
    assert texts == [part.text, f"There: {part.look}", f"**Exercise.** {part.exercise}", part.answer]
    assert app.expander[0].label == "Answer" and not app.expander[0].proto.expanded
    [link] = app.get("link_button")
    assert link.proto.url == view.address(part)
    others = [view.path(other) for other in (number - 1, number + 1) if 1 <= other <= len(FILES)]
    assert [each.proto.page for each in app.get("page_link")] == others


def test_both_are_able_to_fail():
    text = (FOLDER / FILES[0]).read_text(encoding="utf-8")
    assert unfounded(text.replace("31.5 FLOP/B", "31.6 FLOP/B"), memory_bound()) == [memory_bound()[0], "31.6"]
    assert unfounded(text + "It is 77 times faster.\n", memory_bound()) == ["77"]
    [line] = unprinted(text.replace("2048.0  right", "2047.0  right"))
    assert "2047.0" in line
    with pytest.raises(ValueError, match="a part has"):
        tutorial.parse(text.replace("## Answer", "## Solution"))
