"""Roofline: FLOP/s against FLOP per byte, under the roofs of the unit that computes."""
from app import rooflines
from app.charts import roofline as chart
from app.charts.roofs import number
from app.figures.figure import Figure, Sources
from app.settings import Settings


class Under:
    """What the Roofline page knows at these settings under one unit's roof."""

    def __init__(self, settings: Settings, sources: Sources, unit: str):
        self.roofs = rooflines.roofs(settings, unit)
        self.ideal, self.here = (rooflines.intensities(settings, self.roofs, lengths) for lengths in (rooflines.LENGTHS, [settings.n]))
        self.achieved = rooflines.achieved(settings, sources.recordings, unit)


def figure(settings: Settings, sources: Sources, unit: str = rooflines.TENSOR_CORES) -> Figure:
    """Under the roof of tensor cores where the GPU has them for this storage type, else of CUDA cores."""
    unit = unit if rooflines.has_tensor_cores(settings) else rooflines.CUDA_CORES
    under, cuda_cores = Under(settings, sources, unit), rooflines.roofs(settings, rooflines.CUDA_CORES)
    roofs, title = under.roofs, chart.claim(under.here, under.achieved, under.roofs)
    draw = lambda look: chart.roofline(under.ideal, under.here, under.achieved, roofs, cuda_cores, rooflines.requested_intensity(settings),
                                       look, settings.caption)
    whole = " and ".join(f"{'unfused' if r['algorithm'] == chart.UNFUSED else 'fused'} {number(r['intensity'])}" for r in under.here
                         if r["kernel"] == r["algorithm"])
    return Figure(
        f"roofline-{roofs.name.lower().replace(' ', '-')}", title, settings.caption,
        f"FLOP per byte predicted; roofs {roofs.compute.kind}; kernels on {rooflines.computed_on(under.achieved)}, "
        f"{rooflines.origin(under.achieved)}", settings, draw,
        under.ideal + under.here + under.achieved,
        note=f"{title}. Left of the ridge at {number(roofs.ridge)} FLOP per byte the memory is the lower roof, right of it the arithmetic.",
        alt=f"Roofline on logarithmic axes: TFLOP/s against FLOP per compulsory byte, ridge at {number(roofs.ridge)} FLOP per byte. At N = "
            f"{settings.n:,} FLOP per byte are: {whole}.")


def cuda_cores(settings: Settings, sources: Sources) -> Figure:
    return figure(settings, sources, rooflines.CUDA_CORES)
