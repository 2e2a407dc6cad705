"""Proof: what the kernels counted beside the GPU's own counters, and the DRAM model beside them."""
from functools import lru_cache

from app import proof
from app.charts import proof as chart
from app.charts.claims import proof_claim
from app.figures.figure import Figure, Sources
from app.settings import Settings
from numba_kernels import hardware
from traffic_model.units import percent


@lru_cache
def proofs() -> list[proof.Proof]:
    """The shipped validations, each with its predictions."""
    return [proof.proof(line, recording.header) for recording in hardware.recorded_validations() for line in recording.lines]


def figure(settings: Settings, sources: Sources) -> Figure:
    """settings choose nothing here, sources are not asked: what was validated was validated at its own settings, the first of them here."""
    found = proofs()
    counters, dram = ([record for each in found for record in getattr(each, name)] for name in ("counters", "dram"))
    conditions = f"{len(found)} runs of {len({each.algorithm for each in found})} rungs"
    title, off = proof_claim(counters), proof.typical_error(dram)
    return Figure(
        "proof", title, conditions, f"predicted, counted and hardware: {found[0].source}", found[0].settings,
        lambda look: chart.proof(counters, dram, look, conditions), [*counters, *dram],
        note=f"{title}. The counts are taken inside the kernels and need no permission; Nsight Compute read the same kernels with counting "
             "off.",
        alt=f"Counted bytes over the hardware's, a row for distinct bytes, sectors, wavefronts and DRAM. {title}. Modelled DRAM reads are "
            f"off by {percent(off)} in the median.")
