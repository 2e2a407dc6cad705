"""The one place that imports Numba's CUDA package. It changes hands from time to time; everything else takes `cuda` from here."""
import warnings

from numba import cuda
from numba.cuda.extending import intrinsic

__all__ = ["cuda", "intrinsic"]

# Small grids are part of what is shown here, not an oversight.
warnings.filterwarnings("ignore", message=".*Grid size .* under-utilization")
