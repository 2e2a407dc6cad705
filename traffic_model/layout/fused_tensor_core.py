"""Fused on tensor cores: what they take, which layout a GPU gets, and which tiling suits a problem."""
from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout.ampere import AmpereLayout
from traffic_model.layout.common import ceil_div
from traffic_model.layout.hopper import HopperLayout
from traffic_model.layout.tensor_core import AMPERE, HOPPER, NAME, TensorCoreLayout
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import Tiling
from traffic_model.walk import visited

DTYPES = ("bfloat16", "float16")
HEAD_DIMS = (64, 128)


class FusedTensorCoreLayout:
    """Which of the two a GPU takes."""

    @staticmethod
    def path(gpu: Gpu) -> type[TensorCoreLayout]:
        """Raises Refusal for a GPU whose tensor cores know no bf16."""
        if float(gpu.compute_capability) < float(AMPERE):
            raise Refusal(f"{NAME} needs tensor cores that take bf16, from compute capability {AMPERE} on, and {gpu.name} has "
                          f"{gpu.compute_capability}; take fused, the same walk without them.")
        return HopperLayout if gpu.compute_capability == HOPPER else AmpereLayout

    @classmethod
    def resolve(cls, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> TensorCoreLayout:
        """The layout for this GPU. Raises Refusal, too, for a dtype, a head size or a tile that the tensor cores do not take."""
        path = cls.path(gpu)
        require_taken(problem)
        for name, size, sizes in (("query", tiling.block_q, path.query_tiles), ("key", tiling.block_k, path.key_tiles)):
            if size not in sizes:
                nearest = min(sizes, key=lambda each: abs(each - size))
                raise Refusal(f"{NAME} takes {name} tiles of {' or '.join(map(str, sizes))} on {gpu.name}, not {size}; the nearest is "
                              f"{nearest}.")
        return path.resolve(problem, tiling, gpu)

    @classmethod
    def best_tiling(cls, problem: AttentionProblem, gpu: Gpu) -> Tiling:
        """The one of the measured tilings that keeps the busiest multiprocessor busy for the shortest time, by the measured rates.

        Blocks run in rounds of as many as the multiprocessors hold; under a causal mask, where the longest start first, all work is
        shared evenly but for the longest block. Raises Refusal as `resolve` does.
        """
        path = cls.path(gpu)
        require_taken(problem)
        rates = path.rates[problem.head_dim]

        def busy(tile):
            block_q, block_k = tile
            resident = path.choose(problem, Tiling(*tile)).resident_blocks
            places = gpu.multiprocessors * resident
            visits = visited(problem, *tile)
            rounds = ceil_div(len(visits) * problem.query_heads, places) if problem.mask == "full" else 1
            longest = max(rounds * int(visits.max()), int(visits.sum()) * problem.query_heads / places)
            return longest * resident * block_q * block_k / rates[tile]

        return Tiling(*min(rates, key=busy))


def require_taken(problem: AttentionProblem) -> None:
    """Raises Refusal for a dtype or a head size that the tensor-core kernels do not take."""
    if problem.dtype not in DTYPES:
        raise Refusal(f"{NAME} multiplies {' and '.join(DTYPES)}, not {problem.dtype}; take fused, which keeps fp32.")
    if problem.head_dim not in HEAD_DIMS:
        raise Refusal(f"{NAME} takes head dims {' and '.join(map(str, HEAD_DIMS))}, not {problem.head_dim}; take fused.")
