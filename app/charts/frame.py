"""Frame: title, caption, axis title and footer of a slide, in as many lines as its width asks for, and the room they take."""
import textwrap
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from app.charts.look import Look

LETTER, BOLD, LINE, TITLE = .47, .5, 1.3, 1.42  # em: a letter's width, a bold one's, a line's height, the title's size
EDGE = .8  # em left and right of all text


class Frame(NamedTuple):
    """The texts with their line breaks, empty where the look leaves them out; *_at: em from the plot to their near edge."""

    look: Look
    title: str
    title_at: float
    caption: str
    caption_at: float
    y_title: str
    source: str
    source_at: float


def framed(look: Look, title: str, conditions: str, y_title: str, foot_left: str, foot_right: str) -> Frame:
    """On a page title and caption stand above the figure and everything fits on one line."""
    if not look.slide:
        return Frame(look, "", 0, "", 0, y_title, foot_right, 1.85)
    wide, left = look.width / look.text - 2 * EDGE, look.margins["l"] / look.text - EDGE
    y_title, caption = _wrapped(y_title, wide), _wrapped(conditions, wide) if look.caption else ""
    title = f"<b>{_wrapped(title, wide / TITLE, BOLD)}</b>" if look.title else ""
    caption_at = .65 + LINE * _lines(y_title)
    title_at = caption_at + .05 + (LINE * _lines(caption) - .1 if caption else 0)
    head = title_at + (TITLE * LINE * _lines(title) if title else 0) + .25
    beside = LETTER * (len(foot_left) + len(foot_right)) + 2 < wide - left
    source = foot_right if beside else _wrapped(foot_right, wide)
    below = 0 if beside else LINE * _lines(source)
    return Frame(replace(look, head=head, foot=3.5 + below), title, title_at, caption, caption_at, y_title, source,
                 1.85 + (0 if beside else LINE))


def _wrapped(text: str, em: float, letter: float = LETTER) -> str:
    """In as few lines as fit, and these about equally long, so that no word is left alone on the last."""
    longest, text = int(em / letter), text.replace(" = ", "\u00a0=\u00a0")  # nor is N = 4,096 torn apart
    wrap = partial(textwrap.wrap, text, break_on_hyphens=False)
    lines = len(wrap(longest))
    even = next(width for width in range(max(1, -(-len(text) // max(lines, 1))), longest + 1) if len(wrap(width)) <= lines)
    return "<br>".join(wrap(even)).replace("\u00a0", " ")


def _lines(text: str) -> int:
    return 1 + text.count("<br>")
