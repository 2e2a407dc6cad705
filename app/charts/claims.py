"""Titles: one claim a chart, computed from the data on show, with a branch for a win, a tie (within 5 %) and a loss."""
from app.charts.look import NAMES
from traffic_model.roofline import AT, LEFT, RIGHT
from traffic_model.units import milliseconds, percent, plural, ratio

TIE = 0.05
Totals = dict[tuple[str, str, str], dict[int, int]]
TENSOR_CORE_FUSED = NAMES["fused_tensor_core"]


def traffic_claim(totals: Totals, n: int) -> str:
    """totals: bytes by (algorithm, measure, kind) and n, with the predictions at n."""
    three, fused, asked = (totals[algorithm, measure, "predicted"][n] for algorithm, measure in
                           (("naive", "compulsory"), ("fused", "compulsory"), ("fused", "requested")))
    if three < fused * (1 - TIE):
        return f"At N = {n:,} fused must move {ratio(fused / three)} the HBM bytes of three kernels"
    if three < fused * (1 + TIE):
        return f"At N = {n:,} fusing saves no compulsory HBM bytes"
    if asked > three * (1 + TIE):
        return f"At N = {n:,} fused requests {ratio(asked / three)} the bytes that three ideal kernels must move"
    if asked > three * (1 - TIE):
        return f"At N = {n:,} fused requests as many bytes as three ideal kernels must move"
    return f"{ratio(three / fused)} fewer compulsory HBM bytes at N = {n:,}, yet requested bytes grow as N²"


def time_claim(times: dict[str, dict[int, float]], floor: dict[int, float], n: int) -> str:
    """times: median ms by algorithm and n, floor: the unfused floor's ms by n, for the lengths where both are known.

    Naive is never set against fused alone: that would credit fusion with what tiling does.
    """
    naive, tiled, fused, tensor = (times.get(name, {}).get(n) for name in ("naive", "tiled", "fused", "fused_tensor_core"))
    if naive and tiled and fused:
        more = f", the tensor-core kernel {_gains(fused / tensor, 'another ')}" if tensor else ""
        return f"At N = {n:,} tiling {_gains(naive / tiled)}, fusion {_gains(tiled / fused, 'another ')}{more}"
    parts = [f"{NAMES.get(name, name)} {_against(series[n] / floor[n])}" for name, series in times.items() if n in series and n in floor]
    if parts:
        return f"At N = {n:,} {' and '.join(parts)} the unfused floor"
    known = [f"{NAMES.get(name, name)} takes {milliseconds(series[n])}" for name, series in times.items() if n in series]
    return f"At N = {n:,} {' and '.join(known)}"


def nearest_words(at: int, n: int, where: str) -> str:
    """Said of a claim at another length than n, and why: N = 4,096 is the nearest length timed for all. where: "for all", for instance."""
    return "" if at == n else f"N = {at:,} is the nearest length timed {where}"


def roofline_claim(unit: str, sides: dict[str, str], reached: str = "") -> str:
    """unit: "tensor cores" or "CUDA cores". sides: of the ridge, by kernel: unfused (as a whole), scores, softmax, output and fused.
    reached: see `roof_reached`, where the kernel on tensor cores was timed.

    scores and output, the products, do equal FLOP and move equal bytes: they are on one side.
    """
    if unit == "tensor cores":
        unfused, fused = ({LEFT: "memory-bound", AT: "at the ridge", RIGHT: "compute-bound"}[sides[name]] for name in ("unfused", "fused"))
        if unfused == fused:
            return f"On {unit} unfused and fused attention are both {fused}" + f", {TENSOR_CORE_FUSED} {reached}" * bool(reached)
        if (unfused, fused) == ("memory-bound", "compute-bound"):
            return f"On {unit} unfused is memory-bound, {TENSOR_CORE_FUSED} {reached}" if reached else \
                f"On {unit} unfused attention is memory-bound, fused is not"
        return f"On {unit} unfused is {unfused}, fused {fused}" + f", {TENSOR_CORE_FUSED} {reached}" * bool(reached)
    on = {side: [name for name, kernel in (("softmax", "softmax"), ("products", "scores"), ("fused", "fused")) if sides[kernel] == side]
          for side in (LEFT, AT, RIGHT)}
    if len(on[LEFT]) == 3:
        return f"On {unit} every kernel is left of the ridge"
    others = [f"{_and(on[side])} {where}" for side, where in ((AT, "at it"), (RIGHT, "right")) if on[side]]
    return f"On {unit} {_and(on[LEFT])} {'are' if on[LEFT][1:] else 'is'} left of the ridge, {', '.join(others)}"


def roof_reached(timed: dict, n: int) -> str:
    """How near the kernel on tensor cores comes to the roof above it, the tensor cores' or DRAM's; and at which N, if not at n.

    timed: a record of app/rooflines.py. What L2 serves may be above the roof of DRAM.
    """
    share, whose = timed["share"], "DRAM's" if timed["roof"] == "DRAM" else "their"
    much = f"{percent(share)} of " if share < 1 - TIE else f"{ratio(share)} " if share > 1 + TIE else ""
    return f"at {much}{whose} roof" + f" at N = {timed['n']:,}" * (timed["n"] != n)


def tiles_bytes_claim(tilings: list[tuple[int, float]]) -> str:
    """(query tile, what fused requests ÷ what three ideal kernels must move) of the legal tilings.

    The key tile matters a little under a causal mask, where a tile that is partly masked is read whole: a query tile counts as more or as
    less where it is so at every key tile.
    """
    ratios = {block: [ratio for other, ratio in tilings if other == block] for block, _ in tilings}
    more = [block for block, found in ratios.items() if min(found) > 1 + TIE]
    less = [block for block, found in ratios.items() if max(found) < 1 - TIE]
    if len(more) == len(ratios):
        return "Every legal tiling requests more than three ideal kernels move"
    if more:
        return f"Up to Br = {max(more)} fused requests more than three ideal kernels move"
    if len(less) == len(ratios):
        return "Every legal tiling requests less than three ideal kernels move"
    return f"From Br = {min(less)} fused requests less than three ideal kernels move" if less else \
        "Every legal tiling requests what three ideal kernels move"


def tiles_time_claim(current: dict, legal: list[dict]) -> str:
    """Records of app/tiles.py. Only tilings with enough warps to hide latency compete: of the others the model knows too little."""
    trusted, name = [r for r in legal if r["hidden"]], lambda r: f"{r['block_q']}×{r['block_k']}"
    if not trusted:
        return "No tiling has the warps to hide latency: real times are longer"
    if not current["hidden"]:
        return f"{name(current)} has too few warps to hide latency: its real time is longer"
    best = min(trusted, key=lambda r: r["ms"])
    gain = current["ms"] / best["ms"]
    if gain > 1 + TIE:
        return f"{name(best)} is predicted to be {ratio(gain)} as fast as {name(current)}"
    return f"{name(current)} is the fastest tiling that hides latency" if best is current else \
        f"{name(current)} is as fast as the best that hides latency, {name(best)}"


def tiles_occupancy_claim(current: dict, legal: list[dict]) -> str:
    """Records of app/tiles.py."""
    name, most = f"{current['block_q']}×{current['block_k']}", max(r["occupancy"] for r in legal)
    if current["occupancy"] > most * (1 - TIE):
        return f"No tiling has more warps resident than {name}: {percent(current['occupancy'])}"
    hold = "hold" if current["limits"] != "shared memory" else "holds"
    return f"At {name} {current['limits']} {hold} occupancy to {percent(current['occupancy'])}"


def warp_claim(summary: dict) -> str:
    """summary: of app/warp.py."""
    who, now, fewest, unpadded = plural(summary["lanes"], "lane"), summary["number"], summary["fewest"], summary["unpadded"]
    if not summary["shared"]:
        asked, moved = (summary["measures"][place]["bytes"] for place in (0, -1))
        after = {True: ": nothing wasted", False: ": they share" if moved < asked else ""}[moved == asked]
        return f"{who} ask for {asked:,} B; {moved:,} B move{after}"
    turns = plural(now, "wavefront")
    if now == fewest and (unpadded or now) > now and summary["padded"]:
        return f"Padding turns {unpadded} wavefronts into {now}"
    without = "" if summary["padded"] else "Without padding: "
    return f"{without}{turns} for {who}, no bank conflict" if now == fewest else \
        f"{without}{turns} where {fewest} would do: {plural(now - fewest, 'bank conflict')}"


def proof_claim(counters: list[dict]) -> str:
    """counters: records of app/proof.py. Wavefronts follow the instructions that the compiler chose; the claim is of the rest."""
    exact = [r for r in counters if r["measure"] != "wavefronts"]
    equal = sum(r["predicted"] == r["counted"] == r["hardware"] for r in exact)
    if equal == len(exact):
        return f"All {equal} counts of distinct bytes and sectors are the hardware's, to the byte"
    return f"{len(exact) - equal} of {len(exact)} counts of distinct bytes and sectors differ from the hardware's"


def _and(names: list[str]) -> str:
    return " and ".join(names)


def _gains(speedup: float, more: str = "") -> str:
    if speedup > 1 + TIE:
        return f"gains {more}{ratio(speedup)}"
    return "gains nothing" if speedup > 1 - TIE else f"loses {ratio(1 / speedup)}"


def _against(times: float) -> str:
    if times > 1 + TIE:
        return f"takes {ratio(times)}"
    return "is level with" if times > 1 - TIE else f"is {ratio(1 / times)} under"
