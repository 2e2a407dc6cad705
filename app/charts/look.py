"""Look: colours, text size and room of a chart, on a page or on a slide.

Colours are Okabe and Ito's with fixed roles: a colour belongs to a variant, whatever the chart. `text` holds the role's colour where the
fill would miss a contrast of 4.5:1 as text on the ground, `on` the colour of text on the fill.
"""
from dataclasses import dataclass

PALETTES = {
    "light": dict(ground="#ffffff", panel="#f1f2f4", ink="#16181b", muted="#4d5358", grid="#e3e6e9", line="#b9bec4", model="#6b7278",
                  naive="#D55E00", tiled="#E69F00", fused="#0072B2", on=dict(naive="#16181b", fused="#ffffff"),
                  text=dict(naive="#A84900", tiled="#7A5400", fused="#005A8C", model="#4d5358")),
    "dark": dict(ground="#121417", panel="#1d2125", ink="#f4f5f6", muted="#b4bac1", grid="#2a2f35", line="#565d66", model="#8b939b",
                 naive="#F28E4B", tiled="#E69F00", fused="#56B4E9", on=dict(naive="#101214", fused="#101214"), text=dict(model="#b4bac1")),
}
SYMBOLS = dict(naive="circle", tiled="triangle-up", fused="square")
SOLID, DASH, FINE, MIXED = "solid", "dash", "dot", "dashdot"  # compulsory, requested, marks, DRAM


@dataclass(frozen=True)
class Look:
    """theme: light or dark; text: px, the em that every distance is given in; width, height: px the labels are laid out for.

    A slide states its own title, ground and size; a page leaves all three to the page around it.
    """

    theme: str
    text: int
    width: int
    height: int
    slide: bool

    @property
    def palette(self) -> dict:
        return PALETTES[self.theme]

    @property
    def margins(self) -> dict:
        """Room in px for tick labels, line labels, title and footer."""
        return dict(l=4.7 * self.text, r=12.6 * self.text, t=(5.3 if self.slide else 1.7) * self.text, b=3.5 * self.text, pad=0)

    @property
    def plot(self) -> dict[str, float]:
        """Width x and height y of the plot area in em."""
        m = self.margins
        return dict(x=(self.width - m["l"] - m["r"]) / self.text, y=(self.height - m["t"] - m["b"]) / self.text)

    def layout(self) -> dict:
        """Everything is stated outright, not in a template: Streamlit's theme overrides templates, and so would its import."""
        p = self.palette
        axis = dict(showgrid=False, zeroline=False, showline=True, linecolor=p["line"], linewidth=1.5, ticks="outside", tickcolor=p["line"],
                    ticklen=self.text / 4, tickfont=dict(color=p["muted"], size=self.text), automargin=False, fixedrange=True)
        layout = dict(template="none", height=self.height, margin=self.margins, showlegend=False, hovermode="closest", dragmode=False,
                      datarevision=1,  # Streamlit hands equal data to Plotly twice: the same revision spares the second drawing
                      hoverlabel=dict(bgcolor=p["ground"], bordercolor=p["line"], font=dict(color=p["ink"], size=self.text)),
                      xaxis=axis, yaxis=axis | dict(showgrid=True, gridcolor=p["grid"], showline=False, ticks=""))
        if self.slide:
            layout |= dict(width=self.width, paper_bgcolor=p["ground"], plot_bgcolor=p["ground"],
                           font=dict(family="Inter, Arial, sans-serif", size=self.text, color=p["ink"]))
        return layout


def page_look(theme: str) -> Look:
    """On the page: the width is what is left beside the sidebar of a 1280 px window."""
    return Look(theme, text=15, width=900, height=440, slide=False)


def slide_look(theme: str) -> Look:
    """The talk template: 1280×720, no text under 24 px."""
    return Look(theme, text=24, width=1280, height=720, slide=True)
