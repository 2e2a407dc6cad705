"""How the cpu backend says no."""
import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traffic_model.errors import Refusal


class Unfaithful(Refusal):
    """A kernel text that the cpu backend cannot run exactly as a GPU would: `file`, `line`, `reason`; `str()` is the sentence to show."""

    def __init__(self, node: ast.AST, reason: str):
        super().__init__(reason)
        self.file, self.line, self.reason = "", node.lineno, reason

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}: {self.reason}."


@contextmanager
def reading(file: str) -> Iterator[None]:
    """What is refused inside came from this file, unless a device function of another file was refused first."""
    try:
        yield
    except Unfaithful as refusal:
        refusal.file = refusal.file or file
        raise
