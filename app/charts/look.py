"""Look: colours, text size and room of a chart, on a page or on a slide.

Colours are Okabe and Ito's with fixed roles: a colour belongs to a variant, whatever the chart. `text` holds the role's colour where the
fill would miss a contrast of 4.5:1 as text on the ground, `on` the colour of text on the fill.
"""
from dataclasses import dataclass

PALETTES = {
    "light": dict(ground="#ffffff", panel="#f1f2f4", ink="#16181b", muted="#4d5358", grid="#e3e6e9", line="#b9bec4", model="#6b7278",
                  naive="#D55E00", tiled="#E69F00", fused="#0072B2", tensor="#CC79A7", library="#009E73",
                  on=dict(naive="#16181b", fused="#ffffff"),
                  text=dict(naive="#A84900", tiled="#7A5400", fused="#005A8C", tensor="#94456F", library="#00704F", model="#4d5358")),
    "dark": dict(ground="#121417", panel="#1d2125", ink="#f4f5f6", muted="#b4bac1", grid="#2a2f35", line="#565d66", model="#8b939b",
                 naive="#F28E4B", tiled="#E69F00", fused="#56B4E9", tensor="#CC79A7", library="#3FC79A",
                 on=dict(naive="#101214", fused="#101214"), text=dict(model="#b4bac1")),
}
SYMBOLS = dict(naive="circle", tiled="triangle-up", fused="square", tensor="hexagon", library="diamond")
LIBRARY = "library"  # the role of what is none of ours
NAMES = dict(fused_tensor_core="tensor-core fused")  # where a word of the vocabulary is not a reader's
SOLID, DASH, FINE, MIXED = "solid", "dash", "dot", "dashdot"  # compulsory, requested, marks, DRAM
GROUNDS = ("light", "dark", "transparent", "transparent-dark")  # the last is for slides that are dark themselves
PAGE_FONT, SLIDE_FONT = "Source Sans, sans-serif", "Inter, Arial, sans-serif"
SHAPES = {"16:9": (1280, 720), "4:3": (1200, 900), "square": (1200, 1200)}  # px
PAGE_WIDTH = 916  # px, what is left beside the sidebar of a 1280 px window
CLEAR = "rgba(0,0,0,0)"  # no ground
STYLE = ".js-plotly-plot .cursor-pointer { cursor: default !important; }"  # of the page around: a ring can be pointed at, not pressed
TEXTS = (24, 28)  # px; 24 px of 1280 are 18 pt on a slide. Beyond 28 the labels have no room left


def role(algorithm: str) -> str:
    """Whose colour and marker an algorithm has: its own, the tensor cores', or a library's."""
    known = dict(fused_tensor_core="tensor").get(algorithm, algorithm)
    return known if known in SYMBOLS else LIBRARY


@dataclass(frozen=True)
class Look:
    """theme: light or dark; text: px, the em that every distance is given in; width, height: px the labels are laid out for.

    A slide states its own title, ground and size; a page leaves all three to the page around it. head, foot: em above and below the plot.
    hidden: numbers that give the title's claim away are left out.
    """

    theme: str
    text: int
    width: int
    height: int
    slide: bool
    transparent: bool = False
    title: bool = True
    caption: bool = True
    hidden: bool = False
    head: float = 1.7
    foot: float = 3.5

    @property
    def palette(self) -> dict:
        return PALETTES[self.theme]

    @property
    def margins(self) -> dict:
        """Room in px for tick labels, line labels, title and footer."""
        return dict(l=4.7 * self.text, r=12.6 * self.text, t=self.head * self.text, b=self.foot * self.text, pad=0)

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
        ground = p["ground"] if self.slide and not self.transparent else CLEAR
        font = dict(family=SLIDE_FONT if self.slide else PAGE_FONT, size=self.text, color=p["ink"])
        layout = dict(template="none", width=self.width, height=self.height, margin=self.margins, showlegend=False,
                      hovermode="closest", dragmode=False, hoverlabel=dict(bgcolor=p["ground"], bordercolor=p["line"], font=font),
                      paper_bgcolor=ground, plot_bgcolor=ground, font=font,
                      xaxis=axis, yaxis=axis | dict(showgrid=True, gridcolor=p["grid"], showline=False, ticks=""))
        return layout


def page_look(theme: str, width: int = PAGE_WIDTH) -> Look:
    """On the page."""
    return Look(theme, text=15, width=width, height=440, slide=False)


@dataclass(frozen=True)
class Template:
    """What a slide's figure looks like. ground: one of GROUNDS; shape: of SHAPES; text: px, of TEXTS; title, caption: whether the figure
    carries them."""

    ground: str = "light"
    shape: str = "16:9"
    text: int = TEXTS[0]
    title: bool = True
    caption: bool = True

    @property
    def look(self) -> Look:
        theme = "dark" if self.ground.endswith("dark") else "light"
        return Look(theme, self.text, *SHAPES[self.shape], slide=True, transparent=self.ground.startswith("transparent"), title=self.title,
                    caption=self.caption)

    @property
    def words(self) -> str:
        """light ground, 16:9, text of 24 px, title and caption"""
        shown = " and ".join(part for part in ("title", "caption") if getattr(self, part)) or "no title and no caption"
        return f"{self.ground} ground, {self.shape}, text of {self.text} px, {shown}"

    @property
    def options(self) -> str:
        """As the command line takes it."""
        left_out = "".join(f" --no-{part}" for part in ("title", "caption") if not getattr(self, part))
        return f"--ground {self.ground} --shape {self.shape} --text {self.text}{left_out}"


def slide_look(theme: str) -> Look:
    """The talk template as it opens: 1280×720, no text under 24 px."""
    return Template(theme).look
