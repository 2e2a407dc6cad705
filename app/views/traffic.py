"""Traffic: bytes against sequence length, predicted and counted."""
import streamlit as st

from app import cached, dram, formulas, records, theme
from app.charts.claims import traffic_claim
from app.charts.look import page_look, slide_look
from app.charts.traffic import traffic
from app.settings import Settings
from app.views import parts, run_here
from app.views.parts import NO_BREAK
from traffic_model.dram import MODEL
from traffic_model.units import decimal_bytes


def show(settings: Settings) -> None:
    runs = matching_runs(settings)
    curve, here, counted = cached.predicted_curve(settings.at(1)), records.predicted(settings, [settings.n]), records.counted(runs)
    crossing = cached.dram_curve(settings.at(1))
    conditions = f"{settings.conditions} · {settings.gpu.name}"
    parts.heading(traffic_claim(records.totals(here), settings.n), f"Predicted and counted, DRAM modelled · {conditions} · naive is three "
                  "kernels, fused one")
    draw = lambda look: traffic(curve, here, counted, records.memory_edge(settings), crossing, dram.leaves_l2(crossing), look, conditions)
    parts.chart("traffic", draw(page_look(theme.current())))
    slide = slide_look(theme.current())
    with st.container(horizontal=True):
        wanted = run_here.button()
        parts.downloads("traffic", lambda: draw(slide), curve + here + counted + crossing, settings)
    run_here.show(settings, wanted, [run for run in runs if run["problem"]["seq_len"] == settings.n])
    cells = here + [r for r in counted if r["n"] == settings.n]
    parts.details("traffic", {"Formula": lambda: _formulas(settings), "HBM bytes": lambda: _table(cells, "hbm"),
                              "Shared-memory bytes": lambda: _table(cells, "shared"), "DRAM": lambda: _dram(settings)})


def matching_runs(settings: Settings) -> list[dict]:
    """Shipped runs, then this session's, whose settings but for N are the sidebar's."""
    shipped = [run for _, runs in cached.recorded_runs() for run in runs if not run.get("out_of_memory")]
    return [run for run in shipped + run_here.session_runs() if records.same_shape(run, settings)]


def _formulas(settings: Settings) -> None:
    rows = [f"| {f.name} | {f.symbols} | {f.numbers} | {f.value:,}{NO_BREAK}B = **{decimal_bytes(f.value).replace(' ', NO_BREAK)}** |"
            for f in formulas.traffic_formulas(settings)]
    st.markdown("\n".join(["| HBM bytes, predicted | formula | with these settings | |", "|---|---|---|--:|", *rows]))
    st.caption(f"{formulas.compulsory_ratio(settings)} {formulas.SYMBOLS}")


def _table(cells: list[dict], space: str) -> None:
    st.dataframe([r | dict(in_words=decimal_bytes(r["bytes"])) for r in cells if r["space"] == space], hide_index=True)


def _dram(settings: Settings) -> None:
    st.dataframe(dram.kernels(settings), hide_index=True)
    st.caption(f"{settings.gpu.name}: {settings.gpu.l2_mib:g} MiB of L2, emptied before each kernel. It must hold what is named between "
               f"two visits to the same line. {MODEL}")
