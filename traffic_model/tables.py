"""Tables for a terminal."""
from collections.abc import Iterable, Sequence

from traffic_model.ledger import Cell, Ledger
from traffic_model.units import decimal_bytes
from traffic_model.vocabulary import Measure, Space


def table(header: Sequence[str], rows: Iterable[Sequence]) -> str:
    """Columns as wide as their widest text; numbers to the right, words to the left."""
    rows = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    right = [all(cell[:1].isdigit() or cell in ("", "–") for cell in column) for column in zip(*rows)] or [False] * len(header)
    line = lambda cells: "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right)).rstrip()
    return "\n".join([line(header), line(["─" * w for w in widths]), *map(line, rows)])


def ledger_rows(ledger: Ledger) -> tuple[list[str], list[list]]:
    """(header, rows) of a ledger: a row per array, space and direction, a column per measure, in exact bytes."""
    measures = [measure for measure in Measure if measure in ledger.measures]
    records = ledger.records()
    cells = dict.fromkeys(Cell(r["array"], r["space"], r["direction"]) for r in records)
    value = {(*Cell(r["array"], r["space"], r["direction"]), r["measure"]): r["bytes"] for r in records}
    return (["array", "space", "direction", *(f"{m} B" for m in measures)],
            [[cell.array.upper(), cell.space, cell.direction, *(value.get((*cell, m), "–") for m in measures)] for cell in cells])


def totals(ledger: Ledger) -> str:
    """One line: the HBM bytes of each measure that HBM has."""
    held = {measure for _, space, _, measure in ledger if space == Space.HBM}
    return ", ".join(f"{decimal_bytes(ledger.total(m, space=Space.HBM))} {m}" for m in sorted(held, reverse=True))
