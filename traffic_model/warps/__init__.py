"""What warps name: distinct bytes, sectors and wavefronts of every access of every rung, without running it. One file per algorithm."""
from traffic_model.errors import Refusal
from traffic_model.layout import Layout
from traffic_model.ledger import Ledger
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import Measure, Space
from traffic_model.warps import fused, fused_kv_outer, naive, tiled
from traffic_model.warps.access import Access, Source

SOURCES = {"naive": naive.sources, "tiled": tiled.sources, "fused": fused.sources, "fused_kv_outer": fused_kv_outer.sources}
MEASURES = {Space.HBM: (Measure.DISTINCT, Measure.SECTORS), Space.SHARED: (Measure.DISTINCT, Measure.WAVEFRONTS)}

__all__ = ["MEASURES", "SOURCES", "Access", "Source", "sources_of", "warp_ledgers"]


def warp_ledgers(algorithm: str, problem: AttentionProblem, layout: Layout) -> list[Ledger]:
    """One ledger of distinct bytes, sectors (HBM) and wavefronts (SHARED) per launch, in order. Work in proportion to N, not N²."""
    return [warp_ledger(sources) for sources in sources_of(algorithm, problem, layout)]


def sources_of(algorithm: str, problem: AttentionProblem, layout: Layout) -> list[list[Source]]:
    """The accesses of every launch. Raises Refusal for an algorithm whose accesses have no lanes."""
    if algorithm not in SOURCES:
        raise Refusal(f"what warps name is known of {', '.join(SOURCES)}, not of {algorithm}: a bulk copy and an operand that a tensor "
                      f"core reads by itself have no lanes.")
    return SOURCES[algorithm](problem, layout)


def warp_ledger(sources: list[Source]) -> Ledger:
    """What the warp accesses of these sources name together."""
    cells = {(*source.cell, measure): 0 for source in sources for measure in MEASURES[source.cell.space]}
    for source in sources:
        for access in source.accesses:
            for measure in MEASURES[source.cell.space]:
                cells[*source.cell, measure] += access.bytes(measure) * access.times
    return Ledger(cells, set().union(*MEASURES.values()))
