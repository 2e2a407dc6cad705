"""Figures: every picture of the dashboard by name, from settings and recorded runs. The pages, the Slides page and the command line ask
here, so that a slide cannot differ from the page it comes from."""
from app.figures import held, proof, roofline, tiles, time, traffic, warp
from app.figures.figure import Figure, Sources

FIGURES = {
    "traffic": traffic.figure, "traffic-held": held.figure,
    "time": time.figure, "time-by-kernel": time.by_kernel, "time-model": time.with_model,
    "roofline-tensor-cores": roofline.figure, "roofline-cuda-cores": roofline.cuda_cores,
    "tiles-bytes": tiles.figure, "tiles-time": tiles.time, "tiles-occupancy": tiles.occupancy,
    "warp": warp.figure, "proof": proof.figure,
}

__all__ = ["FIGURES", "Figure", "Sources"]
