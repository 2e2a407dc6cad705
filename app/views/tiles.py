"""Lab, Tiles: what the choice of query tile and key tile costs the fused kernel."""
import streamlit as st

from app import controls
from app.charts.tiles import VIEWS
from app.figures import FIGURES
from app.formulas import SYMBOLS, traffic_formulas
from app.settings import Settings
from app.views import parts, run_here
from traffic_model.units import decimal_bytes


def show(settings: Settings) -> None:
    above, row = st.container(), st.container(horizontal=True, vertical_alignment="center")
    with row:
        view = controls.tiles_view(VIEWS)
    figure = FIGURES[f"tiles-{view.lower()}"](settings, run_here.sources())
    with above:
        parts.picture(figure)
    with row:
        parts.slide_button(figure)
    parts.details("tiles", {"Formula": lambda: _formula(settings, figure.records), "What time assumes": parts.assumptions,
                            "Table": lambda: parts.table(figure.records)})


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
