"""Slides: every figure in the talk template, as files."""
import streamlit as st

from app import cached, controls, export, from_browser, plot, slides
from app.charts.look import Template
from app.figures import FIGURES, Figure
from app.figures.warp import figure as warp_figure
from app.settings import Settings
from app.views import warp
from app.views.run_here import sources

PREVIEW = dict(displaylogo=False, displayModeBar=True, modeBarButtons=[["toImage"]])
STYLE = """<style>
.st-key-slide { overflow: auto hidden; height: calc(.7 * HEIGHTpx); flex: none; }
.st-key-slide > * { transform: scale(.7); transform-origin: 0 0; width: WIDTHpx !important; max-width: none !important; }
.st-key-slide .modebar { visibility: hidden; }
</style>"""  # the buttons above press the camera of the modebar


def show(settings: Settings, own) -> None:
    """own: the container in the sidebar for what only one figure asks."""
    name, template = controls.slide(tuple(FIGURES))
    figure = warp_figure(settings, chosen=warp.choose(settings, own)) if name == "warp" else FIGURES[name](settings, sources())
    missing = cached.why_no_images()
    with st.container(horizontal=True, key="files"):
        for kind, how in slides.KINDS.items():
            if missing and kind in from_browser.FORMATS:
                from_browser.button(kind, export.file_name(name, figure.settings, kind), template.look)
            else:
                _download(kind.upper(), lambda how=how: how.make(figure, template), export.file_name(name, figure.settings, kind), how.mime,
                          missing if how.browser else None)
        st.space("stretch")
        _download("All figures, one zip", lambda: slides.bundle(_all(settings), template, _state(settings, template)),
                  export.file_name("figures", settings, "zip"), "application/zip", None)
    st.html(STYLE.replace("WIDTH", str(template.look.width)).replace("HEIGHT", str(template.look.height)))
    if figure.aside:
        st.info(figure.aside)
    with st.container(key="slide"):
        plot.plot(plot.drawn(figure.describe(template.look), figure.alt, **PREVIEW), "slide_chart")
    st.markdown("**Speaker note**")
    st.code(figure.note, language=None, wrap_lines=True)
    st.markdown("**Alt text**")
    st.code(figure.alt, language=None, wrap_lines=True)
    st.markdown("**The same without a browser tab**")
    st.code(_command(name, template, settings), language=None, wrap_lines=True)
    st.caption(f"{figure.provenance}. Every file holds title, conditions and provenance; the race and softmax pages export their own.")


def _download(label: str, make, file_name: str, mime: str, missing: str | None) -> None:
    """A file made when it is asked for. A failure then could only say that it failed, so what may be missing is looked for before."""
    st.download_button(label, make, file_name, mime, key=f"slide_{label}", on_click="ignore", disabled=missing is not None, help=missing)


def _all(settings: Settings) -> list[Figure]:
    known = sources()
    figures = {figure.name: figure for figure in (make(settings, known) for make in FIGURES.values())}
    return list(figures.values())  # without tensor cores both rooflines are one


def _state(settings: Settings, template: Template) -> str:
    query = "&".join(f"{name}={value}" for name, value in st.query_params.items())
    same = _command(f"{','.join(FIGURES)} --format {','.join(slides.KINDS)}", template, settings)
    return f"The dashboard's link: `/slides?{query}`\n\nThe same files: `{same}`"


def _command(page: str, template: Template, settings: Settings) -> str:
    return f"python -m app export --page {page} {template.options} {settings.options} --out slides"
