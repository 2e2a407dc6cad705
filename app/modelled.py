"""The model's time beside each recorded one: how far off it is, what binds, and the assumption that then fails."""
from app.recordings import Shown
from app.records import LADDER
from traffic_model.times import ASSUMPTIONS, predicted_times

OFF = 0.25  # a larger error says that an assumption fails; the median error from N = 1,024 on is smaller (tests/test_times.py)


def modelled(shown: Shown, timed: list[dict]) -> list[dict]:
    """One record per recorded time: algorithm, n, kind, ms, binds (of the slowest kernel), timed_ms, error (a share of the timed), fails.

    `fails` is what the model assumes of the part that binds, where the error is larger than a quarter; else it is empty.
    """
    return [_record(shown, r) for r in timed if r["when"] == "recorded" and r["algorithm"] in LADDER]


def failing(model: list[dict]) -> str:
    """Where the model is off by more than a quarter, and what it assumed there; empty if nowhere."""
    sentences = []
    for fails in dict.fromkeys(r["fails"] for r in model if r["fails"]):
        lengths = {}
        for r in model:
            if r["fails"] == fails:
                lengths.setdefault(r["algorithm"], []).append(f"{r['n']:,}")
        where = "; ".join(f"{algorithm} at N = {' and '.join(ns)}" for algorithm, ns in lengths.items())
        sentences.append(f"The model is off by more than {100 * OFF:.0f} % for {where}. It assumes of {fails}.")
    return " ".join(sentences)


def _record(shown: Shown, timed: dict) -> dict:
    settings = shown.settings.at(timed["n"])
    kernels = predicted_times(timed["algorithm"], settings.problem, settings.tiling, settings.gpu)
    ms, slowest = sum(kernel.ms for kernel in kernels), max(kernels, key=lambda kernel: kernel.ms)
    error = ms / timed["median_ms"] - 1
    return dict(algorithm=timed["algorithm"], n=timed["n"], kind="predicted", source=f"model, {settings.gpu.name}", ms=ms,
                binds=f"{slowest.name}: {slowest.binds}", timed_ms=timed["median_ms"], error=error,
                fails=f"{slowest.binds}: {ASSUMPTIONS[slowest.binds]}" if abs(error) > OFF else "")
