"""What pages share: heading, chart, the button that leads to its slide."""
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from app import hosting, lasting, plot, present, viewer
from app.charts.look import Look, Template, page_look
from app.figures import Figure
from traffic_model.times import ASSUMPTIONS

NO_BREAK = "\u00a0"
# beside the sidebar a player needs the whole width
WIDE = "<style>[data-testid=stMainBlockContainer] { padding-inline: 1rem; }</style>"
KEPT_BACK = "What do you expect?"
FIXED = "The settings below do not change this page."
COLUMNS = dict(runs_from="runs from", n="N", block_q="query tile", block_k="key tile", tflops="TFLOP/s", l2_reads="L2 reads",
               flops="FLOP")  # the others are read as they are called
SHARES = ("error", "occupancy", "share")


def picture(figure: Figure, hidden: bool = False) -> None:
    """The claim, its conditions and the chart; presented, the slide alone. hidden: the claim and what gives it away are kept back."""
    if present.presenting():
        present.slide(figure.describe(replace(Template(viewer.theme(), title=not hidden).look, hidden=hidden)))
        return
    with st.container(gap="xxsmall"):
        st.subheader(KEPT_BACK if hidden else figure.title, anchor=False)
        st.caption(caption(figure))
    look = replace(page_look(viewer.theme(), viewer.width()), hidden=hidden)
    with st.container(key="chart"):
        plot.plot(drawn(figure, look), chart_key(figure))


def caption(figure: Figure) -> str:
    return f"{figure.conditions} · {figure.provenance}"


def drawn(figure: Figure, look: Look) -> dict:
    """A figure as a page shows it, for app/plot.py."""
    return plot.drawn(figure.describe(look), KEPT_BACK if look.hidden else figure.alt, displayModeBar=False)


def chart_key(figure: Figure) -> str:
    """The same for what a page shows in turn, so that its chart changes and is not another one."""
    return f"{figure.name.split('-')[0]}_chart"


def details(name: str, tabs: dict[str, Callable[[], None]], title: str = "Show the formula and the tables") -> None:
    """What is one click away: {tab: what draws it}. Closed it costs nothing, so a slider repaints as fast as it can."""
    box = st.expander(title, key=f"{name}_details", on_change="rerun")
    if box.open:
        for tab, draw in zip(box.tabs(list(tabs)), tabs.values()):
            with tab:
                draw()


def table(records: list[dict]) -> None:
    """Records with their columns in words, whole numbers in groups of three and shares in percent."""
    names = dict.fromkeys(name for record in records for name in record)
    st.dataframe(records, hide_index=True, column_config={name: _column(name, [r[name] for r in records if name in r]) for name in names})


def _column(name: str, values: list):
    label = COLUMNS.get(name, name.replace("_", " "))
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds or not kinds <= {int, float}:
        return st.column_config.Column(label)
    return st.column_config.NumberColumn(label, format="percent" if name in SHARES else "%.4g" if float in kinds else "localized")


def slide_button(figure: Figure) -> None:
    """At the right of the row around: to the Slides page, with this figure chosen."""
    st.space("stretch")
    if st.button("Make a slide", key="make_slide"):
        lasting.keep("figure", figure.name)
        turn_to("slides")


def download(html: Callable[[dict], str], shown: dict, what: str) -> None:
    """A player's payload as a file of its own."""
    st.download_button("HTML", lambda: html(shown), f"{shown['file']}.html", "text/html", on_click="ignore",
                       help=f"The {what} as one file that plays in any browser, without a network.")


def starting_button(label: str, key: str, what: str) -> bool:
    """Whether to have a kernel run now; in the button's place a sentence where the host does not want it."""
    if hosting.runs_kernels():
        return st.button(label, key=key, help=what)
    st.caption(hosting.SWITCHED_OFF)
    return False


def turn_to(url_path: str, **query) -> None:
    """To another page of the dashboard."""
    st.switch_page(at(url_path), query_params=query)


def at(url_path: str):
    """The page of this address, which is all that Streamlit knows a page by."""
    return st.Page(lambda: None, title=url_path, url_path=url_path)


def assumptions() -> None:
    """What predicted time takes for granted."""
    st.markdown("\n".join(f"* **{part}**: {assumption}" for part, assumption in ASSUMPTIONS.items()))
