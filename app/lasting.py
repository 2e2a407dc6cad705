"""Controls that last: of one page only, yet kept when another page is on show; and links that ask for what is not offered."""
from collections.abc import Callable, Sequence

import streamlit as st

ON_OFF = ("true", "false")  # a toggle in a link
NOT_OFFERED = "links_not_offered"


def lasting(key: str, draw: Callable):
    """Draws a control of one page: Streamlit forgets it where it is not drawn, so its value is kept beside it. A link comes first."""
    kept = f"kept_{key}"
    if key not in st.session_state and key not in st.query_params and kept in st.session_state:
        st.session_state[key] = st.session_state[kept]
    st.session_state[kept] = draw(key=key, bind="query-params")
    return st.session_state[kept]


def keep(key: str, value) -> None:
    """What the control shows when its page is next drawn."""
    st.session_state[f"kept_{key}"] = value
    st.session_state.pop(key, None)


def selected(label: str, options: Sequence[str], key: str, default: str | None = None) -> str:
    offered(key, label, options)
    index = {} if _known(key) else dict(index=options.index(default or options[0]))
    return lasting(key, lambda **kept: st.selectbox(label, options, **index, **kept))


def switch(label: str, options: Sequence[str], key: str) -> str:
    """One of a few words in a row; its label is for readers of the screen."""
    offered(key, label, options)
    default = {} if _known(key) else dict(default=options[0])
    return lasting(key, lambda **kept: st.segmented_control(label, options, **default, required=True, label_visibility="collapsed", **kept))


def toggle(label: str, key: str, value: bool = False, **more) -> bool:
    offered(key, label, ON_OFF)
    start = {} if _known(key) else dict(value=value)
    return lasting(key, lambda **kept: st.toggle(label, **start, **more, **kept))


def offered(key: str, label: str, options: Sequence) -> None:
    """Call it before the control is drawn: notes a value in the link that is none of the options; the control then shows its default."""
    asked = st.query_params.get(key)
    if asked is not None and asked not in map(str, options):
        st.session_state.setdefault(NOT_OFFERED, {})[key] = f"{label} = {asked[:40]!r}"


def notice() -> None:
    """Says once what the link asked for in vain. Call it when every control has been drawn."""
    refused = st.session_state.pop(NOT_OFFERED, {})
    if refused:
        st.toast(f"The link asks for {'; '.join(refused.values())}, which is not offered. What is on show is the nearest default.",
                 icon=":material/link_off:", duration="infinite")


def _known(key: str) -> bool:
    return key in st.session_state or f"kept_{key}" in st.session_state
