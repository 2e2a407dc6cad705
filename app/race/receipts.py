"""receipt: the sum that a lane's bytes come to, written so that anyone can add it up."""
from itertools import groupby

from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.units import decimal_bytes
from traffic_model.vocabulary import Direction, Measure, Space

WAYS = {Direction.WRITE: "out", Direction.READ: "back"}


def receipt(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu, measure: Measure) -> str:
    """`4 × 1,048,576 (Q, K, V, O) + 4 × 67,108,864 (S out, S back, …) = 272,629,760 B`: exact bytes in HBM of all heads of `problem`.

    Cells of equal size are one term, in the order in which they first appear. What moves both ways says which way.
    """
    return " = ".join(_sides(algorithm, problem, tiling, gpu, measure, "{:,}".format, "{:,} B".format))


def short_receipts(algorithm: str, problem: AttentionProblem, tiling: Tiling, gpu: Gpu, measure: Measure) -> tuple[str, str]:
    """The same in rounded units, `4 × 1.05 MB (Q, K, V, O) + 4 × 67.1 MB (…) ≈ 273 MB`, and the exact sum alone."""
    terms, total = _sides(algorithm, problem, tiling, gpu, measure, decimal_bytes, "{:,} B".format)
    return f"{terms} ≈ {decimal_bytes(int(total[:-2].replace(',', '')))}", total


def _sides(algorithm, problem, tiling, gpu, measure, term, total) -> tuple[str, str]:
    ledger = predict(algorithm, problem, tiling, gpu).ledger.only(measure)
    cells = {(array, way): size for (array, space, way, _), size in ledger.items() if space == Space.HBM and size}
    both = {array for array, way in cells if (array, *({*Direction} - {way})) in cells}
    order = list(dict.fromkeys(cells.values()))
    names = [(size, array.letter + f" {WAYS[way]}" * (array in both)) for (array, way), size in cells.items()]
    names.sort(key=lambda named: order.index(named[0]))
    groups = [(size, [name for _, name in group]) for size, group in groupby(names, key=lambda named: named[0])]
    terms = [(f"{len(group)} × " if len(group) > 1 else "") + f"{term(size)} ({_joined(group)})" for size, group in groups]
    return " + ".join(terms), total(sum(cells.values()))


def _joined(names: list[str]) -> str:
    """S out, S back, P out, P back → S, P out and back."""
    twice = [name.removesuffix(" out") for name in names if name.endswith(" out") and name.replace(" out", " back") in names]
    rest = [name for name in names if name.split(" ")[0] not in twice]
    return ", ".join([*rest, *([f"{', '.join(twice)} out and back"] if twice else [])])
