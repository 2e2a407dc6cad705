"""The papers' own accounts of what attention moves, as code: each pass of each algorithm as a table from (step, array, direction) to bytes.

These are the papers' algorithms, not Tilescope's kernels: inputs, outputs, running O and dQ are all in the storage type, statistics
of a row are left out, a step of standard attention reads its inputs once and writes its outputs once, and a fused kernel reads a tile
each time it visits it (requested bytes; what caches spare is not known to them). Tilescope's kernels are in the files beside this folder.
"""
from traffic_model.paper.comparison import Comparison, comparisons, unpublished
from traffic_model.paper.shape import GPT2_MEDIUM, Shape, total_bytes

__all__ = ["Comparison", "GPT2_MEDIUM", "Shape", "comparisons", "total_bytes", "unpublished"]
