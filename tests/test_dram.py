"""The DRAM model: against a recorded sweep, on configurations that the fit has not seen; and what must hold on any GPU."""
import json
from dataclasses import replace
from statistics import median

import compare_dram
import numpy as np
import pytest
from compare_dram import BEYOND, CROSSES, FITS, REGIMES, Launch, launches

from numba_kernels import hardware
from traffic_model import AttentionProblem, Direction, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model.dram import MOVES, naive
from traffic_model.dram.cache import Cache
from traffic_model.dram.constants import CONSTANTS
from traffic_model.dram.places import REGISTERS
from traffic_model.dram.recency import Recency
from traffic_model.dram.waves import Walkers
from traffic_model.gpus import rows

H200, T4 = find_gpu("H200 SXM"), find_gpu("T4")


@pytest.fixture(scope="module")
def errors() -> dict[str, list[float]]:
    """Of each regime, rising: launches of held-out configurations. Those of 64 heads take long and show what 16 show."""
    found = {regime: [] for regime in REGIMES}
    for launch in launches():
        if launch.held_out and launch.problem.heads < 64:
            found[launch.regime].append(abs(launch.error()))
    return {regime: sorted(some) for regime, some in found.items()}


def test_each_regime_has_a_quarter_of_the_launches_or_so(errors):
    total = sum(map(len, errors.values()))
    assert total > 300 and all(len(some) > .24 * total for some in errors.values())


@pytest.mark.parametrize(("regime", "middle", "nine_of_ten", "worst"), [(FITS, .01, .05, .13), (CROSSES, .01, .08, .40),
                                                                        (BEYOND, .015, .11, .35)])
def test_errors_on_held_out_configurations(errors, regime, middle, nine_of_ten, worst):
    """The aim was a median of 3 % and a worst case of 10 %: the first is reached in every regime, the second in none. README says so."""
    assert median(errors[regime]) < middle < compare_dram.TARGETS[0]
    assert errors[regime][len(errors[regime]) * 9 // 10] < nine_of_ten
    assert compare_dram.TARGETS[1] < errors[regime][-1] < worst


def test_errors_on_what_was_recorded_later():
    """At lengths and heads that no constant had seen; since then they made ONE_SIDE 8 instead of 4. README says so too."""
    later = launches("dram_later")
    known, new = ({(each.algorithm, each.problem, each.tiling) for each in some} for some in (launches(), later))
    assert not known & new
    found = {regime: sorted(abs(each.error()) for each in later if each.regime == regime) for regime in REGIMES}
    assert len(later) == 423 and all(len(some) > len(later) / 4 for some in found.values())
    assert [round(100 * median(some), 1) for some in found.values()] == [1.3, .9, .8]
    assert round(100 * sum(error <= compare_dram.TARGETS[1] for some in found.values() for error in some) / len(later)) == 85


def test_all_kernels_of_a_configuration_are_on_one_side():
    sides = {}
    for launch in launches():
        sides.setdefault((launch.algorithm, launch.problem, launch.tiling), set()).add(launch.held_out)
    assert all(len(side) == 1 for side in sides.values()) and {True, False} == set.union(*sides.values())
    assert .4 < sum(True in side for side in sides.values()) / len(sides) < .6


@pytest.mark.parametrize("algorithm", MOVES)
@pytest.mark.parametrize("gpu", [H200, T4], ids=lambda gpu: gpu.name)
def test_reads_are_between_compulsory_and_everything_named(algorithm, gpu):
    grouped = AttentionProblem(1000, 80, 4, 2, 2, mask="causal", dtype="float16")
    for problem in (grouped, AttentionProblem(20, 16), AttentionProblem(4096, heads=2)):
        prediction = predict(algorithm, problem, Tiling(32, 16), gpu)
        read = lambda kernel, measure: kernel.ledger.total(measure, space=Space.HBM, direction=Direction.READ)
        for kernel, dram in zip(prediction.kernels, prediction.dram, strict=True):
            assert dram.name == kernel.name
            assert read(kernel, Measure.COMPULSORY) < dram.read_bytes == pytest.approx(
                read(kernel, Measure.COMPULSORY) + dram.again_bytes + CONSTANTS.launch_bytes, abs=2)
            assert dram.again_bytes <= 2 * read(kernel, Measure.REQUESTED) and 0 <= dram.write_bytes


def test_a_small_l2_shows_what_a_large_one_hides():
    at = lambda gpu: predict("fused", AttentionProblem(16384, heads=4), Tiling(), gpu).dram[0]
    assert at(H200).read_bytes < 1.2 * AttentionProblem(16384, heads=4).query_bytes * 3 < at(T4).read_bytes / 3
    larger = replace(T4, l2_mib=400)
    assert at(larger).again_bytes < 10_000_000 < at(T4).again_bytes


def test_blocks_that_keep_pace_read_the_keys_once_per_wave():
    """No drift, keys far larger than L2: three waves of a head, three passes."""
    visits = np.full(12, 64)
    walkers = Walkers(visits, 1, 1, 4, 1, False, 64e6, 0)
    cache = Cache(1e6, replace(CONSTANTS, spread=0, stall=0, capacity_share=1, always_lost=0))
    assert walkers.again(cache) == pytest.approx(2 * 64e6, rel=1e-6)
    assert walkers.again(replace(cache, size=1e9)) == pytest.approx(0, abs=1)
    assert replace(walkers, visits=visits[:4]).again(cache) == 0  # one wave


def test_few_blocks_lose_half_as_soon_as_one_side_is_full_and_the_rest_when_both_are():
    cache = Cache.of(H200, replace(CONSTANTS, always_lost=0))
    one_side = CONSTANTS.side_capacity_share * cache.size
    assert [cache.lost_in_loop(share * one_side, 8) for share in (.5, 1.5, 3)] == pytest.approx([0, .5, 1], abs=.01)
    assert cache.lost_in_loop(one_side, 9) == Cache.of(T4, cache.constants).lost_in_loop(one_side / H200.l2_mib * T4.l2_mib, 1) < .1


def test_a_causal_mask_has_fewer_query_tiles_come_by_for_each_later_key_tile():
    read = lambda n, mask: predict("tiled", AttentionProblem(n, mask=mask), Tiling(), H200).dram[0].again_bytes
    assert read(32768, "causal") < read(32768, "full") / 3
    assert read(1024, "causal") == pytest.approx(read(1024, "full") / 2, rel=.1)  # a few lines are always lost


def test_a_ragged_tile_names_its_own_rows_alone():
    one = predict("tiled", AttentionProblem(1, 64, kv_len=65536), Tiling(), T4).dram[0]
    assert one.between_bytes == (64 + 64) * 4 and one.again_bytes < 64 * 4
    assert predict("tiled", AttentionProblem(65, 64), Tiling(), T4).dram[0].between_bytes == 65 * (64 + 64) * 4


def test_rows_that_a_mask_has_ended_hold_no_line():
    assert naive._going_on(AttentionProblem(4096)) == 1
    assert naive._going_on(AttentionProblem(4096, mask="causal")) == pytest.approx(2 / 3, abs=.001)


def test_recency_counts_different_bytes():
    seen = Recency(4, 10.0)
    for chunks in ([0, 1], [2], [2], [3]):
        seen.name(np.array(chunks), 0.0)
    assert seen.since(np.array([0, 2, 3])).tolist() == [40, 20, 10]  # with those named at the same time and its own
    seen.passing(5)
    assert seen.since(np.array([3])).tolist() == [15] and Recency(1, 1.0).since(np.array([0])).tolist() == [float("inf")]


def test_registers_are_those_that_were_recorded():
    found = {}
    for recording in hardware.recorded_launches():
        for line in recording.lines:
            usual = (line["problem"]["head_dim"], line["problem"]["dtype"], line["problem"]["mask"]) == (64, "float32", "full")
            if usual and line["tiling"] == dict(block_q=64, block_k=64):
                found.setdefault((line["algorithm"], line["kernel"]), set()).add(line["registers_per_thread"])
    assert {kernel: max(found[kernel]) for kernel in REGISTERS} == REGISTERS


def test_the_hardware_repeats_itself_in_most_launches_and_not_in_all():
    """What no model of one launch can be nearer to than the launch is to itself; the README has the numbers."""
    spreads = [max(reads) / min(reads) - 1 for reads in compare_dram.repeated().values()]
    assert all(len(reads) >= 3 for reads in compare_dram.repeated().values())
    assert len(spreads) == 19 and sum(spread > compare_dram.TARGETS[1] for spread in spreads) == 8
    assert [round(100 * spread) for spread in spreads[-2:]] == [39, 153]


def test_every_constant_has_its_meaning_and_source():
    table = rows("dram_constants.csv")
    assert [row["name"] for row in table] == list(vars(CONSTANTS)) and all(row["meaning"] and "H200" in row["source"] for row in table)


@pytest.mark.parametrize(("change", "reason"), [
    (dict(dram_read_bytes=-1), "dram_read_bytes is -1"), (dict(algorithm=3), "a name is no text"),
    (dict(tiling=dict(block_q=7, block_k=64)), "query tile 7")])
def test_a_broken_recording_is_refused_with_its_line(tmp_path, change, reason, monkeypatch):
    [original] = hardware.recorded_launches()
    path = tmp_path / "broken_dram.jsonl"
    path.write_text("\n".join(map(json.dumps, [original.header, original.lines[0], original.lines[1] | change])))
    monkeypatch.setattr(hardware, "HARDWARE", tmp_path)
    with pytest.raises(Refusal, match=f"broken_dram.jsonl line 3 is not usable: .*{reason}"):
        hardware.recorded_launches()


def test_errors_are_relative_and_signed():
    launch = Launch("fused", AttentionProblem(256), Tiling(), H200, "fused", 1, 0, True)
    assert launch.error() == launch.modelled().read_bytes - 1


def test_a_rung_that_was_not_recorded_is_refused_and_not_guessed():
    prediction = predict("fused_tensor_core", AttentionProblem(256, dtype="bfloat16"), Tiling(), H200)
    with pytest.raises(Refusal, match="modelled for naive, tiled, fused, fused_kv_outer, not for fused_tensor_core"):
        assert prediction.dram
    assert prediction.record()["dram"] is None
