"""Pictures and tables: a figure as SVG, PNG or PDF drawn by a browser of the server's own, its records as CSV."""
import csv
import io
import threading

import kaleido
import numpy as np
import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium
from PIL import Image, PngImagePlugin

from app.settings import Settings

COLOURS, APART = 255, 8  # of a PNG's palette; in a channel
PNG_SCALE = 3  # 1280×720 becomes 3840×2160, which is 4K
_one_at_a_time = threading.Lock()


def file_name(chart: str, settings: Settings, extension: str) -> str:
    """tilescope_traffic_N4096_d64_float32.svg"""
    p = settings.problem
    return f"tilescope_{chart}_N{p.seq_len}_d{p.head_dim}_{p.dtype}.{extension}"


def why_no_images() -> str | None:
    """The reason why this machine cannot draw images, or None if it can."""
    if Chromium.find_browser(skip_local=False):
        return None
    return "SVG, PNG and PDF are drawn by Chrome or Chromium, and none was found here; `plotly_get_chrome` installs one"


def image(figure: go.Figure, extension: str) -> bytes:
    """The figure in its own size as "svg", "png" or "pdf". The browser is started once per process and kept: 2 s, then 0.2 s a figure."""
    layout = figure.layout
    options = dict(format=extension, width=layout.width, height=layout.height, scale=PNG_SCALE if extension == "png" else 1)
    with _one_at_a_time:
        kaleido.start_sync_server(silence_warnings=True, mathjax=False)  # MathJax would be fetched from the network
        return kaleido.calc_fig_sync(figure.to_dict(), opts=options)


def png(made: bytes, texts: dict[str, str]) -> bytes:
    """The same picture with these texts inside. An opaque one gets 255 colours, a quarter of the size; the charts' own stay exact."""
    picture, info, out = Image.open(io.BytesIO(made)), PngImagePlugin.PngInfo(), io.BytesIO()
    for name, text in texts.items():
        info.add_itxt(name, text)
    if picture.convert("RGBA").getextrema()[3][0] == 255:
        picture = picture.convert("RGB")
        picture = picture.quantize(palette=_commonest(picture), dither=Image.Dither.NONE)
    picture.save(out, "PNG", pnginfo=info)
    return out.getvalue()


def _commonest(picture: Image.Image) -> Image.Image:
    """A palette of the most frequent colours, none close to another: Pillow takes a colour for its neighbour 3 below in each channel."""
    few = picture.resize([side // PNG_SCALE for side in picture.size], Image.Resampling.NEAREST)  # the same colours, found sooner
    found = np.empty((0, 3), int)
    for _, colour in sorted(few.getcolors(few.width * few.height), reverse=True):
        if len(found) < COLOURS and (abs(found - colour).max(1) > APART).all():
            found = np.vstack([found, colour])
    palette = Image.new("P", (1, 1))
    palette.putpalette(found.ravel().tolist())
    return palette


def table(records: list[dict], settings: Settings) -> str:
    """The records as CSV, one a row, each with the problem, the tiling and the GPU that they share; a record may name another GPU."""
    shared = {name: value for name, value in settings.problem.record().items() if name not in ("seq_len", "kv_len")}
    shared |= settings.tiling.record() | dict(gpu=settings.gpu.name)
    columns = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, [*(name for name in columns if name not in shared), *shared], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(shared | record for record in records)
    return out.getvalue()
