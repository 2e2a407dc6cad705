"""Counts may not depend on the GPU: runs of one configuration that counted differently, in words."""
import json
from collections.abc import Iterable, Iterator

from traffic_model.ledger import Ledger


def disagreements(runs: Iterable[tuple[str, dict]]) -> Iterator[str]:
    """runs: (where it ran, the run's object). A sentence for each run whose counts differ from those of the first of its configuration
    that counted the same measures; the sentence names the cells."""
    first = {}
    for where, run in runs:
        if run.get("out_of_memory") or not run["measures"]:
            continue
        ledger = Ledger.from_records(run["ledger"], run["measures"])
        there, expected = first.setdefault(_configuration(run), (where, ledger))
        if ledger != expected:
            p = run["problem"]
            yield (f"{run['algorithm']} at N = {p['seq_len']:,}, d = {p['head_dim']} counted differently on {there} and on {where}: "
                   f"{'; '.join(expected.disagreements(ledger, there, where))}.")


def _configuration(run: dict) -> str:
    """What fixes the counts: not where it ran, and not the inputs' values."""
    return json.dumps([run[name] for name in ("algorithm", "problem", "tiling", "layout", "measures")], sort_keys=True)
