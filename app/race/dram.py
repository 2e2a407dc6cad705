"""What the clock of DRAM bytes runs on: the modelled bytes of each kernel, over all heads, shared out among the arrays it moves.

The model knows a kernel's reads and writes, not which move they belong to. What must move at all is taken first: each array's compulsory
bytes in full, or in proportion where L2 keeps part of them. What crosses beyond goes to what is asked for again, in proportion to that.
"""
from collections import Counter
from itertools import accumulate, pairwise

from app.race.receipts import Cells, receipt
from app.race.rungs import Rung
from app.settings import Settings
from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.kernel import Kernel
from traffic_model.vocabulary import Array, Direction, Measure, Space

Share = tuple[int, int]  # bytes of first touches, bytes of what is moved again


def shares(rung: Rung, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> list[dict[tuple[Array, Direction], Share]]:
    """Per kernel and cell; they add up to the modelled bytes of each kernel and direction."""
    prediction = predict(rung.algorithm, problem, tiling, gpu)
    return [_shared_out(kernel, Direction.READ, moved.read_bytes) | _shared_out(kernel, Direction.WRITE, moved.write_bytes)
            for kernel, moved in zip(prediction.kernels, prediction.dram)]


def cells(of_kernels: list[dict[tuple[Array, Direction], Share]]) -> Cells:
    """Bytes by array and direction, as receipts take them."""
    sums = Counter()
    for kernel in of_kernels:
        sums.update({cell: sum(share) for cell, share in kernel.items()})
    return {cell: size for cell, size in sums.items() if size}


def said(settings: Settings, rungs: tuple[Rung, ...]) -> list[str]:
    """`Naive, DRAM, modelled: 4 × …` of each rung, all heads."""
    found = {rung: cells(shares(rung, settings.problem, settings.tiling, settings.gpu)) for rung in rungs}
    return [f"{rung.capital}, DRAM, modelled: {receipt(its)}" for rung, its in found.items()]


def total(rung: Rung, problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> int:
    """All that is modelled."""
    return sum(moved.read_bytes + moved.write_bytes for moved in predict(rung.algorithm, problem, tiling, gpu).dram)


def _shared_out(kernel: Kernel, way: Direction, modelled: int) -> dict[tuple[Array, Direction], Share]:
    first, asked = ({array: size for (array, space, direction, _), size in kernel.ledger.only(measure).items()
                     if space == Space.HBM and direction == way} for measure in (Measure.COMPULSORY, Measure.REQUESTED))
    again = {array: max(0, size - first.get(array, 0)) for array, size in asked.items()}
    must = min(modelled, sum(first.values())) if any(again.values()) else modelled
    at_first, beyond = _split(must, first), _split(modelled - must, again)
    return {(array, way): (at_first.get(array, 0), beyond.get(array, 0)) for array in dict.fromkeys([*first, *again])}


def _split(size: int, weights: dict[Array, int]) -> dict[Array, int]:
    """In proportion, in whole bytes that add up to all of it."""
    whole = sum(weights.values())
    ends = [size * end // whole if whole else 0 for end in accumulate(weights.values(), initial=0)]
    return {array: end - start for array, (start, end) in zip(weights, pairwise(ends))}
