"""The numbers in a page's title are the figure's own data, whether the claim is won or lost: recomputed here from the records."""
import math
import re
from collections import defaultdict
from statistics import median

import pytest
from example_runs import DEFAULT, recording, run_record
from test_charts import texts

from app import records
from app.charts.look import page_look
from app.figures import FIGURES, Figure, Sources
from app.settings import Settings
from traffic_model import AttentionProblem, Tiling, find_gpu

H200 = DEFAULT.gpu
WON = Settings(AttentionProblem(4096, heads=16, dtype="float16"), Tiling(), H200)
SIX = [WON, WON.at(131072), Settings(AttentionProblem(1024, 128, 4, mask="causal"), Tiling(128, 64), H200),
       Settings(AttentionProblem(2048, 80, 8, 2, 2), Tiling(32, 16), find_gpu("T4")),
       Settings(AttentionProblem(512, 128, 8), Tiling(16, 64), H200),
       Settings(AttentionProblem(8192, 256, dtype="bfloat16"), Tiling(16, 16), H200)]
LOST = SIX[3:]  # fused requests more than three ideal kernels must move


def said(title: str) -> list[str]:
    return re.findall(r"\d[\d,]*(?:\.\d+)?", title)


def is_rounded(text: str, value: float) -> bool:
    """Whether the text is the value, to the text's last digit."""
    unit = 10.0 ** -len(text.partition(".")[2])
    return abs(float(text.replace(",", "")) - value) <= unit * (1 + 1e-9) / 2


def assert_says(figure: Figure, *values: float) -> None:
    texts = said(figure.title)
    assert len(texts) == len(values) and all(map(is_rounded, texts, values)), (figure.title, values)


@pytest.fixture(scope="module")
def sources():
    from numba_kernels import saved

    return Sources([records.recording(file) for file in saved.recorded()])


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
def test_traffic(settings, sources):
    figure, n, moved = FIGURES["traffic"](settings, sources), settings.n, defaultdict(int)
    cells = {(r["algorithm"], r["measure"], r["array"], r["direction"]): r["bytes"] for r in figure.records  # in the line and by itself
             if (r["n"], r["space"], r["kind"]) == (n, "hbm", "predicted")}
    for (algorithm, measure, *_), size in cells.items():
        moved[algorithm, measure] += size
    three, fused, asked = moved["naive", "compulsory"], moved["fused", "compulsory"], moved["fused", "requested"]
    assert (asked > three) == (settings in LOST)
    assert_says(figure, *((n, asked / three) if settings in LOST else (three / fused, n)))


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
def test_tiles(settings, sources):
    figures = {name: FIGURES[name](settings, sources) for name in ("tiles-bytes", "tiles-time", "tiles-occupancy")}
    legal = [r for r in figures["tiles-bytes"].records if r["legal"]]
    here = next(r for r in legal if r["block_q"] == settings.tiling.block_q and r["block_k"] == settings.tiling.block_k)
    rows = {block: [r["ratio"] for r in legal if r["block_q"] == block] for block in sorted({r["block_q"] for r in legal})}
    above, below = ([block for block, ratios in rows.items() if test(ratios)] for test in (lambda r: min(r) > 1.05, lambda r: max(r) < .95))
    assert settings not in LOST or settings.tiling.block_q in above
    every = len(rows) in (len(above), len(below))
    assert_says(figures["tiles-bytes"], *([] if every else [max(above)] if above else [min(below)]))
    assert ("requests more" in figures["tiles-bytes"].title) == bool(above)
    best, mine = min((r for r in legal if r["hidden"]), key=lambda r: r["ms"], default=None), (here["block_q"], here["block_k"])
    gains = here["hidden"] and here["ms"] > 1.05 * best["ms"]
    other = here["hidden"] and best is not None and (best["block_q"], best["block_k"])
    assert ("predicted to be" in figures["tiles-time"].title) == gains
    assert_says(figures["tiles-time"], *((*other, here["ms"] / best["ms"], *mine) if gains else () if best is None else
                                         (*mine, *other) if other and other != mine else mine))
    assert is_rounded(said(figures["tiles-occupancy"].title)[-1], 100 * here["occupancy"])


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
def test_held(settings, sources):
    figure = FIGURES["traffic-held"](settings, sources)
    held = {r["algorithm"]: r["bytes"] for r in figure.records if r["n"] == settings.n}
    memory = settings.gpu.dram_gb * 1e9
    if held["naive"] > memory:
        assert_says(figure, settings.n, held["naive"] / memory, 100 * held["fused"] / memory)
    else:
        assert_says(figure, settings.n, *([held["naive"] / held["fused"]] if held["naive"] > 1.05 * held["fused"] else []))


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
@pytest.mark.parametrize(("naive", "tiled", "fused"), [(60, 8, 2), (60, 2, 8), (8, 60, 60)], ids=["wins", "fusion loses", "tiling loses"])
def test_time(settings, naive, tiled, fused):
    """Every claim in two directions, at whatever settings were recorded."""
    header, runs = recording(settings, [settings.n])
    runs = [run_record(settings, name, times) for name, times in
            (("naive", (naive - 1, naive, naive + 3)), ("tiled", (tiled, tiled, tiled + 1)), ("fused", (fused / 2, fused, 3 * fused)))]
    figure = FIGURES["time"](settings, Sources([(header, records.shipped(header, runs))]))
    whole = {run["algorithm"]: sum(median(kernel["times_ms"]) for kernel in run["kernels"]) for run in runs}
    gains = whole["naive"] / whole["tiled"], whole["tiled"] / whole["fused"]
    words = ["gains" if gain > 1.05 else "loses" if gain < .95 else "gains nothing" for gain in gains]
    assert re.findall(r"gains nothing|gains|loses", figure.title) == words
    assert_says(figure, settings.n, *(max(gain, 1 / gain) for gain, word in zip(gains, words) if word != "gains nothing"))
    by_kernel = FIGURES["time-by-kernel"](settings, Sources([(header, records.shipped(header, runs))]))
    kernels = {(run["algorithm"], kernel["name"]): median(kernel["times_ms"]) for run in runs[:2] for kernel in run["kernels"]}
    slowest = max(kernels, key=kernels.get)
    assert_says(by_kernel, settings.n, 100 * kernels[slowest] / whole[slowest[0]])
    assert f" {slowest[0]} spends " in by_kernel.title


@pytest.mark.parametrize("name", ["time", "time-by-kernel"])
@pytest.mark.parametrize(("timed", "n", "said"), [
    (dict(naive=[1024, 4096], fused=[1024, 4096]), 4096, ""),
    (dict(naive=[1024, 4096], fused=[1024, 4096]), 3072, "N = 4,096 is the nearest length timed for all · "),
    (dict(naive=[1024, 4096], fused=[1024, 4096, 65536]), 65536, "N = 4,096 is the nearest length timed for all · "),
    (dict(naive=[1024], tiled=[4096], fused=[4096]), 1024, "N = 4,096 is the nearest length timed for 2 of 3 · "),
    (dict(fused=[2048]), 128, "N = 2,048 is the nearest length timed for all · ")])
def test_time_says_why_its_title_is_of_another_length(name, timed, n, said):
    header, _ = recording(DEFAULT, [])
    runs = records.shipped(header, [run_record(DEFAULT.at(m), algorithm) for algorithm, lengths in timed.items() for m in lengths])
    figure = FIGURES[name](DEFAULT.at(n), Sources([(header, runs)]))
    assert figure.conditions == f"{said}{DEFAULT.conditions} · H200 SXM · L2 warm"
    at = re.match(r"N = ([\d,]+)", figure.conditions)
    assert figure.title.startswith(f"At N = {at[1] if at else f'{n:,}'} ")


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
def test_roofline(settings, sources):
    """It says on which side of the ridge the unfused kernels and fused are, and how near fused was timed to the lower roof."""
    figure = FIGURES["roofline-tensor-cores"](settings, sources)
    ridge = float(re.search(r"ridge at ([\d,.]+)", figure.note)[1].replace(",", ""))
    here = {r["kernel"]: r["intensity"] for r in figure.records if r.get("n") == settings.n and r["algorithm"] != "tiled"}
    if "tensor cores" in figure.title:
        unfused, fused = here["naive"], here["fused"]
        assert ("memory-bound" in figure.title) == (unfused < ridge) and ("both memory-bound" in figure.title) == (fused < ridge)
        timed = [r for r in figure.records if r["algorithm"] == "fused_tensor_core"]
        assert ("fused is not" in figure.title) == (unfused < ridge < fused and not timed)
        nearest = min(timed, key=lambda r: abs(math.log(r["n"] / settings.n)), default=None)
        elsewhere = [nearest["n"]] if timed and nearest["n"] != settings.n else []
        roof = float(re.search(r"([\d,.]+) TFLOP/s</b><br>tensor cores", texts(figure.draw(page_look("light"))))[1])
        assert_says(figure, *([100 * nearest["flops"] / nearest["ms"] / 1e9 / roof, *elsewhere] if timed else []))
    else:
        left = re.findall("softmax|products|fused", figure.title.partition(" left of the ridge")[0])
        kernels = dict(softmax="softmax", products="scores", fused="fused")
        assert left == [name for name, kernel in kernels.items() if here[kernel] < ridge]


@pytest.mark.parametrize("settings", SIX, ids=lambda s: f"{s.n} {s.conditions}")
def test_warp(settings, sources):
    figure, words = FIGURES["warp"](settings, sources), defaultdict(set)
    for lane in figure.records:
        words[lane["bank"]].add(lane["byte"] // 4)
    turns = max(map(len, words.values()))  # a bank gives one word a turn
    unpadded = said(figure.title)[0]
    assert_says(figure, int(unpadded), turns)
    assert figure.title.startswith("Padding turns ") and int(unpadded) > turns == 1
