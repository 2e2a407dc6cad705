"""The DRAM model: against a recorded sweep, on configurations that the fit has not seen; and what must hold on any GPU."""
import json
from dataclasses import replace
from statistics import median

import compare_dram
import numpy as np
import offline
import pytest
from compare_dram import BEYOND, CROSSES, FITS, REGIMES, Launch, launches

from numba_kernels import gpu, hardware, run
from traffic_model import AttentionProblem, Direction, Measure, Refusal, Space, Tiling, find_gpu, predict
from traffic_model.dram import MOVES
from traffic_model.dram.cache import Cache
from traffic_model.dram.constants import CONSTANTS
from traffic_model.dram.places import REGISTERS, Places, places
from traffic_model.dram.recency import Recency
from traffic_model.dram.waves import Walkers
from traffic_model.gpus import rows
from traffic_model.masks import MASKS
from traffic_model.problem import DTYPE_BYTES

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


@pytest.mark.parametrize(("regime", "middle", "nine_of_ten", "worst"), [(FITS, .01, .05, .42), (CROSSES, .01, .08, .52),
                                                                        (BEYOND, .01, .08, .35)])
def test_errors_on_held_out_configurations(errors, regime, middle, nine_of_ten, worst):
    """The aim was a median of 3 % and a worst case of 10 %: the first is reached in every regime, the second in none. README says so."""
    assert median(errors[regime]) < middle < compare_dram.TARGETS[0]
    assert errors[regime][len(errors[regime]) * 9 // 10] < nine_of_ten
    assert compare_dram.TARGETS[1] < errors[regime][-1] < worst


def test_errors_on_what_no_constant_has_seen():
    """Drawn at random, at any length; README and pages say so too."""
    unseen = launches("dram_unseen")
    known, new = ({(each.algorithm, each.problem, each.tiling) for each in some}
                  for some in (launches() + launches("dram_seen"), unseen))
    assert not known & new
    found = {regime: sorted(abs(each.error()) for each in unseen if each.regime == regime) for regime in REGIMES}
    assert len(unseen) == 1459 and all(len(some) > len(unseen) / 4 for some in found.values())
    assert [round(100 * median(some), 1) for some in found.values()] == [1.3, 1.1, .8]
    assert [round(100 * sum(error <= compare_dram.TARGETS[1] for error in some) / len(some)) for some in found.values()] == [85, 87, 89]


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


KEEPING_PACE = replace(CONSTANTS, favour=0, crowd=0, fill=1, stall=0, capacity_share=1, copied=0, always_lost=0)


def test_blocks_that_keep_pace_read_the_keys_once_per_wave():
    """Keys far larger than L2: three waves of a head, three passes."""
    visits = np.full(12, 64)
    walkers = Walkers(visits, 1, 1, Places(1, 4, 4, 4), 64e6, 0)
    cache = Cache(1e6, KEEPING_PACE)
    assert walkers.again(cache) == pytest.approx(2 * 64e6, rel=1e-6)
    assert walkers.again(replace(cache, size=1e9)) == pytest.approx(0, abs=1)
    assert replace(walkers, visits=visits[:4]).again(cache) == 0  # one wave


def test_a_favoured_block_comes_apart_from_its_neighbours():
    """Two blocks on each multiprocessor and keys far larger than L2: a pass each instead of one for both."""
    walkers = Walkers(np.full(24, 64), 1, 1, Places(2, 8, 8, 4), 64e6, 0)
    assert walkers.again(Cache(1e6, KEEPING_PACE)) == pytest.approx(2 * 64e6, rel=1e-6)
    assert walkers.again(Cache(1e6, replace(KEEPING_PACE, favour=.2))) > 3.5 * 64e6


def test_the_speed_of_a_block_is_that_of_its_age_and_its_schedulers():
    walkers = lambda places: Walkers(np.ones(9), 1, 1, places, 1, 0)
    speed = lambda places, block, **changed: walkers(places)._speed(Cache(1, replace(KEEPING_PACE, **changed)), block)
    assert speed(Places(2, 4, 8, 4), np.array([[5, 2], [3, 4]]), favour=.1).tolist() == pytest.approx(
        np.array([[.81, 1], [1, .81]]) * 2 / 1.81)  # the younger one's warps have four warps of the older before them, two a scheduler
    three = speed(Places(3, 3, 2, 4), np.array([[0, 1, 2]]), crowd=1)  # the first and the third share two schedulers, the second has two
    assert three.tolist() == [pytest.approx([.75, 1.5, .75])]
    assert speed(Places(2, 2, 4, 4), np.array([[0, -1]]), fill=.5).tolist() == [pytest.approx([2**.5, 0])]


def test_what_many_blocks_read_takes_twice_its_room_where_l2_is_two_halves():
    cache = Cache.of(H200, CONSTANTS)
    assert cache.room(np.array([1, 1000])) == pytest.approx([1, 2], abs=.001)
    assert Cache.of(T4, CONSTANTS).room(np.array([1, 1000])).tolist() == [1, 1]


def test_few_blocks_lose_half_as_soon_as_one_half_is_full_and_the_rest_when_both_are():
    cache = Cache.of(H200, replace(CONSTANTS, always_lost=0))
    one_half = CONSTANTS.half_capacity_share * cache.size
    assert [cache.lost_in_loop(share * one_half, 8) for share in (.5, 1.5, 3)] == pytest.approx([0, .5, 1], abs=.01)
    assert cache.lost_in_loop(one_half, 128) < .03 < .9 < cache.lost_in_loop(1.5 * one_half, 128)  # as many beside each half
    assert Cache.of(T4, cache.constants).lost_in_loop(one_half / H200.l2_mib * T4.l2_mib, 1) < .02  # that is no half


def test_a_causal_mask_has_fewer_query_tiles_come_by_for_each_later_key_tile():
    read = lambda n, mask: predict("tiled", AttentionProblem(n, mask=mask), Tiling(), H200).dram[0].again_bytes
    assert read(32768, "causal") < read(32768, "full") / 3
    assert read(1024, "causal") == pytest.approx(read(1024, "full") / 2, rel=.1)  # a few lines are always lost


def test_a_ragged_tile_names_its_own_rows_alone():
    one = predict("tiled", AttentionProblem(1, 64, kv_len=65536), Tiling(), T4).dram[0]
    assert one.between_bytes == (64 + 64) * 4 and one.again_bytes < 64 * 4
    assert predict("tiled", AttentionProblem(65, 64), Tiling(), T4).dram[0].between_bytes == 65 * (64 + 64) * 4


def test_tiles_that_begin_within_a_sector_have_it_read_back():
    """2-byte rows of 16 keys more or fewer are whole sectors; of one key more, nearly no row is."""
    read = lambda n: predict("tiled", AttentionProblem(n, heads=4, dtype="bfloat16"), Tiling(), H200).dram[0].again_bytes
    assert read(24576 + 1) > 8 * read(24576) and read(24576 + 16) == pytest.approx(read(24576), rel=.01)


def test_lines_of_rows_that_crowd_l2_are_fetched_element_by_element():
    problem = lambda heads, mask: AttentionProblem(4096, heads=heads, dtype="bfloat16", mask=mask)
    read = lambda heads, mask="full": predict("naive", problem(heads, mask), Tiling(), H200).dram[1]
    once = AttentionProblem(4096, dtype="bfloat16").score_bytes
    assert 3 < read(24).read_bytes / 24 / once < 4 < 10 < read(72).read_bytes / 72 / once < 3 * 16
    assert read(48, "causal").again_bytes < read(48).again_bytes / 2  # rows that a mask has ended hold no line


def test_recency_counts_different_bytes():
    seen = Recency(4)
    for chunks in ([0, 1], [2], [2], [3]):
        seen.name(np.array(chunks), np.full(len(chunks), 10.0))
    assert seen.since(np.array([0, 2, 3])).tolist() == [30, 10, 0]  # with those named at the same time
    seen.passing(5)
    assert seen.since(np.array([3])).tolist() == [5] and Recency(1).since(np.array([0])).tolist() == [float("inf")]
    seen.name(np.array([2]), np.array([20.0]))  # takes twice its room from now on
    assert seen.since(np.array([3, 1])).tolist() == [25, 45]


@pytest.mark.parametrize(("algorithm", "kernel"), REGISTERS)
@pytest.mark.parametrize("dtype", DTYPE_BYTES)
def test_places_are_those_of_the_kernels_as_they_compile_today(algorithm, kernel, dtype):
    """Registers of a table grow old with every change of a kernel."""
    for mask in MASKS:
        problem = AttentionProblem(4096, dtype=dtype, mask=mask)
        specs = run.ALGORITHMS[algorithm](problem, run.layout_of(algorithm, problem, Tiling(), H200))
        spec = next(each for each in specs if each.launch.name == kernel)
        registers = offline.assemble(offline.ptx(*gpu.text_and_signature(spec, "off"), spec.launch)).registers
        assert places(algorithm, spec.launch, H200, dtype) == places(algorithm, spec.launch, H200, dtype, registers)


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
    launch = Launch("fused", AttentionProblem(256), Tiling(), H200, "fused", 1, 0, 128, True)
    assert launch.error() == launch.modelled().read_bytes - 1


def test_a_rung_that_was_not_recorded_is_refused_and_not_guessed():
    prediction = predict("fused_tensor_core", AttentionProblem(256, dtype="bfloat16"), Tiling(), H200)
    with pytest.raises(Refusal, match="modelled for naive, tiled, fused, fused_kv_outer, not for fused_tensor_core"):
        assert prediction.dram
    assert prediction.record()["dram"] is None
