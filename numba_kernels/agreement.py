"""Counts may not depend on the GPU: runs of one configuration that counted differently, in words."""
import json
from collections.abc import Iterable, Iterator

from traffic_model.ledger import Ledger
from traffic_model.tiling import Tiling

MOST_CELLS = 3  # in a sentence; of the others their number


def disagreements(runs: Iterable[tuple[str, dict]]) -> Iterator[str]:
    """runs: (where it ran, the run's object). A sentence for each run whose counts differ from those of the first of its configuration.

    Each measure is compared with the first run that holds it. The sentence gives the configuration, both places and the cells.
    """
    first = {}
    for where, run in runs:
        if run.get("out_of_memory"):
            continue
        configuration, cells = _configuration(run), {}
        for measure in run["measures"]:
            there, other = first.setdefault((configuration, measure), (where, run))
            if run["ledger"] != other["ledger"]:  # most are equal as they are written
                found = _of(measure, other).disagreements(_of(measure, run), "the former", "the latter")
                cells.setdefault(there, []).extend(found)
        for there, differing in cells.items():
            if differing:
                yield f"{_words(run)}: {there} and {where} counted differently. {_listed(differing)}."


def _of(measure: str, run: dict) -> Ledger:
    return Ledger.from_records(run["ledger"], run["measures"]).only(measure)


def _configuration(run: dict) -> str:
    """What fixes the counts: not where it ran, not the inputs' values, and of the tiling what the layout made of it."""
    return json.dumps([run["algorithm"], run["problem"], run.get("layout") or run["tiling"]], sort_keys=True)


def _words(run: dict) -> str:
    """fused at N = 512, d = 64, 4 heads (2 key/value), batch 2, float16, causal, 64×64 tiles"""
    p = run["problem"]
    words = [f"N = {p['seq_len']:,}", *[f"M = {p['kv_len']:,}"] * (p["kv_len"] != p["seq_len"]), f"d = {p['head_dim']}"]
    words += [f"{p['heads']} head" + "s" * (p["heads"] > 1) + f" ({p['kv_heads']} key/value)" * (p["kv_heads"] != p["heads"])]
    words += [f"batch {p['batch']}"] * (p["batch"] > 1) + [p["dtype"], p["mask"], f"{Tiling(**run['tiling'])} tiles"]
    return f"{run['algorithm']} at {', '.join(words)}"


def _listed(cells: list[str]) -> str:
    more = len(cells) - MOST_CELLS
    return "; ".join(cells[:MOST_CELLS]) + (f"; and {more} more cell{'s' * (more > 1)}" if more > 0 else "")
