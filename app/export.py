"""Files: a chart as SVG or PNG slide, its records as CSV."""
import csv
import io
import threading

import kaleido
import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium
from PIL import Image

from app.settings import Settings

PNG_SCALE = 3
MIME = dict(svg="image/svg+xml", png="image/png", csv="text/csv")
_one_at_a_time = threading.Lock()


def file_name(chart: str, settings: Settings, extension: str) -> str:
    """tilescope_traffic_N4096_d64_float32.svg"""
    p = settings.problem
    return f"tilescope_{chart}_N{p.seq_len}_d{p.head_dim}_{p.dtype}.{extension}"


def why_no_images() -> str | None:
    """The reason why this machine cannot draw images, or None if it can."""
    if Chromium.find_browser(skip_local=False):
        return None
    return "SVG and PNG are drawn by Chrome or Chromium, and none was found here; `plotly_get_chrome` installs one"


def image(figure: go.Figure, extension: str) -> bytes:
    """The figure in its own size as "svg" or "png". The browser is started once per process and kept: 2 s, then 0.2 s a figure."""
    layout = figure.layout
    options = dict(format=extension, width=layout.width, height=layout.height, scale=PNG_SCALE if extension == "png" else 1)
    with _one_at_a_time:
        kaleido.start_sync_server(silence_warnings=True, mathjax=False)  # MathJax would be fetched from the network
        made = kaleido.calc_fig_sync(figure.to_dict(), opts=options)
    return _with_palette(made) if extension == "png" else made


def _with_palette(png: bytes) -> bytes:
    """The same picture with 255 colours: a quarter of the size, and the charts' own colours stay exact."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(255, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(out, "PNG")
    return out.getvalue()


def table(records: list[dict], settings: Settings) -> str:
    """The records as CSV, one a row, each with the problem and the tiling that they share."""
    shared = {name: value for name, value in settings.problem.record().items() if name not in ("seq_len", "kv_len")}
    shared |= settings.tiling.record()
    columns = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, [*columns, *shared], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(record | shared for record in records)
    return out.getvalue()
