"""Two bars for below the race: the bytes of every head, to scale."""
from app.charts.look import PALETTES
from app.race.dram import total as dram_total
from app.race.rungs import Rung
from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.units import decimal_bytes, ratio
from traffic_model.vocabulary import Measure, Space

THEMES = ("light", "dark")
FILLS = {name: tuple(PALETTES[theme][name] for theme in THEMES) for name in ("naive", "tiled", "fused")} | {
    "fused_kv_outer": ("#4FA3D9", "#A9C6E8")}  # the text takes the theme's ink
ROW = "display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem;margin:.3rem 0"
NAME = "width:4.5rem;font-weight:600"
TRACK = "flex:1 1 12rem;height:1.4rem"
FILL = "height:100%;min-width:2px;border-radius:3px"
LABEL = "flex:0 1 13rem"


def bars(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, Rung], measure: Measure) -> str:
    """HTML: the measure, then each rung with its bytes, and how many times fewer the smaller one moves."""
    moved = [predict(rung.algorithm, problem, tiling, gpu).ledger.total(measure, space=Space.HBM) for rung in rungs]
    return _bars(rungs, moved, f"{measure.capitalize()} HBM bytes, {heads_in_words(problem)}", "predicted")


def dram_bars(problem: AttentionProblem, tiling: Tiling, gpu: Gpu, rungs: tuple[Rung, Rung]) -> str:
    """The same of what crosses L2 and DRAM."""
    moved = [dram_total(rung, problem, tiling, gpu) for rung in rungs]
    return _bars(rungs, moved, f"DRAM bytes, {heads_in_words(problem)}", f"modelled for {gpu.name}")


def _bars(rungs: tuple[Rung, Rung], moved: list[int], what: str, kind: str) -> str:
    most, least = max(moved), min(moved)
    rows = [_bar(rung, size / most, decimal_bytes(size) + (f", {ratio(most / size)} fewer" if size == least < most else ""))
            for rung, size in zip(rungs, moved)]
    return f"<div><b>{what}</b> ({kind})</div>{''.join(rows)}"


def heads_in_words(problem: AttentionProblem) -> str:
    """all 16 heads (4 key/value heads), batch 2"""
    shared = f" ({problem.kv_heads} key/value head{'s' * (problem.kv_heads > 1)})" if problem.kv_heads != problem.heads else ""
    batch = f", batch {problem.batch}" if problem.batch > 1 else ""
    return ("one head" if problem.heads == 1 else f"all {problem.heads} heads") + shared + batch


def _bar(rung: Rung, share: float, label: str) -> str:
    name, fill = rung.capital, "light-dark({}, {})".format(*FILLS[rung.algorithm])
    return (f'<div style="{ROW}"><div style="{NAME}">{name}</div>'
            f'<div style="{TRACK}"><div style="{FILL};width:{100 * share:.4g}%;background:{fill}"></div></div>'
            f'<div style="{LABEL}">{label}</div></div>')
