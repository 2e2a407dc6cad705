"""The one place that imports Numba's CUDA package. It changes hands from time to time; everything else takes `cuda` from here."""
from numba import cuda

__all__ = ["cuda"]
