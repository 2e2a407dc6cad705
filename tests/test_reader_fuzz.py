"""The reader of run files meets files that nobody thought of: it takes them whole or refuses them in a sentence, nothing else."""
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import comparing, dropped
from numba_kernels import saved
from traffic_model import Refusal

EXAMPLES = int(os.environ.get("TILESCOPE_EXAMPLES", "100"))  # more in a long test
WHOLE = saved.objects(saved.RECORDED / "h200_float32.jsonl")[:3]  # the header and two runs
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
                      lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3), max_leaves=6)
fuzzed = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def places(value, path=()):
    """Where something could stand in the place of something else."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from places(part, (*path, name))


PLACES = [path for path in places(WHOLE) if path]


@st.composite
def files_with_another_value(draw) -> bytes:
    lines = json.loads(json.dumps(WHOLE))
    for *path, last in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2)):
        holder = lines
        try:
            for name in path:
                holder = holder[name]
            holder[last] = draw(VALUES)
        except (KeyError, IndexError, TypeError):  # the first change took this place away
            continue
    return "\n".join(map(json.dumps, lines)).encode()


@st.composite
def files_with_other_bytes(draw) -> bytes:
    text = "\n".join(map(json.dumps, WHOLE)).encode()
    start = draw(st.integers(0, len(text)))
    return text[:start] + draw(st.binary(max_size=8)) + text[start + draw(st.integers(0, 40)):]


@fuzzed
@given(content=files_with_another_value() | files_with_other_bytes() | st.binary(max_size=200))
def test_a_file_is_taken_whole_or_refused_in_a_sentence(content):
    try:
        header, runs = dropped.read("runs.jsonl", content)
    except Refusal as refusal:
        assert str(refusal).startswith("runs.jsonl") or "GPU" in str(refusal).upper(), refusal
        assert "\n" not in str(refusal) and len(str(refusal)) < 1000
    else:  # what is taken can be shown
        comparing.overview("runs.jsonl", runs)
        comparing.ratios(runs, runs)
        assert header["gpu"] and all(saved.key(run) for run in runs)


def test_the_file_that_is_changed_is_one_that_is_taken():
    _, runs = dropped.read("runs.jsonl", "\n".join(map(json.dumps, WHOLE)).encode())
    assert len(runs) == 2


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs/runs.jsonl", "a/b\\c.jsonl"])
def test_a_file_name_from_a_user_never_leaves_its_folder(name, tmp_path, monkeypatch):
    monkeypatch.setattr(dropped.tempfile, "tempdir", str(tmp_path))
    dropped.read(name, "\n".join(map(json.dumps, WHOLE)).encode())
    assert list(tmp_path.iterdir()) == []
