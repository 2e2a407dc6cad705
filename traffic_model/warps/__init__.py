"""What warps name: distinct bytes, sectors and wavefronts of every access of every rung, without running it. One file per algorithm."""
from traffic_model.layout import Layout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Measure
from traffic_model.warps import fused, tiled
from traffic_model.warps.access import Access

ACCESSES = {"tiled": tiled.accesses, "fused": fused.accesses}
MEASURES = (Measure.DISTINCT, Measure.SECTORS, Measure.WAVEFRONTS)

__all__ = ["ACCESSES", "Access", "MEASURES", "warp_ledgers"]


def warp_ledgers(algorithm: str, problem: AttentionProblem, layout: Layout) -> list[Ledger]:
    """One ledger of distinct bytes, sectors (HBM) and wavefronts (SHARED) per launch, in order."""
    return [_ledger(kernel) for kernel in ACCESSES[algorithm](problem, layout)]


def _ledger(accesses: list[Access]) -> Ledger:
    cells = {}
    for access in accesses:
        for measure, count in access.measures.items():
            if measure in MEASURES:
                key = (*access.cell, measure)
                cells[key] = cells.get(key, 0) + count * access.times
    return Ledger(cells, MEASURES)
