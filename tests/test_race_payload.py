"""What the race's script is given, and what the page shows below it."""
import json
import re

import pytest
from race_page import GPU, race

from app.race.bars import bars, heads_in_words
from app.race.film import html
from app.race.payload import LANES, payload
from app.race.rungs import Clock
from traffic_model import AttentionProblem, Measure, Refusal, Tiling, find_gpu, predict
from traffic_model.schedule_sweep import decode


@pytest.mark.parametrize("shown", [race(16384), race(16384, mask="causal"), race(131072, 16, 16), race(131072, 256, 16, mask="causal")],
                         ids=lambda shown: shown["file"])
def test_a_payload_of_65536_tiles_stays_small(shown):
    assert len(json.dumps(shown, separators=(",", ":"))) < 400_000
    assert len(shown["rows"]) - 1 <= 256 and len(shown["columns"]) - 1 <= 256


def test_a_payload_carries_the_predicted_bytes():
    shown = race(300, 32, 64, kv_len=500, mask="causal")
    for lane in shown["lanes"]:
        moved = sum(sum(decode(move[2])) for sweep in lane["sweeps"] for move in sweep[4])
        problem = AttentionProblem(300, kv_len=500, mask="causal")
        assert moved == predict(lane["name"], problem, Tiling(32, 64), GPU).compulsory_bytes


def test_blocks_of_several_tiles_are_announced():
    assert race(4096)["drawn"] == "Blocks drawn one by one."
    assert race(131072, 16, 256)["drawn"] == "Drawn 32×2 tiles at a time."


def test_conditions_file_name_and_shared_memory():
    shown = race(200, 64, 64, kv_len=900, head_dim=128, heads=8, batch=2, mask="causal")
    assert shown["conditions"] == ["N = 200", "M = 900", "d = 128", "float32", "one of 16 heads", "64×64 tiles", "causal"]
    assert shown["file"] == "tilescope_race_N200_M900_d128_float32_causal"
    layout = predict("fused", AttentionProblem(200, 128), Tiling(), GPU).layout
    assert shown["lanes"][1]["block"] == dict(shared=f"{layout.shared_bytes / 1024:g} of 227 KiB", threads="256 threads")
    assert race(4096)["lanes"][1]["block"] == dict(shared="54 of 227 KiB", threads="128 threads")


def test_heads_that_share_keys_and_values_are_named():
    assert race(512, heads=16, kv_heads=4)["conditions"][3] == "one of 16 heads, 4 share K and V"
    assert race(512, heads=16, clock=Clock.DRAM)["conditions"][3] == "16 heads, one drawn"
    assert race(512, clock=Clock.DRAM)["conditions"][3] == "one head"


def test_a_tiling_that_does_not_fit_is_refused():
    with pytest.raises(Refusal, match="largest legal key tile"):
        payload(AttentionProblem(512, 128), Tiling(64, 256), find_gpu("T4"))


def test_the_page_carries_everything_itself():
    page = html(race(512))
    assert not re.search(r"""(src|href)=(?!["']?data:)|https?://|@import|fetch\(|XMLHttpRequest""", page)
    assert "</script" not in page.split('<script type="module">')[1].split("</script>")[0]


def test_bars_are_to_scale_over_all_heads():
    problem = AttentionProblem(4096, heads=16, kv_heads=4)
    naive, fused = (predict(name, problem, Tiling(), GPU).compulsory_bytes for name in ("naive", "fused"))
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", bars(problem, Tiling(), GPU, LANES, Measure.COMPULSORY))]
    assert re.findall(r"light-dark\((#\w+), (#\w+)\)", bars(problem, Tiling(), GPU, LANES, Measure.COMPULSORY)) == [
        ("#D55E00", "#F28E4B"), ("#0072B2", "#56B4E9")]
    assert widths == pytest.approx([100, 100 * fused / naive], rel=1e-3)
    assert heads_in_words(problem) == "all 16 heads (4 key/value heads)"
    assert heads_in_words(AttentionProblem(64, batch=2)) == "one head, batch 2"
