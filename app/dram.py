"""What the Traffic page says of DRAM: modelled bytes of the fused kernel at each length, and of every kernel at the current one.

A record is one direction: algorithm, n, space "dram", direction, measure "dram", kind "modelled", source (the GPU), bytes, and
compulsory_bytes beside them.
"""
import math
from itertools import pairwise

from app.records import ALGORITHMS
from app.settings import Settings
from traffic_model import Direction, Measure, Space, predict
from traffic_model.commands.dram import records as kernel_records
from traffic_model.units import binary_bytes, decimal_bytes

LEAVES = 1.1  # DRAM reads over compulsory ones from which K and V are said to have left L2


def modelled(settings: Settings, lengths: list[int]) -> list[dict]:
    """Reads and writes of fused at each of these sequence lengths."""
    return [record for n in lengths for record in _fused(settings.at(n))]


def leaves_l2(modelled: list[dict]) -> float | None:
    """The N from which DRAM reads stay a tenth above the compulsory ones, between two lengths of the curve; None if they do not."""
    ratios = {r["n"]: r["bytes"] / r["compulsory_bytes"] for r in modelled if r["direction"] == Direction.READ}
    for (low, before), (high, after) in reversed([*pairwise(ratios.items())]):
        if before < LEAVES <= after:
            share = math.log(LEAVES / before) / math.log(after / before)
            return low ** (1 - share) * high**share
    return None


def kernels(settings: Settings) -> list[dict]:
    """Every kernel of both algorithms, in words and bytes."""
    rows = []
    for algorithm in ALGORITHMS:
        prediction = predict(algorithm, settings.problem, settings.tiling, settings.gpu)
        rows += [dict(algorithm=algorithm, kernel=r["name"], compulsory_reads=decimal_bytes(r["compulsory_read_bytes"]),
                      dram_reads=decimal_bytes(r["read_bytes"]), requested_reads=decimal_bytes(r["requested_read_bytes"]),
                      l2_must_hold=binary_bytes(r["between_bytes"]), dram_writes=decimal_bytes(r["write_bytes"]), kind="modelled")
                 for r in kernel_records(prediction)]
    return rows


def _fused(settings: Settings) -> list[dict]:
    prediction = predict("fused", settings.problem, settings.tiling, settings.gpu)
    [moved] = prediction.dram
    must = lambda direction: prediction.ledger.total(Measure.COMPULSORY, space=Space.HBM, direction=direction)
    return [dict(algorithm="fused", n=settings.n, space="dram", direction=str(direction), measure="dram", kind="modelled",
                 source=settings.gpu.name, bytes=value, compulsory_bytes=must(direction))
            for direction, value in ((Direction.READ, moved.read_bytes), (Direction.WRITE, moved.write_bytes))]
