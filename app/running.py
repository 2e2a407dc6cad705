"""Run here: both algorithms' real kernels on this machine, and never for long."""
import importlib
from collections.abc import Callable

from app import hosting
from app.records import ALGORITHMS, live
from app.settings import LENGTHS, Settings
from numba_kernels.run import estimate_seconds, memory_bytes, pick_backend, run
from traffic_model import Ledger, Refusal, predict
from traffic_model.units import decimal_bytes

LIMIT_SECONDS = 120
TIME_SAMPLES = 20  # on a GPU; the CPU's clock says nothing about a GPU
Say = Callable[[float, str], None]  # share done, what is happening


def run_both(settings: Settings, say: Say) -> list[dict]:
    """Runs naive and fused and returns their saved-run objects with their stamp.

    say() is called all along, and an exception it raises cancels. Raises Refusal for what does not fit the memory or the time
    limit, and where the host wants no kernel to run.
    """
    hosting.require_kernels()
    backend = pick_backend("auto")
    say(0., f"Compiling for {backend}, and a short run to estimate how long this one takes")
    require_possible(settings)
    return [_run(algorithm, settings, backend, share, say) for algorithm, share in zip(ALGORITHMS, (0., .5))]


def require_possible(settings: Settings) -> None:
    """Raises Refusal, naming the largest smaller N that runs, for what would need too much memory or time here."""
    reason = _reason_against(settings)
    if reason:
        smaller = next((n for n in reversed(LENGTHS) if n < settings.n and possible(settings.at(n))), None)
        choice = f"the largest N that runs here is {smaller:,}" if smaller else "no smaller N runs here either"
        raise Refusal(f"N = {settings.n:,} with {settings.problem.query_heads} heads does not run here: {reason}; {choice}.")


def possible(settings: Settings) -> bool:
    return _reason_against(settings) is None


def verdict(run: dict, settings: Settings) -> str:
    """One run against its prediction, cell by cell, in words; and its output against float64."""
    counted = Ledger.from_records(run["ledger"], run["measures"])
    expected = predict(run["algorithm"], settings.problem, settings.tiling, settings.gpu).ledger.only(*counted.measures)
    differing = expected.disagreements(counted)
    says = f"all {len(counted)} cells counted as predicted" if not differing else "; ".join(differing)
    error = f"‖Δ‖/\u2060‖ref‖ = {power_of_ten(run['relative_error'])}".replace(" ", "\u00a0")  # stays on one line
    return (f"**{run['algorithm']}**, {run['source']}: {' and '.join(run['measures'])} bytes, {says}; "
            f"output against float64, {error}")


def power_of_ten(value: float) -> str:
    """1.5 × 10⁻⁶"""
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _reason_against(settings: Settings) -> str | None:
    backend = pick_backend("auto")
    needed = max(memory_bytes(algorithm, settings.problem) for algorithm in ALGORITHMS)
    free = importlib.import_module(f"numba_kernels.{backend}").free_bytes()
    if free is not None and needed > .9 * free:
        return f"naive needs {decimal_bytes(needed)} and {decimal_bytes(free)} are free"
    seconds = sum(estimate_seconds(a, settings.problem, settings.tiling, settings.gpu, backend) for a in ALGORITHMS)
    if seconds > LIMIT_SECONDS:
        return f"it would take about {seconds / 60:,.0f} min on the {backend} and the limit is {LIMIT_SECONDS // 60} min"
    return None


def _run(algorithm: str, settings: Settings, backend: str, before: float, say: Say) -> dict:
    progress = lambda done, total: say(before + .5 * done / total, f"{algorithm} on the {backend}: {done:,} of {total:,} blocks")
    return live(run(algorithm, settings.problem, settings.tiling, settings.gpu, backend, repeat=TIME_SAMPLES if backend == "gpu" else 0,
                    progress=progress).record())
