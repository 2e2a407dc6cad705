"""The tutorial: five parts in Markdown, each with a link that sets the dashboard, an exercise and its answer.

A part is a file: `# title`, what it explains, a line `[Set the dashboard](http://localhost:8501/page?settings)`, `## Exercise`,
`## Answer`, and a last paragraph that leads on to the next file, for who reads it outside the dashboard.
"""
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

FOLDER = Path(__file__).parent
FILES = ("memory_bound.md", "tiling.md", "online_softmax.md", "requested_and_dram.md", "when_fused_loses.md")
PART = re.compile(r"# (?P<title>.*?)\n\n(?P<text>.*)\n\n\[Set the dashboard\]\((?P<link>\S+)\): (?P<look>.*)\n\n"
                  r"## Exercise\n\n(?P<exercise>.*)\n\n## Answer\n\n(?P<answer>.*)\n\nNext: .*\n", flags=re.S)


class Part(NamedTuple):
    """page: its address in the dashboard, "" for the first; settings: what the link sets; look: what to see there. Texts are Markdown."""

    title: str
    text: str
    page: str
    settings: dict[str, str]
    look: str
    exercise: str
    answer: str


@lru_cache
def tutorial() -> tuple[Part, ...]:
    """The parts in order."""
    return tuple(parse((FOLDER / name).read_text(encoding="utf-8")) for name in FILES)


def parse(text: str) -> Part:
    """Raises ValueError for a text that is no part."""
    found = PART.fullmatch(text)
    if found is None:
        raise ValueError("a part has a title, a text, a link, an exercise, an answer and what comes next")
    link = urlsplit(found["link"])
    return Part(found["title"], found["text"], link.path.strip("/"), dict(parse_qsl(link.query)), found["look"], found["exercise"],
                found["answer"])
