"""Pictures and tables: a figure as SVG, PNG or PDF drawn by a browser of the server's own, its records as CSV."""
import csv
import io

import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium

from app.charts.look import CLEAR
from app.drawing.browser import Drawing, NotDrawn
from app.settings import Settings
from traffic_model import Refusal

PNG_SCALE = 3  # 1280×720 becomes 3840×2160, which is 4K
drawing = Drawing()


def file_name(chart: str, settings: Settings, extension: str) -> str:
    """tilescope_traffic_N4096_d64_float32.svg"""
    p = settings.problem
    return f"tilescope_{chart}_N{p.seq_len}_d{p.head_dim}_{p.dtype}.{extension}"


def why_no_images() -> str | None:
    """The reason why this machine cannot draw images, or None if it can."""
    if Chromium.find_browser(skip_local=False):
        return None
    return "SVG, PNG and PDF are drawn by Chrome or Chromium, and none was found here; `choreo_get_chrome` installs one"


def image(figure: go.Figure, extension: str) -> bytes:
    """The figure in its own size as "svg", "png" or "pdf". The browser is started once per process and kept.

    Raises Refusal where it does not start, dies again and again, or cannot draw the figure.
    """
    text = figure.to_json(validate=False)
    try:
        if extension == "png":
            return drawing.png(text, PNG_SCALE, opaque=figure.layout.paper_bgcolor != CLEAR)
        return dict(svg=drawing.svg, pdf=drawing.pdf)[extension](text)
    except NotDrawn as error:
        raise Refusal(f"the browser could not draw the figure: {str(error).splitlines()[0]}") from None
    except (RuntimeError, OSError) as error:  # choreographer's own, and a time that is over
        raise Refusal(f"the browser that draws images failed ({type(error).__name__}); `choreo_get_chrome` installs one that works, and "
                      "HTML, CSV and JSON need none.") from None


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
