"""Chart: collects lines, markers, bars and labels, and turns them into one Plotly figure."""
import math

from app.charts.frame import TITLE, framed
from app.charts.look import SOLID, SYMBOLS, Look


class Chart:
    """Distances of labels and bars are in em, so a page and a slide are drawn by the same code at any width."""

    def __init__(self, look: Look, title: str, conditions: str, y_title: str, foot_left: str, foot_right: str):
        frame = framed(look, title, conditions, y_title, foot_left, foot_right)
        self.look, self.p, self.em = frame.look, look.palette, look.text
        self.traces, self.notes, self.shapes, self.axes = [], [], [], {}
        left, right = (look.margins[side] / self.em for side in "lr")
        if frame.title:
            self.paper(0, 1, frame.title, .8 - left, frame.title_at, yanchor="bottom", color=self.p["ink"], size=TITLE)
        if frame.caption:
            self.paper(0, 1, frame.caption, .8 - left, frame.caption_at, yanchor="bottom")
        self.paper(0, 1, frame.y_title, .8 - left, .15, yanchor="bottom")
        self.paper(0, 0, foot_left, 0, -1.85, yanchor="top")
        self.paper(1, 0, frame.source, right - .8, -frame.source_at, "right", yanchor="top")

    def log_axis(self, name: str, low: float, high: float, ticks: dict) -> None:
        """Axis "x" or "y" from low to high with {value: text} as ticks."""
        self.axes[name] = dict(type="log", range=[math.log10(low), math.log10(high)], tickvals=list(ticks), ticktext=list(ticks.values()))

    def line(self, points: dict, role: str, dash=SOLID, width=1 / 6, opacity=1.0, hover: list[str] | None = None) -> None:
        """A line through {x: y}, whose points may have hover texts."""
        self._trace(points, mode="lines", line=dict(color=self.p[role], width=width * self.em, dash=dash), opacity=opacity,
                    **(dict(hovertext=hover, hoverinfo="text") if hover else dict(hoverinfo="skip")))

    def dots(self, points: dict, role: str, hover: list[str], lines=False, whiskers=None, hollow=False, symbol=None, scale=1.0,
             dash=SOLID) -> None:
        """Markers at {x: y}, each with its hover text; whiskers: {x: (low, high)}; symbol: another than the role's own; scale: of size."""
        fill, edge = ("ground", role) if hollow else (role, "ground")
        edged = dict(color=self.p[edge], width=.1 * self.em)
        marker = dict(symbol=symbol or SYMBOLS[role], size=.6 * scale * self.em, color=self.p[fill], line=edged)
        trace = dict(mode="lines+markers" if lines else "markers", marker=marker, hovertext=hover, hoverinfo="text",
                     line=dict(color=self.p[role], width=self.em / 6, dash=dash))
        if whiskers:
            up, down = ([abs(whiskers[x][side] - y) for x, y in points.items()] for side in (1, 0))
            trace |= dict(error_y=dict(type="data", array=up, arrayminus=down, color=self.p[role], thickness=1.5, width=.25 * self.em))
        self._trace(points, **trace)

    def rings(self, points: list[tuple[float, float, str]], hover: list[str]) -> None:
        """Rings at (x, y, role), wide enough to go round a marker: where the lines stand at the current N.

        Shapes, below notes without words that answer the pointer: a trace that changes has Plotly draw all traces again. On a log axis
        it takes a shape's pixels for data and loses negative ones, so both are placed on the paper.
        """
        r = self.em / 2
        places = [(self._share("x", x), self._share("y", y)) for x, y, _ in points]
        touching = lambda one, other: max(abs(a - b) * self.look.plot[name] for name, a, b in zip("xy", one, other)) < 1
        for (x, y), (*_, role) in zip(places, points):
            text = "<br>".join(said for place, said in zip(places, hover) if touching(place, (x, y)))  # the upper one covers the lower
            self.shapes.append(dict(
                type="circle", xref="paper", yref="paper", xsizemode="pixel", ysizemode="pixel", xanchor=x, yanchor=y, x0=-r, x1=r, y0=-r,
                y1=r, line=dict(color=self.ink(role), width=self.em / 8)))
            self.notes.append(dict(x=x, y=y, xref="paper", yref="paper", xanchor="center", yanchor="middle", text=" ", hovertext=text,
                                   showarrow=False, width=2 * r, height=2 * r, borderpad=0))

    def between(self, low: dict, high: dict, role: str, opacity: float) -> None:
        """A light fill between two lines of the same x values."""
        outline = [*low.items(), *reversed(high.items())]
        self.traces.append(dict(type="scatter", x=[x for x, _ in outline], y=[y for _, y in outline], mode="none", fill="toself",
                                fillcolor=self.p[role], opacity=opacity, hoverinfo="skip"))

    def cell(self, x: tuple[float, float], y: tuple[float, float], fill: str, hover: str, hatched=False) -> None:
        """A filled rectangle, or a hatched one. A trace: shapes cannot be hatched, and heatmaps are soft bitmaps in SVG and PDF."""
        paint = dict(fillpattern=dict(shape="/", fgcolor=fill, bgcolor=self.p["ground"], size=self.em / 2, solidity=.2)) if hatched else \
            dict(fillcolor=fill)
        self.traces.append(dict(type="scatter", mode="lines", fill="toself", line=dict(width=0), hoveron="fills", text=hover,
                                hoverinfo="text") | _outline(x, y) | paint)

    def frame(self, x: tuple[float, float], y: tuple[float, float], role: str) -> None:
        """The outline of a rectangle."""
        self.traces.append(dict(type="scatter", mode="lines", line=dict(color=self.p[role], width=self.em / 6), hoverinfo="skip",
                                cliponaxis=False) | _outline(x, y))

    def upright(self, x: float, role: str, dash: str, top: float | None = None) -> None:
        """A fine upright line at x, to y = top or through the whole plot."""
        span = dict(yref="paper", y0=0, y1=1) if top is None else dict(yref="y", y0=10 ** self.axes["y"]["range"][0], y1=top)
        look = dict(color=self.p[role], width=self.em / 12, dash=dash)
        self.shapes.append(dict(type="line", layer="below", xref="x", x0=x, x1=x, line=look) | span)

    def box(self, x: float, y: float, width: float, height: float, role: str) -> None:
        """A filled box; x, y: its left edge and its middle in em from the plot's top left corner, downwards."""
        px = lambda v: v * self.em
        self.shapes.append(dict(
            type="rect", xref="paper", yref="paper", xsizemode="pixel", ysizemode="pixel", xanchor=0, yanchor=1, x0=px(x), x1=px(x + width),
            y0=-px(y - height / 2), y1=-px(y + height / 2), fillcolor=self.p[role],
            line=dict(color=self.p["ground"], width=1.5 * (width > 1))))  # an outline would swallow a sliver

    def note(self, x: float, y: float, text: str, role="muted", dx=0.0, dy=0.0, xanchor="left", **look) -> None:
        """Text beside a data point. Annotations on log axes take log10, while traces and shapes do not."""
        self.paper(math.log10(x), math.log10(y), text, dx, dy, xanchor, role, xref="x", yref="y", **look)

    def paper(self, x, y, text, dx=0.0, dy=0.0, xanchor="left", role="muted", *, xref="paper", yref="paper", yanchor="middle",
              color=None, size=1.0, ground=None) -> None:
        """Text at a place in the plot, 0 to 1, moved by (dx, dy) em. Plotly's anchor "auto" changes with the place: never use it."""
        font = dict(color=color or self.ink(role), size=size * self.em)
        self.notes.append(dict(x=x, y=y, xref=xref, yref=yref, text=text, xanchor=xanchor, yanchor=yanchor, align=xanchor, showarrow=False,
                               xshift=dx * self.em, yshift=dy * self.em, font=font, borderpad=0,
                               bgcolor=None if self.look.transparent and ground == self.p["ground"] else ground))

    def below_top(self, em: float) -> float:
        """The y value that is drawn so many em below the top of the plot."""
        low, high = self.axes["y"]["range"]
        return 10 ** (high - em / self.look.plot["y"] * (high - low))

    def distance(self, name: str, one: float, other: float) -> float:
        """How far apart two values are on an axis, in em."""
        return abs(self._share(name, one) - self._share(name, other)) * self.look.plot[name]

    def ink(self, role: str) -> str:
        """The role's colour as text on the ground."""
        return self.p["text"].get(role) or self.p[role]

    def spread(self, labels: list[tuple[float, float]]) -> list[float]:
        """Shifts in em that move labels apart until none touch nor leaves the plot at its top; labels: (y value, height in em) of each."""
        start = [self.distance("y", y, 10 ** self.axes["y"]["range"][0]) for y, _ in labels]
        now, order = list(start), sorted(range(len(labels)), key=start.__getitem__)
        for below, above in [*zip(order, order[1:])] * 50:
            if above == order[-1]:
                now[above] = min(now[above], self.look.plot["y"] - labels[above][1] / 2)
            push = max(0.0, (labels[below][1] + labels[above][1]) / 2 - (now[above] - now[below])) / 2
            now[below], now[above] = now[below] - push, now[above] + push
        return [moved - at for moved, at in zip(now, start)]

    def described(self) -> dict:
        """The figure in Plotly's own words, data and layout."""
        layout = self.look.layout()
        axes = {f"{name}axis": layout[f"{name}axis"] | axis for name, axis in self.axes.items()}
        return dict(data=self.traces, layout=layout | axes | dict(annotations=self.notes, shapes=self.shapes))

    def _share(self, name: str, value: float) -> float:
        """Where a value is on an axis, 0 to 1."""
        low, high = self.axes[name]["range"]
        return (math.log10(value) - low) / (high - low)

    def _trace(self, points: dict, **trace) -> None:
        self.traces.append(dict(type="scatter", x=list(points), y=list(points.values())) | trace)


def _outline(x: tuple[float, float], y: tuple[float, float]) -> dict:
    """Starts in the middle of a side, so that the last corner is mitred too."""
    (left, right), (low, high) = x, y
    middle = math.sqrt(left * right)
    return dict(x=[middle, right, right, left, left, middle], y=[low, low, high, high, low, low])
