"""Lab, Tiles: what the choice of query tile and key tile costs the fused kernel."""
import streamlit as st

from app import controls, theme, tiles
from app.charts import tiles as chart
from app.charts.look import page_look, slide_look
from app.formulas import SYMBOLS, traffic_formulas
from app.settings import Settings, shape_words
from app.views import parts
from traffic_model.units import decimal_bytes


def show(settings: Settings) -> None:
    above, row = st.container(), st.container(horizontal=True)
    with row:
        view = controls.tiles_view(chart.VIEWS)
    records = tiles.tiles(settings)
    conditions = f"N = {settings.n:,} · {shape_words(settings.problem.record())} · {settings.gpu.name}"
    draw = lambda look: chart.tiles(records, view, settings, tiles.hiding_warps(settings), look, conditions)
    with above:
        parts.heading(chart.claim(records, view, settings), f"Predicted, fused kernel · {conditions}")
        parts.chart("tiles", draw(page_look(theme.current())))
    slide = slide_look(theme.current())
    with row:
        parts.downloads(f"tiles_{view.lower()}", lambda: draw(slide), records, settings)
    parts.details("tiles", {"Formula": lambda: _formula(settings, records), "Table": lambda: st.dataframe(records, hide_index=True),
                            "What time assumes": parts.assumptions})


def _formula(settings: Settings, records: list[dict]) -> None:
    """The current tiling's ratio."""
    current = next(r for r in records if r.items() >= settings.tiling.record().items())
    of = {f.name: f for f in traffic_formulas(settings)}
    asked, must = of["fused, requested"], of["naive, compulsory"]
    st.markdown(f"**{settings.tiling}**: fused requested ÷ three-kernel compulsory bytes = ({asked.symbols}) ÷ ({must.symbols}) = "
                f"({asked.numbers}) ÷ ({must.numbers}) = {decimal_bytes(asked.value)} ÷ {decimal_bytes(must.value)} = "
                f"**{current['ratio']:.3f}**")
    st.caption("For long sequences 2·N²·d·e/Br ÷ 4·N²·e = d/(2·Br), and Br = d/2 is the tie. The key tile matters only under a causal "
               f"mask: a key tile that is partly masked is read whole. {SYMBOLS}")
