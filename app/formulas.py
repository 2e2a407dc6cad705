"""The Traffic chart's four numbers as formulas: in symbols, with the settings' numbers put in, and what they come to."""
from typing import NamedTuple

from app.settings import Settings
from traffic_model import Array, AttentionProblem, Direction, Measure, Space, predict
from traffic_model.units import ratio

SYMBOLS = ("H: query heads × batch · H′: key/value heads × batch · N: sequence length · d: head size · e: bytes per element · "
           "Br: query tile · W: (query, key) pairs of a head that the mask leaves · R: key rows that the query tiles of a head read")


class Formula(NamedTuple):
    """`numbers` is arithmetic that comes to `value` bytes."""

    name: str
    symbols: str
    numbers: str
    value: int


def traffic_formulas(settings: Settings) -> list[Formula]:
    """Compulsory and requested HBM bytes of both algorithms."""
    p = settings.problem
    n, d, e, heads, kv_heads = p.seq_len, p.head_dim, p.element_bytes, p.query_heads, p.batch * p.kv_heads
    visible, visible_in_numbers = pairs(p)
    rows, rows_in_numbers = _key_rows(settings)
    inputs, inputs_in_numbers = "2·H·N·d + 2·H′·N·d", f"2·{heads}·{n}·{d} + 2·{kv_heads}·{n}·{d}"
    texts = {
        ("naive", Measure.COMPULSORY): (f"({inputs} + 4·H·{visible})·e", f"({inputs_in_numbers} + 4·{heads}·{visible_in_numbers})·{e}"),
        ("naive", Measure.REQUESTED): (f"H·({visible}·(4·d + 5) + N·d)·e", f"{heads}·({visible_in_numbers}·(4·{d} + 5) + {n}·{d})·{e}"),
        ("fused", Measure.REQUESTED): (f"2·H·d·(N + {rows})·e", f"2·{heads}·{d}·({n} + {rows_in_numbers})·{e}"),
        ("fused", Measure.COMPULSORY): (f"({inputs})·e", f"({inputs_in_numbers})·{e}"),
    }
    value = lambda algorithm, measure: predict(algorithm, p, settings.tiling, settings.gpu).ledger.total(measure, space=Space.HBM)
    return [Formula(f"{a}, {m}", symbols, numbers, value(a, m)) for (a, m), (symbols, numbers) in texts.items()]


def pairs(problem: AttentionProblem) -> tuple[str, str]:
    """W, the pairs that the mask leaves of N queries and N keys, in symbols and in numbers."""
    n = problem.seq_len
    return ("N²", f"{n}²") if problem.mask == "full" else ("W", f"{n}·({n} + 1)/2")


def compulsory_ratio(settings: Settings) -> str:
    """How many times more three kernels must move: 1 + N/d where nothing is masked or shared between heads."""
    p = settings.problem
    times = ratio(p.compulsory_three_kernel_bytes / p.compulsory_one_kernel_bytes)
    if p.mask == "full" and p.kv_heads == p.heads:
        return f"Compulsory, naive ÷ fused = 1 + N/d = 1 + {p.seq_len}/{p.head_dim} = {times}."
    return f"Compulsory, naive ÷ fused = {times}."


def _key_rows(settings: Settings) -> tuple[str, str]:
    """R in symbols and in numbers. Under a causal mask each query tile stops at the last key that it sees: a sum, given as a number."""
    p, block_q = settings.problem, settings.tiling.block_q
    if p.mask == "full":
        return "⌈N/Br⌉·N", f"{-(-p.seq_len // block_q)}·{p.seq_len}"
    read = predict("fused", p, settings.tiling, settings.gpu).ledger.total(Measure.REQUESTED, Array.K, Space.HBM, Direction.READ)
    return "R", str(read // (p.query_heads * p.head_dim * p.element_bytes))
