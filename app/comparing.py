"""Runs beside runs: one record per point that both have, with the ratio of what was counted and of what was timed."""
from statistics import median

from app.records import has_times
from app.settings import Settings
from numba_kernels.saved import total_times_ms
from traffic_model import Ledger, Measure, Space, Tiling, predict
from traffic_model.problem import shape_words
from traffic_model.units import plural

NOT_COUNTED = dict(requested_bytes=None, requested_ratio=None, differing="")


def ratios(runs: list[dict], others: list[dict]) -> list[dict]:
    """Points of the same algorithm, problem and tiling, and of several runs at one the last. A ratio is the former ÷ the latter.

    requested_ratio: of HBM bytes, None where one of the two counted nothing; differing: cells, in words; time_ratio: of medians, None
    where one of the two was not timed.
    """
    former, latter = ({_point(run): run for run in some if not run.get("out_of_memory")} for some in (runs, others))
    return [_compared(run, latter[point]) for point, run in former.items() if point in latter]


def own_points(settings: Settings, runs: list[dict]) -> list[dict]:
    """One record per run of this session: its requested HBM bytes ÷ the predicted ones and, where it was recorded too, ÷ those and in time.

    runs: of the settings' shape, recorded ones and live ones, each with its stamp.
    """
    live, recorded = ([run for run in runs if run["when"] == when] for when in ("live", "recorded"))
    beside = {(point["algorithm"], point["n"]): point for point in ratios(live, recorded)}
    latest = {(run["algorithm"], run["problem"]["seq_len"]): run for run in live if Measure.REQUESTED in run["measures"]}
    return [_own(settings.at(n), run, beside.get((algorithm, n), {})) for (algorithm, n), run in latest.items()]


def overview(name: str, runs: list[dict]) -> dict:
    """What a set of runs holds, in words."""
    lengths = sorted({run["problem"]["seq_len"] for run in runs})
    return dict(runs_from=name, runs=len(runs), timed=sum(has_times(run) for run in runs),
                algorithms=", ".join(dict.fromkeys(run["algorithm"] for run in runs)),
                n=" to ".join(f"{n:,}" for n in dict.fromkeys((lengths[0], lengths[-1]))),
                storage=", ".join(dict.fromkeys(run["problem"]["dtype"] for run in runs)))


def summary(records: list[dict]) -> str:
    """All points in a sentence."""
    if not records:
        return "No point in common: they share no algorithm at the same problem and tiling"
    differing, times = sum(bool(r["differing"]) for r in records), [r["time_ratio"] for r in records if r["time_ratio"]]
    counted = f"{differing} of {len(records)} points differ in what was counted" if differing else "Nothing to compare was counted"
    if alike := not differing and sum(r["requested_ratio"] is not None for r in records):
        counted = f"Every cell was counted alike at {plural(alike, 'point')} in common"
    return counted + (f"; the median ratio of times is {median(times):.2f}" if times else "; no times to compare")


def _own(settings: Settings, run: dict, beside: dict) -> dict:
    asked = Ledger.from_records(run["ledger"], run["measures"]).total(Measure.REQUESTED, space=Space.HBM)
    expected = predict(run["algorithm"], settings.problem, settings.tiling, settings.gpu).ledger.total(Measure.REQUESTED, space=Space.HBM)
    return dict(algorithm=run["algorithm"], n=settings.n, requested_bytes=asked, to_predicted=asked / expected,
                to_recorded=beside.get("requested_ratio"), time_to_recorded=beside.get("time_ratio"), source=run["source"],
                recorded=beside.get("other_source"))


def _counts(run: dict, other: dict) -> dict:
    one, two = (Ledger.from_records(each["ledger"], each["measures"]).only(Measure.REQUESTED) for each in (run, other))
    asked, others = (ledger.total(Measure.REQUESTED, space=Space.HBM) for ledger in (one, two))
    return dict(requested_bytes=asked, requested_ratio=asked / others,
                differing="; ".join(one.disagreements(two, "the former", "the latter")))


def _point(run: dict) -> tuple:
    """What two runs must share; naive has no tiles."""
    return run["algorithm"], *run["problem"].items(), None if run["algorithm"] == "naive" else Tiling(**run["tiling"])


def _compared(run: dict, other: dict) -> dict:
    counted = all(Measure.REQUESTED in each["measures"] for each in (run, other))  # a library's kernel counts nothing
    ms, other_ms = (median(total_times_ms(each)) if has_times(each) else None for each in (run, other))
    return dict(algorithm=run["algorithm"], n=run["problem"]["seq_len"], shape=shape_words(run["problem"]),
                tiles=str(Tiling(**run["tiling"])), **(_counts(run, other) if counted else NOT_COUNTED), ms=ms,
                time_ratio=ms / other_ms if ms and other_ms else None, source=run["source"], other_source=other["source"])
