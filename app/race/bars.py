"""Two bars for below the race: the compulsory bytes of every head, to scale."""
from traffic_model import AttentionProblem, Gpu, Tiling, predict
from traffic_model.units import decimal_bytes, ratio

FILLS = {"naive": "#D55E00", "fused": "#0072B2"}  # 3:1 or better against the light and the dark ground; the text takes the theme's ink
ROW = "display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem;margin:.3rem 0"
NAME = "width:4.5rem;font-weight:600"
TRACK = "flex:1 1 12rem;height:1.4rem"
FILL = "height:100%;min-width:2px;border-radius:3px"
LABEL = "flex:0 1 13rem"


def bars(problem: AttentionProblem, tiling: Tiling, gpu: Gpu) -> str:
    """HTML: the measure, then naive and fused, each with its bytes, and how many times fewer the smaller one moves."""
    moved = {name: predict(name, problem, tiling, gpu).compulsory_bytes for name in FILLS}
    most, least = max(moved.values()), min(moved.values())
    rows = [_bar(name, size / most, decimal_bytes(size) + (f", {ratio(most / size)} fewer" if size == least < most else ""))
            for name, size in moved.items()]
    return f"<div><b>Compulsory HBM bytes, {heads_in_words(problem)}</b> (predicted)</div>{''.join(rows)}"


def heads_in_words(problem: AttentionProblem) -> str:
    """all 16 heads (4 key/value heads), batch 2"""
    shared = f" ({problem.kv_heads} key/value head{'s' * (problem.kv_heads > 1)})" if problem.kv_heads != problem.heads else ""
    batch = f", batch {problem.batch}" if problem.batch > 1 else ""
    return ("one head" if problem.heads == 1 else f"all {problem.heads} heads") + shared + batch


def _bar(name: str, share: float, label: str) -> str:
    return (f'<div style="{ROW}"><div style="{NAME}">{name.capitalize()}</div>'
            f'<div style="{TRACK}"><div style="{FILL};width:{100 * share:.4g}%;background:{FILLS[name]}"></div></div>'
            f'<div style="{LABEL}">{label}</div></div>')
