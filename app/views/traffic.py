"""Traffic: bytes against sequence length, moved or held."""
import streamlit as st

from app import comparing, controls, dram, formulas, records
from app.figures import FIGURES, traffic
from app.settings import Settings
from app.views import guide, parts, run_here
from app.views.parts import NO_BREAK
from traffic_model.dram import MODEL
from traffic_model.units import decimal_bytes

VIEWS = {"Moved": "traffic", "Held": "traffic-held"}


def show(settings: Settings) -> None:
    sources, above, row = run_here.sources(), st.container(), st.container(horizontal=True, vertical_alignment="center")
    with row:
        view, hidden, wanted = controls.measure(tuple(VIEWS)), controls.hidden(), run_here.button()
    later = view == "Moved" and not traffic.is_modelled(settings.at(1))  # the DRAM line: what is known at once is drawn at once
    figure = traffic.figure(settings, sources, without_dram=True) if later else FIGURES[VIEWS[view]](settings, sources)
    with above:
        run_here.say_disagreements()
        parts.picture(figure, hidden or guide.asking("traffic"))
    with row:
        parts.slide_button(figure)
    alike = traffic.matching(settings, sources)
    runs = [run for run in alike if run["problem"]["seq_len"] == settings.n]
    run_here.show(settings, wanted, runs)
    if own := comparing.own_points(settings, alike):
        st.caption("Runs of this session ÷ predicted and ÷ recorded, point by point: requested HBM bytes, and time where a GPU ran")
        parts.table(own)
    cells = records.predicted(settings, [settings.n]) + records.counted(runs)
    parts.details("traffic", {"Formula": lambda: _formulas(settings), "HBM bytes": lambda: _table(cells, "hbm"),
                              "Shared-memory bytes": lambda: _table(cells, "shared"), "DRAM": lambda: _dram(settings)})
    if later:
        traffic.crossing_curve(settings.at(1))
        st.rerun()


def _formulas(settings: Settings) -> None:
    rows = [f"| {f.name} | {f.symbols} | {f.numbers} | {f.value:,}{NO_BREAK}B = **{decimal_bytes(f.value).replace(' ', NO_BREAK)}** |"
            for f in formulas.traffic_formulas(settings)]
    st.markdown("\n".join(["| HBM bytes, predicted | formula | with these settings | |", "|---|---|---|--:|", *rows]))
    st.caption(f"{formulas.compulsory_ratio(settings)} {formulas.SYMBOLS}")


def _table(cells: list[dict], space: str) -> None:
    parts.table([r | dict(in_words=decimal_bytes(r["bytes"])) for r in cells if r["space"] == space])


def _dram(settings: Settings) -> None:
    parts.table(dram.kernels(settings))
    st.caption(f"{settings.gpu.name}: {settings.gpu.l2_mib:g} MiB of L2, emptied before each kernel. It must hold what is named between "
               f"two visits to the same line. Less than the compulsory bytes may cross: what was written last stays in L2. {MODEL}")
