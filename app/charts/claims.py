"""Titles: one claim a chart, computed from the data on show, with a branch for a win, a tie (within 5 %) and a loss."""
from traffic_model.units import milliseconds, ratio

TIE = 0.05
Totals = dict[tuple[str, str, str], dict[int, int]]


def traffic_claim(totals: Totals, n: int) -> str:
    """totals: bytes by (algorithm, measure, kind) and n, with the predictions at n."""
    three, fused, asked = (totals[algorithm, measure, "predicted"][n] for algorithm, measure in
                           (("naive", "compulsory"), ("fused", "compulsory"), ("fused", "requested")))
    if three < fused * (1 - TIE):
        return f"At N = {n:,} fused must move {ratio(fused / three)} the HBM bytes of three kernels"
    if three < fused * (1 + TIE):
        return f"At N = {n:,} fusing saves no compulsory HBM bytes"
    if asked > three * (1 + TIE):
        return f"Fused requests {ratio(asked / three)} the bytes that three ideal kernels must move"
    if asked > three * (1 - TIE):
        return "Fused requests as many bytes as three ideal kernels must move"
    return f"{ratio(three / fused)} fewer compulsory HBM bytes, yet requested bytes grow as N²"


def time_claim(times: dict[str, dict[int, float]], floor: dict[int, float], n: int) -> str:
    """times: median ms by algorithm and n, floor: the unfused floor's ms by n, for the lengths where both are known.

    Naive is never set against fused alone: that would credit fusion with what tiling does.
    """
    naive, tiled, fused = (times.get(name, {}).get(n) for name in ("naive", "tiled", "fused"))
    if naive and tiled and fused:
        return f"At N = {n:,} tiling {_gains(naive / tiled)}, fusion {_gains(tiled / fused, 'another ')}"
    parts = [f"{name} {_against(series[n] / floor[n])}" for name, series in times.items() if n in series and n in floor]
    if parts:
        return f"At N = {n:,} {' and '.join(parts)} the unfused floor"
    known = [f"{name} takes {milliseconds(series[n])}" for name, series in times.items() if n in series]
    return f"At N = {n:,} {' and '.join(known)}"


def _gains(speedup: float, more: str = "") -> str:
    if speedup > 1 + TIE:
        return f"gains {more}{ratio(speedup)}"
    return "gains nothing" if speedup > 1 - TIE else f"loses {ratio(1 / speedup)}"


def _against(times: float) -> str:
    if times > 1 + TIE:
        return f"takes {ratio(times)}"
    return "is level with" if times > 1 - TIE else f"is {ratio(1 / times)} under"
