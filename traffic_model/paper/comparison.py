"""Paper beside model: for each published figure the number that the model gives, and whether it holds.

Bytes and accesses must come out as published. For a time or a speed the model knows only a bound, the bytes at the datasheet's
bandwidth and the arithmetic at its peak: a paper's kernel may not be faster, and how much slower it is says what is left to explain.
"""
from collections.abc import Iterator
from dataclasses import dataclass

from traffic_model.gpus import find_gpu
from traffic_model.paper import decode, flash, softmax, standard
from traffic_model.paper.figures import Figure, figures
from traffic_model.paper.shape import GPT2_MEDIUM, READ, WRITE, Moves, Shape, total_bytes

KEY_TILE = 256  # rows, of the published forward and backward pass
EQUAL, AT_LEAST, AT_MOST = "equal", "at least", "at most"
RELATIONS = {"reads": EQUAL, "writes": EQUAL, "hbm": EQUAL, "time": AT_LEAST, "rate": AT_MOST}  # of the paper to the model
ACCESSES = {"safe softmax": softmax.SAFE, "online softmax": softmax.ONLINE}
MEASURED_ON = {"time": "A100 SXM4 40GB", "rate": "H100 SXM5"}


@dataclass(frozen=True)
class Comparison:
    """A published figure, the model's number in the same unit, and how the paper's stands to it: equal, at least or at most."""

    figure: Figure
    model: float
    relation: str

    @property
    def difference(self) -> float:
        """(model − paper) / paper."""
        return self.model / self.figure.value - 1

    @property
    def holds(self) -> bool:
        if self.relation == EQUAL:
            return self.figure.is_met_by(self.model)
        return self.figure.value >= self.model if self.relation == AT_LEAST else self.figure.value <= self.model

    def record(self) -> dict:
        """The JSON object that `python -m traffic_model paper --json` prints."""
        f = self.figure
        return dict(table=f.table, subject=f.subject, setting=f.setting, quantity=f.quantity, unit=f.unit, paper=f.value, kind=f.kind,
                    source=f.source, relation=self.relation, model=self.model, difference=self.difference, holds=self.holds)


def comparisons() -> list[Comparison]:
    """Every published figure beside the model, in the file's order."""
    return [Comparison(figure, _model(figure), RELATIONS[figure.quantity]) for figure in figures()]


def unpublished() -> Iterator[tuple[str, Shape, Moves]]:
    """(name, shape, bytes by step, array and direction) of what no paper prints a figure for: model only."""
    yield "standard, backward", GPT2_MEDIUM, standard.backward(GPT2_MEDIUM)
    yield "standard, backward with dropout", GPT2_MEDIUM, standard.backward(GPT2_MEDIUM, dropout=True)
    yield f"flash, K/V outside, backward, key tile {KEY_TILE}", GPT2_MEDIUM, flash.kv_outer_backward(GPT2_MEDIUM, KEY_TILE)
    for block_q in (64, 128):
        yield f"flash, queries outside, forward, query tile {block_q}", GPT2_MEDIUM, flash.query_outer_forward(GPT2_MEDIUM, block_q)
        yield f"flash, queries outside, backward, query tile {block_q}", GPT2_MEDIUM, flash.query_outer_backward(GPT2_MEDIUM, block_q)
    cache = Shape(n=1, m=32768, d=128, heads=32)
    for splits in (1, 16):
        yield f"decode, 8 key/value heads, {splits} split{'s'[:splits - 1]}", cache, decode.decode(cache, splits, queries_per_kv=4)


def _model(figure: Figure) -> float:
    if figure.table == "accesses":
        return softmax.per_element(ACCESSES[figure.subject], READ if figure.quantity == "reads" else WRITE)
    if figure.quantity == "rate":
        return _fastest(figure.subject, Shape(figure.setting, 64))
    moved = _moved(figure)
    return moved / 1e9 if figure.quantity == "hbm" else moved / (find_gpu(MEASURED_ON["time"]).dram_gb_per_s * 1e6)  # GB, or ms


def _moved(figure: Figure) -> int:
    """Bytes of the GPT-2 rows: both passes with mask and dropout, or forward alone by the key tile."""
    if figure.subject == "standard":
        return total_bytes(standard.forward(GPT2_MEDIUM, mask=True, dropout=True), standard.backward(GPT2_MEDIUM, dropout=True))
    if figure.table == "forward":
        return total_bytes(flash.kv_outer_forward(GPT2_MEDIUM, figure.setting))
    return total_bytes(flash.kv_outer_forward(GPT2_MEDIUM, KEY_TILE), flash.kv_outer_backward(GPT2_MEDIUM, KEY_TILE))


def _fastest(subject: str, shape: Shape) -> float:
    """TFLOP/s of 4·N²·d FLOP at the tensor-core peak or at DRAM bandwidth, whichever is slower. Fused: each tensor once."""
    gpu = find_gpu(MEASURED_ON["rate"])
    moved = total_bytes(standard.forward(shape) if subject == "standard" else flash.query_outer_forward(shape, shape.n))
    return min(gpu.fp16_bf16_tflops, 4 * shape.pairs * shape.d / moved * gpu.dram_gb_per_s / 1e3)
