"""The cpu backend's generated source: what it says, how it types what it keeps, and which kernels it refuses where."""
import ast
import inspect
import math
import re
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.np.numpy_support import as_dtype
from refused_kernels import REFUSED
from small_kernels import CASES, case, load

from numba_kernels import cpu
from numba_kernels.cpu.dtypes import Dtypes
from numba_kernels.cpu.fills import unfilled
from numba_kernels.cpu.text import read


@pytest.mark.parametrize("form", ["requests", "warps", "check"])
@pytest.mark.parametrize("factory", REFUSED, ids=lambda factory: factory.__name__)
def test_refusals_name_the_line_and_the_reason(factory, form):
    lines, first = inspect.getsourcelines(factory)
    [(line, reason)] = [(first + place, text.split("# refused: ")[1].strip()) for place, text in enumerate(lines) if "# refused" in text]
    with pytest.raises(cpu.Unfaithful) as refusal:
        cpu.source(case(factory, 32, (1, 1, 1), (32, 1, 1), 8, 8, (("n", 3),)).spec, form)
    assert (Path(refusal.value.file).name, refusal.value.line) == ("refused_kernels.py", line)
    assert reason in str(refusal.value)


def test_the_source_says_where_it_comes_from_and_where_it_is_split():
    lines = inspect.getsource(sys.modules[CASES["scan"].spec.text.__module__]).splitlines()
    text = cpu.source(CASES["scan"].spec, "requests")
    assert text.startswith('"""Kernel `scan` of small_kernels, line ')
    barriers = [int(found) for found in re.findall(r"after the barrier of line (\d+)", text)]
    assert len(barriers) == 2 and all("cuda.syncthreads()" in lines[line - 1] for line in barriers)


def test_the_packages_example_is_what_is_generated(tmp_path):
    _, before, after = re.split(r"\nBefore.*:\n\n|\nAfter:\n\n", cpu.__doc__.partition("\nWhat happened")[0])
    indented = lambda text, by: textwrap.indent(textwrap.dedent(text), by * " ").rstrip()
    planted = load(tmp_path, "example", f"""
from small_kernels import *

def factory(layout, keys_seen, ports):
    tallies, start, flush, hbm, scratch, shared = ports
    threads = layout.side

    def sum_all(X, Y, counts, n):
        tally = cuda.local.array(tallies, int64)
        start(tally)
        tile = cuda.shared.array(threads, float32)
{indented(before, 8)}
        flush(tally, counts)

    return sum_all
""")
    spec = case(planted.factory, 32, (1, 1, 1), (32, 1, 1), 64, 32, (("n", 64),)).spec
    unnumbered = lambda text: re.sub(r"of line \d+", "of line", text)
    assert unnumbered(indented(after, 8)) in unnumbered(cpu.source(spec, "requests"))


@pytest.mark.parametrize(("text", "used"), [
    ("for i in range(4):\n for j in range(2):\n  a[i, j] = 0\n  a[i, j] += b[i]", "b"),
    ("for i in range(4):\n b[i] = 0\nfor j in range(n):\n a[j, 0] = b[j]", "a"),
    ("for i in range(n):\n for j in range(4):\n  b[j] = i\n x = b[0]\ny = b[1]", "b"),
    ("for i in range(3):\n b[i] = 0\nx = b[0]", "b"),
    ("for i in range(4):\n b[3 - i] = 0\nx = b[0]", "b"),
    ("for i in range(4):\n if x:\n  b[i] = 0\nx = b[0]", "b"),
    ("for i in range(4):\n b[i] = b[0]", "b"),
    ("for i in range(4):\n x = b[3 - i]\n b[i] = 0", "b"),
    ("for i in range(4):\n b[i] = 0\n x = b[3 - i]", "b"),
    ("for i in range(4):\n b[i] = 0\n if x:\n  break\ny = b[3]", "b"),
    ("if x:\n for i in range(4):\n  b[i] = 0\ny = b[3]", "b"),
    ("if x:\n for i in range(4):\n  b[i] = 0\nelse:\n for i in range(4):\n  b[i] = 1\ny = b[3]", ""),
])
def test_a_local_array_is_kept_unless_it_is_filled_before_it_is_used(text, used):
    assert unfilled(ast.parse(text).body, dict(a=(4, 2), b=(4,)))[0] == set(used)


def every_kind_of_expression(b, i, f, d):
    """Of a truth value, a whole number, a float32 and a float64."""
    return ((b + b, -b, b & b, b * f, i + b, i // i, i / i, i % i, i * f, i << 1, i & i, i**2, numba.uint64(i) + i),
            (f / f, f // i, f % f, f**2, f**i, f + d, -f, f * 0.5, math.inf, math.exp(f), math.exp(i), numba.float32(i) + f),
            (i < f, i < f < d, not i, b and b, f if b else i, max(f, d), max(f, f), min(i, f), abs(f)),
            (int(f), float(f), float(i), bool(i), math.floor(f), math.isinf(f)))


def test_types_are_worked_out_as_numba_does():
    arguments = dict(b=numba.boolean, i=numba.int64, f=numba.float32, d=numba.float64)
    compiled = numba.njit(tuple(arguments.values()))(every_kind_of_expression)
    [signature] = compiled.nopython_signatures
    cast = lambda node: np.dtype(node.attr) if ast.unparse(node).startswith("numba.") else None
    mine = Dtypes({}, {name: as_dtype(found) for name, found in arguments.items()}, cast)
    groups = read(every_kind_of_expression).tree.body[0].value.elts
    expected = {ast.unparse(node): as_dtype(numba.types.unliteral(found))
                for group, types in zip(groups, signature.return_type) for node, found in zip(group.elts, types)}
    assert {ast.unparse(node): mine.expression(node) for group in groups for node in group.elts} == expected
