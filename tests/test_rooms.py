"""Who may import whom. The kernels never import a prediction, so that predicted == counted is evidence."""
import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORDS_AND_GEOMETRY = {"errors", "gpus", "layout", "ledger", "masks", "problem", "tiling", "units", "vocabulary"}
FRONT_END = {"options", "tables"}  # of the command lines, which are these files:
COMMAND_LINE = {"__main__.py", "comparison_text.py", "ring_text.py", "validation_text.py"}
OPTIONAL = {"scheduled.py": {"distributed"}}  # what only one module asks for, which says so where it is missing
MODULES = [path for room in ("traffic_model", "numba_kernels", "app") for path in sorted((ROOT / room).rglob("*.py"))]


def imports(source: str) -> set[str]:
    """Full dotted names of everything a module imports, `from a import b` as a.b and as a."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def forbidden(path: Path, source: str) -> list[str]:
    """The imports of a module that its room does not allow."""
    room, names = path.relative_to(ROOT).parts[0], imports(source)
    top = {name: name.split(".")[0] for name in names}
    if room == "traffic_model":
        return sorted(n for n in names if top[n] not in {"traffic_model", "numpy"} | sys.stdlib_module_names)
    if room == "numba_kernels":
        allowed = {"numba_kernels", "numba", "llvmlite", "numpy", "cuda", "traffic_model"} | sys.stdlib_module_names
        allowed |= OPTIONAL.get(path.name, set())
        parts = WORDS_AND_GEOMETRY | (FRONT_END if path.name in COMMAND_LINE else set())
        predictions = {n for n in names if top[n] == "traffic_model" and (n.split(".") + [""])[1] not in parts}
        if path.name == "__main__.py":
            predictions.discard("traffic_model")  # `from traffic_model import options`
        return sorted({n for n in names if top[n] not in allowed} | predictions)
    if "charts" in path.parts:
        return sorted(n for n in names if top[n] == "streamlit")
    return []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms(path):
    assert forbidden(path, path.read_text()) == []


def test_only_one_module_imports_the_cuda_package():
    takers = [path.name for path in MODULES if {"numba.cuda"} & imports(path.read_text())]
    assert takers == ["device.py"]


@pytest.mark.parametrize(("place", "line"), [
    ("traffic_model/x.py", "import numba"),
    ("numba_kernels/x.py", "from traffic_model.predict import predict"),
    ("numba_kernels/x.py", "from traffic_model import predict"),
    ("numba_kernels/x.py", "from traffic_model import fused"),
    ("numba_kernels/x.py", "import streamlit"),
    ("app/charts/x.py", "import streamlit as st"),
])
def test_a_forbidden_import_is_noticed(place, line):
    assert forbidden(ROOT / place, line)
