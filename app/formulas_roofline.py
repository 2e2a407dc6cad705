"""The Roofline chart's numbers as formulas: intensities, ridges, and what the kernels achieve. See formulas.py."""
from typing import NamedTuple

from app.charts.look import NAMES
from app.formulas import pairs, traffic_formulas
from app.rooflines import Roofs, requested_intensity
from app.settings import Settings


class Quotient(NamedTuple):
    """`numbers` is arithmetic that comes to `value`, in `unit`."""

    name: str
    symbols: str
    numbers: str
    value: float
    unit: str


def roofline_formulas(settings: Settings, roofs: Roofs, here: list[dict], fused: dict, tensor: dict | None = None) -> list[Quotient]:
    """here: intensities at the current N; fused, tensor: achieved records, on CUDA cores and tensor cores (see app/rooflines.py)."""
    p = settings.problem
    symbols, numbers = pairs(p)
    flop, flop_in_numbers = f"4·H·d·{symbols}", f"4·{p.query_heads}·{p.head_dim}·{numbers}"
    traffic = {f.name: f for f in traffic_formulas(settings)}
    whole = {r["algorithm"]: r["intensity"] for r in here if r["kernel"] == r["algorithm"]}
    per_byte = lambda name, of, value: Quotient(
        name, f"{flop} ÷ ({traffic[of].symbols})", f"{flop_in_numbers} ÷ ({traffic[of].numbers})", value, "FLOP/B")
    slope = Quotient("ridge", "roof ÷ DRAM bandwidth", f"{roofs.compute.value:g}·1000 ÷ {roofs.dram.value:g}", roofs.ridge, "FLOP/B")
    l2 = [Quotient("ridge of L2", "roof ÷ L2 bandwidth", f"{roofs.compute.value:g}·1000 ÷ {roofs.l2.value:.6g}",
                   roofs.compute.value * 1000 / roofs.l2.value, "FLOP/B")] if roofs.l2 else []
    return [per_byte("unfused, compulsory", "naive, compulsory", whole["naive"]),
            per_byte("fused, compulsory", "fused, compulsory", whole["fused"]), slope,
            per_byte("fused, requested", "fused, requested", requested_intensity(settings)), *l2,
            _speed(fused), *([_speed(tensor), _share(tensor, roofs)] if tensor else [])]


def _speed(record: dict) -> Quotient:
    return Quotient(f"{_name(record)}, {record['kind']} at N = {record['n']:,}", "FLOP ÷ ms ÷ 10⁹",
                    f"{record['flops']} ÷ {record['ms']:.6g} ÷ 10**9", record["tflops"], "TFLOP/s")


def _share(record: dict, roofs: Roofs) -> Quotient:
    """Of the roof above it, the unit's or, left of the ridge, DRAM's."""
    symbols, numbers = ("roof", f"{roofs.compute.value:g}") if record["roof"] == roofs.name else \
        ("(FLOP/B · DRAM bandwidth)", f"({record['intensity']:.6g}·{roofs.dram.value:g} ÷ 1000)")
    return Quotient(f"{_name(record)}, of its roof", f"100 · TFLOP/s ÷ {symbols}", f"100·{record['tflops']:.6g} ÷ {numbers}",
                    100 * record["share"], "%")


def _name(record: dict) -> str:
    return NAMES.get(record["algorithm"], record["algorithm"])
