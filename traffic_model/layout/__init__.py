"""Layout: how a kernel spreads its work over threads and shared memory.

Resolved once from (problem, tiling, gpu), imported by kernels and predictions alike. One file per algorithm.
"""
from traffic_model.layout.common import Launch, Layout
from traffic_model.layout.fused import FusedLayout
from traffic_model.layout.fused_kv_outer import FusedKvOuterLayout
from traffic_model.layout.fused_tensor_core import FusedTensorCoreLayout
from traffic_model.layout.naive import NaiveLayout
from traffic_model.layout.tensor_core import TensorCoreLayout
from traffic_model.layout.tiled import TiledLayout

LAYOUTS = {"naive": NaiveLayout, "tiled": TiledLayout, "fused": FusedLayout, "fused_kv_outer": FusedKvOuterLayout,
           "fused_tensor_core": FusedTensorCoreLayout}
KERNELS = {name: ("scores", "softmax", "output") if name in ("naive", "tiled") else (name,) for name in LAYOUTS}  # as they are launched

__all__ = ["FusedKvOuterLayout", "FusedLayout", "KERNELS", "LAYOUTS", "Launch", "Layout", "NaiveLayout", "TensorCoreLayout", "TiledLayout"]
