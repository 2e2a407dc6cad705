"""A sheet to print: the numbers of the race by hand, blanks for what is computed, and a ledger of bytes to fill in; or its answers."""
from app.race.hand import PROBLEM, TILE, plan, written
from app.race.receipts import schedule_cells
from app.race.rungs import Rung
from traffic_model.vocabulary import Measure

STYLE = """<style>
.sheet-by-hand { font-size: 15px; line-height: 1.4; }
.sheet-by-hand .arrays { display: flex; flex-wrap: wrap; gap: 18px 28px; }
.sheet-by-hand table { border-collapse: collapse; }
.sheet-by-hand caption { font-weight: 700; text-align: left; padding-bottom: 3px; }
.sheet-by-hand td, .sheet-by-hand th { border: 1px solid #8d969f; min-width: 38px; height: 26px; padding: 0 6px; text-align: center; }
.sheet-by-hand .numbers tr:nth-child(4n) td { border-bottom-width: 3px; }
.sheet-by-hand .square td:nth-child(4n) { border-right-width: 3px; }
.sheet-by-hand .bytes td { min-width: 84px; }
</style>"""
CAPTIONS = dict(q="Q", k="K", v="V", s="S = Q Kᵀ / 2", p="P = softmax(S), row by row", o="O = P V")
QUESTIONS = ("Fill in S, P and O tile by tile.",
             "Fill in the bytes: a number takes 4. Each kernel reads its inputs once and writes its outputs once.",
             "How many times fewer bytes does the second one move? Compare naive and fused with 1 + N/d.")


def sheet(rungs: tuple[Rung, Rung], answers: bool) -> str:
    """HTML without a page around it; with `answers` nothing is left blank."""
    arrays = "".join(_numbers(array, array in "qkv" or answers) for array in CAPTIONS)
    questions = "".join(f"<li>{question}</li>" for question in QUESTIONS)
    title = f"Attention by hand: N = {PROBLEM.seq_len}, d = {PROBLEM.head_dim}, tiles of {TILE}×{TILE}" + ": the answers" * answers
    return (f'{STYLE}<div class="sheet-by-hand"><h3>{title}</h3><ol>{questions}</ol><div class="arrays">{arrays}</div>'
            f"{_bytes(rungs, answers)}</div>")


def page(rungs: tuple[Rung, Rung], answers: bool) -> str:
    """The same as a page of its own, to print."""
    head = '<meta charset="utf-8"><title>Attention by hand</title>'
    return f'<!doctype html><html lang="en">{head}<body style="font-family: system-ui, sans-serif">{sheet(rungs, answers)}</body></html>'


def _numbers(array: str, filled: bool) -> str:
    rows = "".join(f"<tr>{''.join(f'<td>{number if filled else str()}</td>' for number in row)}</tr>" for row in written(array))
    return f'<table class="numbers{" square" * (array in "sp")}"><caption>{CAPTIONS[array]}</caption>{rows}</table>'


def _bytes(rungs: tuple[Rung, Rung], answers: bool) -> str:
    """Compulsory bytes by array and direction, the sum, and how many times fewer."""
    cells = [schedule_cells(plan(rung.algorithm), Measure.COMPULSORY) for rung in rungs]
    blank = lambda value: value if answers else ""
    rows = [f"<tr><th>{way} {array.letter}</th>{''.join(f'<td>{blank(_amount(each.get((array, way))))}</td>' for each in cells)}</tr>"
            for array, way in dict.fromkeys(cell for each in cells for cell in each)]
    sums = [sum(each.values()) for each in cells]
    total = f"<tr><th>all</th>{''.join(f'<td><b>{blank(_amount(size))}</b></td>' for size in sums)}</tr>"
    ratio = f"<tr><th>times fewer</th><td></td><td>{blank(f'{sums[0] / sums[1]:g}')}</td></tr>"
    heads = "".join(f"<th>{rung}</th>" for rung in rungs)
    return f'<p></p><table class="bytes"><caption>Compulsory bytes</caption><tr><th></th>{heads}</tr>{"".join(rows)}{total}{ratio}</table>'


def _amount(size: int | None) -> str:
    return "0" if size is None else f"{size:,}"
