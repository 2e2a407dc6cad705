"""receipt: the sum that a lane's bytes come to, written so that anyone can add it up."""
from collections import Counter
from itertools import groupby

from app.race.rungs import Rung
from app.settings import Settings
from traffic_model import predict
from traffic_model.ledger import Ledger
from traffic_model.schedule import Schedule
from traffic_model.schedule_sweep import decode
from traffic_model.units import decimal_bytes
from traffic_model.vocabulary import Array, Direction, Measure, Space

WAYS = {Direction.WRITE: "out", Direction.READ: "back"}
Cells = dict[tuple[Array, Direction], int]


def ledger_cells(ledger: Ledger, measure: Measure) -> Cells:
    """Bytes in HBM by array and direction, as a prediction holds them."""
    return {(array, way): size for (array, space, way, _), size in ledger.only(measure).items() if space == Space.HBM and size}


def schedule_cells(plan: Schedule, measure: Measure) -> Cells:
    """The same as the sum of a schedule's moves."""
    cells = Counter()
    for sweep in plan.sweeps:
        for move in sweep.moves:
            cells[move.array, move.direction] += sum(decode(getattr(move, measure)))
    return {cell: size for cell, size in cells.items() if size}


def receipt(cells: Cells) -> str:
    """`4 × 1,048,576 (Q, K, V, O) + 4 × 67,108,864 (S, P out and back) = 272,629,760 B`: exact bytes.

    Cells of equal size are one term, in the order in which they first appear. What moves both ways says which way.
    """
    return " = ".join(_sides(cells, "{:,}".format, "{:,} B".format))


def receipts(cells: Cells) -> list[str]:
    """The receipt, the same in rounded units, `4 × 1.05 MB (Q, K, V, O) + 4 × 67.1 MB (…) ≈ 273 MB`, and the exact sum alone."""
    return [receipt(cells), " ≈ ".join(_sides(cells, decimal_bytes, decimal_bytes)), f"{sum(cells.values()):,} B"]


def predicted(settings: Settings, rungs: tuple[Rung, ...], measure: Measure) -> list[str]:
    """`Naive, compulsory: 4 × …` of each rung, all heads."""
    ledgers = {rung: predict(rung.algorithm, settings.problem, settings.tiling, settings.gpu).ledger for rung in rungs}
    return [f"{rung.capital}, {measure}: {receipt(ledger_cells(ledger, measure))}" for rung, ledger in ledgers.items()]


def hbm_cells(settings: Settings, rungs: tuple[Rung, ...]) -> list[dict]:
    """Records of every HBM cell of both algorithms, all heads, as predicted."""
    rows = []
    for name in dict.fromkeys(rung.algorithm for rung in rungs):
        ledger = predict(name, settings.problem, settings.tiling, settings.gpu).ledger.only(Measure.COMPULSORY, Measure.REQUESTED)
        rows += [dict(algorithm=name, **record, bytes_in_words=decimal_bytes(record["bytes"]))
                 for record in ledger.records() if record["space"] == Space.HBM]
    return rows


def _sides(cells: Cells, term, total) -> tuple[str, str]:
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
