"""The README's promises: each names tests, and each test that is named exists."""
import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROMISED = (ROOT / "README.md").read_text().partition("\n## What it promises\n")[2].partition("\n## ")[0]
ROWS = [line.strip("| ").split(" | ") for line in PROMISED.splitlines() if line.startswith("| ")][1:]


def functions_of(place: str) -> set[str]:
    """The functions that a file defines."""
    return {node.name for node in ast.walk(ast.parse((ROOT / place).read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("promise", "held_by"), ROWS)
def test_a_promise_names_tests_that_exist(promise, held_by):
    named = re.findall(r"`(tests/\w+\.py)::(test_\w+)`", held_by)
    assert named and len(named) == held_by.count("`") / 2 and [one for one in named if one[1] not in functions_of(one[0])] == []


def test_there_are_promises():
    assert len(ROWS) >= 15
