"""Slides: a figure in the talk template as a file of any kind, what it shows written inside, and all of them as one zip."""
import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable
from typing import NamedTuple

import plotly.io
import pypdf
from plotly.offline import get_plotlyjs

from app import export
from app.charts.look import STYLE, Template
from app.drawing.png import with_texts
from app.figures import Figure
from traffic_model import Refusal

PLOTLY = "plotly.min.js"  # beside the HTML files of a zip, once for all of them


def about(figure: Figure) -> dict[str, str]:
    """What every file says of itself."""
    return dict(title=figure.title, conditions=figure.conditions, provenance=figure.provenance, description=figure.alt,
                speaker_note=figure.note, software="Tilescope")


def svg(figure: Figure, template: Template) -> bytes:
    """With a title and a description for readers of the screen, and all of `about` as metadata."""
    drawn, said = export.image(figure.draw(template.look), "svg").decode(), about(figure)
    inside = (f"<title>{html.escape(figure.title)}</title><desc>{html.escape(figure.alt)}</desc>"
              f"<metadata>{html.escape(json.dumps(said, ensure_ascii=False), quote=False)}</metadata>")
    return re.sub(r"<svg[^>]*>", lambda opening: opening[0] + inside, drawn, count=1).encode()


def png(figure: Figure, template: Template) -> bytes:
    return with_texts(export.image(figure.draw(template.look), "png"), {name.title(): text for name, text in about(figure).items()})


def pdf(figure: Figure, template: Template) -> bytes:
    writer, out, said = pypdf.PdfWriter(io.BytesIO(export.image(figure.draw(template.look), "pdf"))), io.BytesIO(), about(figure)
    writer.add_metadata({"/Title": said["title"], "/Subject": f"{said['conditions']}. {said['provenance']}. {said['description']}",
                         "/Keywords": said["speaker_note"], "/Creator": said["software"]})
    writer.write(out)
    return out.getvalue()


def page(figure: Figure, template: Template, plotly_js: bool | str = True) -> bytes:
    """HTML that needs no network; with plotly_js "directory" it needs plotly.min.js beside it."""
    drawn = figure.draw(template.look).to_dict()
    drawn["layout"]["template"] = {}  # "none" in the words that this function takes
    body = plotly.io.to_html(drawn, include_plotlyjs=plotly_js, full_html=False, validate=False,
                             config=dict(displaylogo=False, toImageButtonOptions=dict(format="svg", filename=figure.name)))
    said = "".join(f'<meta name="{name}" content="{html.escape(text)}">' for name, text in about(figure).items())
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(figure.title)}</title>{said}'
            f"<style>{STYLE}</style></head>"
            f'<body style="margin:0"><main role="img" aria-label="{html.escape(figure.alt)}">{body}</main></body></html>').encode()


def table(figure: Figure, template: Template) -> bytes:
    return export.table(figure.records, figure.settings).encode()


def data(figure: Figure, template: Template) -> bytes:
    """{"about", "settings", "records", "figure"}: the last is what Plotly draws, in the template."""
    drawn = json.loads(plotly.io.to_json(figure.draw(template.look), validate=False))
    return json.dumps(dict(about=about(figure), settings=figure.settings.record(), records=figure.records, figure=drawn)).encode()


class Kind(NamedTuple):
    """browser: whether the server needs one to make it."""

    make: Callable[[Figure, Template], bytes]
    mime: str
    browser: bool = False


KINDS = {"svg": Kind(svg, "image/svg+xml", True), "png": Kind(png, "image/png", True), "pdf": Kind(pdf, "application/pdf", True),
         "html": Kind(page, "text/html"), "csv": Kind(table, "text/csv"), "json": Kind(data, "application/json")}


def files(figure: Figure, template: Template, kinds: Iterable[str]) -> dict[str, bytes]:
    """{name: content} of one figure."""
    return {export.file_name(figure.name, figure.settings, kind): KINDS[kind].make(figure, template) for kind in kinds}


def bundle(figures: list[Figure], template: Template, state: str) -> bytes:
    """A zip of every figure as every kind that can be made here. state: the settings as a link and as a command, for SETTINGS.md."""
    missing = export.why_no_images()
    kinds = [kind for kind, how in KINDS.items() if not (how.browser and missing) and kind != "html"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PLOTLY, get_plotlyjs())
        for figure in figures:
            archive.writestr(export.file_name(figure.name, figure.settings, "html"), page(figure, template, "directory"))
            for kind in kinds:
                try:
                    for name, content in files(figure, template, [kind]).items():
                        archive.writestr(name, content)
                except Refusal as refusal:
                    missing = str(refusal).rstrip(".")
        archive.writestr("SETTINGS.md", settings_text(figures, template, state, missing))
    return out.getvalue()


def settings_text(figures: list[Figure], template: Template, state: str, missing: str | None = None) -> str:
    """SETTINGS.md: how to make these files again, and for each figure its claim, where its numbers come from, note and alt text."""
    head = ["# Tilescope figures", state, f"Template: {template.words}.", *([f"Left out: {missing}."] if missing else [])]
    parts = [f"## {figure.name}\n\n**{figure.title}**\n\n* Conditions: {figure.conditions}\n* Provenance: {figure.provenance}\n"
             f"* Files: `{export.file_name(figure.name, figure.settings, '*')}`\n\nSpeaker note: {figure.note}\n\nAlt text: {figure.alt}"
             for figure in figures]
    return "\n\n".join(head + parts) + "\n"
