"""Controls that last: of one page only, yet kept when another page is on show; and links that ask for what is not offered."""
from collections.abc import Callable, Sequence

import streamlit as st

ON_OFF = ("true", "false")  # a toggle in a link
NOT_OFFERED = "links_not_offered"


def lasting(key: str, draw: Callable, at_first, **start):
    """Draws a control of one page: Streamlit forgets it where it is not drawn, so its value is kept beside it. A link comes first.

    at_first: where it starts; start: the argument that says so, which Streamlit does not want beside a value that is set.
    """
    kept = f"kept_{key}"
    if key not in st.session_state and key not in st.query_params and st.session_state.get(kept, at_first) != at_first:
        st.session_state[key], start = st.session_state[kept], {}
    st.session_state[kept] = draw(key=key, bind="query-params", **start)
    return st.session_state[kept]


def keep(key: str, value) -> None:
    """What the control shows when its page is next drawn."""
    st.session_state[f"kept_{key}"] = value
    st.session_state.pop(key, None)


def kept(key: str, default):
    """What the control last said, wherever it was drawn."""
    return st.session_state.get(f"kept_{key}", default)


def selected(label: str, options: Sequence[str], key: str, default: str | None = None) -> str:
    offered(key, label, options)
    value = default or options[0]
    return lasting(key, lambda **kept: st.selectbox(label, options, **kept), value, index=options.index(value))


def switch(label: str, options: Sequence[str], key: str) -> str:
    """One of a few words in a row; its label is for readers of the screen."""
    offered(key, label, options)
    return lasting(key, lambda **kept: st.segmented_control(label, options, required=True, label_visibility="collapsed", **kept),
                   options[0], default=options[0])


def toggle(label: str, key: str, value: bool = False, **more) -> bool:
    offered(key, label, ON_OFF)
    return lasting(key, lambda **kept: st.toggle(label, **more, **kept), value, value=value)


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
