"""What the documentation says is so: commands and their options, links and places, the table of results, the words, the rooms' imports.

Each check is a function from a text to what is wrong with it, and is shown once to find something in a text that was changed.
"""
import io
import re
import shlex
import sys
from contextlib import redirect_stdout
from functools import lru_cache
from itertools import chain
from pathlib import Path

import pytest
from test_rooms import MODULES, ROOT, forbidden, imports

from app import __main__ as app_command
from app import results
from numba_kernels import __main__ as kernels_command
from traffic_model import ALGORITHMS, Array, Direction, Measure, Space
from traffic_model import __main__ as model_command

PAGES = sorted([*ROOT.glob("*.md"), *(page for room in ("traffic_model", "numba_kernels", "app", "tests")
                                      for page in (ROOT / room).rglob("*.md"))])
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAINS = dict(traffic_model=model_command.main, numba_kernels=kernels_command.main, app=app_command.main)
ROOMS = ("traffic_model", "numba_kernels", "app")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PLACE = re.compile(r"`([\w./*-]+(?:/|\.(?:py|md|js|csv|jsonl)))`")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
LARGEST = dict(gif=1_500_000, png=150_000)  # bytes
COMMAND = re.compile(r"^\s*python -m ((?:traffic_model|numba_kernels|app) .*)$", flags=re.M)
VOCABULARY = {*chain(Array, Space, Direction, Measure), *ALGORITHMS}
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@lru_cache
def said_of(module: str, *command: str) -> str:
    """What --help prints."""
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as left:
        MAINS[module]([*command, "--help"])
    assert left.value.code == 0
    return out.getvalue()


def commands_of(module: str) -> set[str]:
    return set(re.findall(r"^    (\w+)(?:  |$)", said_of(module), flags=re.M))


def options_of(module: str, command: str) -> set[str]:
    return set(re.findall(r"--[a-z][\w-]*", said_of(module, command)))


def unknown_commands(text: str) -> list[str]:
    """Commands in a page that do not exist, and options that theirs do not have."""
    found = []
    for line in COMMAND.findall(text):
        module, command, *words = shlex.split(line, comments=True)
        if command not in commands_of(module):
            found.append(f"{module} {command}")
            continue
        found += [f"{module} {command} {word}" for word in words if word.startswith("--") and word not in options_of(module, command)]
    every = {option for module in MAINS for command in commands_of(module) for option in options_of(module, command)}
    return found + [option for option in re.findall(r"`(--[a-z][\w-]*)(?![\w.-])", text) if option not in every]  # a dot is in Streamlit's


def broken_links(page: Path, text: str) -> list[str]:
    """Relative links to what is not there, and to headings that a page does not have."""
    found = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (heading and heading not in headings(text if path == page else path.read_text(encoding="utf-8"))):
            found.append(target)
    return found


def headings(text: str) -> set[str]:
    """As links name them."""
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, flags=re.M)}


def missing_places(page: Path, text: str) -> list[str]:
    """Files in backticks that are neither below the page, nor below the root, nor beside one that the same line names; * stands for any."""
    found = []
    for names in map(PLACE.findall, text.splitlines()):
        folders = [page.parent, ROOT, *((ROOT / name).parent for name in names)]
        found += [name for name in names if not any(any(folder.glob(name.rstrip("/"))) for folder in folders if folder.is_dir())]
    return found


def poor_pictures(page: Path, text: str) -> list[str]:
    """Pictures that nobody could read aloud, and such as take long to load."""
    return [target for said, target in PICTURE.findall(text)
            if len(said.split()) < 6 or (page.parent / target).stat().st_size > LARGEST[target.rpartition(".")[2]]]


def stale(text: str) -> bool:
    """Whether a table of results differs from what was recorded."""
    between = lambda name, table: "\n".join((results.markers(name)[0], table(), results.markers(name)[1]))
    return not all(between(*each) in text for each in results.TABLES.items())


def words_without_meaning(text: str) -> set[str]:
    """The vocabulary's words that begin no row of the README's tables of words and rungs."""
    sections = [part for part in text.split("\n## ") if part.startswith(("Words\n", "The ladder"))]
    rows = re.findall(r"^\| ([^|]*) \|", "\n".join(sections), flags=re.M)
    return VOCABULARY - set(re.findall(r"\w+", " ".join(rows)))


def misstated_imports(room: str, text: str) -> set[str]:
    """Between what a room's README lets it import and what it imports or may import: the names that are on one side only."""
    [allowed] = re.findall(r"\*\*May import:\*\* (.*?)\n\n", text, flags=re.S)
    stated = set(re.findall(r"`(\w+)`", re.sub(r"[^.]* may not import [^.]*\.", "", allowed)))
    names = [name.split(".") for path in MODULES if path.relative_to(ROOT).parts[0] == room for name in imports(path.read_text())]
    parts = {name[1] for name in names if room == "numba_kernels" and name[0] == "traffic_model" and len(name) > 1}
    real = {name[0] for name in names} - {room} - sys.stdlib_module_names
    if room == "numba_kernels":
        real = real - {"traffic_model"} | parts
    return real ^ stated | {name for name in stated if room == "traffic_model" and forbidden(ROOT / room / "x.py", f"import {name}")}


@pages
def test_commands_and_their_options_exist(page):
    assert unknown_commands(page.read_text(encoding="utf-8")) == []


def test_every_command_is_in_the_readme():
    for module in MAINS:
        assert len(commands_of(module)) > 1
        assert [command for command in commands_of(module) if f"python -m {module} {command}" not in README] == []


@pages
def test_links_lead_somewhere(page):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pages
def test_places_are_there(page):
    assert missing_places(page, page.read_text(encoding="utf-8")) == []


def test_pictures_are_described_and_small():
    assert len(PICTURE.findall(README)) >= 3 and poor_pictures(ROOT / "README.md", README) == []


def test_the_results_are_the_recorded_ones():
    assert not stale(README)


def test_every_word_is_explained():
    assert words_without_meaning(README) == set()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_may_import(room):
    assert misstated_imports(room, (ROOT / room / "README.md").read_text(encoding="utf-8")) == set()


def test_each_of_these_is_able_to_fail():
    page = ROOT / "README.md"
    assert unknown_commands("python -m app exprot --page traffic") == ["app exprot"]
    assert unknown_commands(README.replace("--algorithm fused ", "--algorithms fused ", 1)) != []
    assert unknown_commands("with `--blok-q 16`") == ["--blok-q"]
    assert broken_links(page, "[a](CONTRIBUTING.md) [b](CONTRIBUTED.md) [c](app/README.md#to-add) [d](app/README.md#to-ad)") == [
        "CONTRIBUTED.md", "app/README.md#to-ad"]
    assert missing_places(page, "`traffic_model/naive.py`, `dram/`, `tiled.py`, `tests/test_c*.py`\n`dram/`\n`traffic_model/naiv.py`") == [
        "dram/", "traffic_model/naiv.py"]
    assert poor_pictures(page, "![race](app/static/race.gif)") == ["app/static/race.gif"]
    digit = re.search(r"^\| 4,096 \| `fused` \| (\d)", README, flags=re.M).start(1)
    assert stale(README[:digit] + str((int(README[digit]) + 1) % 10) + README[digit + 1:])
    assert words_without_meaning(README.replace("wavefronts", "wavefront")) == {"wavefronts"}
    assert words_without_meaning(README.replace("| `tiled` |", "| tile |")) == {"tiled"}
    room = (ROOT / "numba_kernels" / "README.md").read_text(encoding="utf-8")
    assert misstated_imports("numba_kernels", room.replace("`ledger`", "`predict`", 1)) == {"ledger", "predict"}
    assert misstated_imports("traffic_model", "**May import:** `numpy`, `numba`.\n\n") == {"numba"}
