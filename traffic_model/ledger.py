"""Ledger: bytes by (array, space, direction, measure). Predictions, counts, traces and saved runs all carry one."""
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from traffic_model.vocabulary import Array, Direction, Measure, Space


class Cell(NamedTuple):
    """One kind of movement: which array, in which space, which way."""

    array: Array
    space: Space
    direction: Direction

    def __str__(self) -> str:
        return f"{self.array.letter} {self.space} {self.direction}"


class Ledger(Mapping):
    """An immutable mapping from (array, space, direction, measure) to whole bytes that states which measures it holds.

    Two ledgers compare cell by cell, and only if they hold the same measures: comparing a count of requested bytes with a prediction
    of compulsory bytes raises ValueError instead of answering. An absent cell is absent, not zero. `+` sums the kernels of an algorithm.

    >>> keys = Cell(Array.K, Space.SHARED, Direction.READ)
    >>> Ledger.of(Measure.REQUESTED, {keys: 3840}).disagreements(Ledger.of(Measure.REQUESTED, {keys: 3824}))
    ['K shared read requested: 3840 predicted, 3824 counted']
    """

    __slots__ = ("_bytes", "measures")

    def __init__(self, cells: Mapping[tuple, int], measures: Iterable[Measure]):
        """cells: {(array, space, direction, measure): bytes}; measures: the measures these cells are complete for."""
        self.measures = frozenset(Measure(m) for m in measures)
        self._bytes = {}
        for (array, space, direction, measure), value in cells.items():
            key = (*Cell(Array(array), Space(space), Direction(direction)), Measure(measure))
            if key[3] not in self.measures:
                raise ValueError(f"a cell of measure {measure} in a ledger that states {self._stated()}")
            if isinstance(value, bool) or int(value) != value or value < 0:
                raise ValueError(f"bytes are whole numbers from 0 up; {Cell(*key[:3])} {measure} got {value!r}")
            self._bytes[key] = int(value)

    @classmethod
    def of(cls, measure: Measure, cells: Mapping[Cell, int]) -> "Ledger":
        """A ledger of one measure, from {cell: bytes}."""
        return cls({(*cell, measure): value for cell, value in cells.items()}, [measure])

    @classmethod
    def from_records(cls, records: Iterable[Mapping], measures: Iterable[Measure]) -> "Ledger":
        """The inverse of `records()`. Raises ValueError for an unknown word or a cell said twice, KeyError for a missing field."""
        pairs = [((r["array"], r["space"], r["direction"], r["measure"]), r["bytes"]) for r in records]
        cells = dict(pairs)
        if len(cells) < len(pairs):
            raise ValueError("a cell is there twice")
        return cls(cells, measures)

    def __getitem__(self, key: tuple) -> int:
        return self._bytes[key]

    def __iter__(self) -> Iterator[tuple]:
        return iter(self._bytes)

    def __len__(self) -> int:
        return len(self._bytes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        self._require_same_measures(other)
        return self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash((self.measures, frozenset(self._bytes.items())))

    def __add__(self, other: "Ledger") -> "Ledger":
        """The sum over kernels. Both must hold the same measures."""
        self._require_same_measures(other)
        cells = dict(self._bytes)
        for key, value in other.items():
            cells[key] = cells.get(key, 0) + value
        return Ledger(cells, self.measures)

    def __or__(self, other: "Ledger") -> "Ledger":
        """The same launch seen by more measures. The two must hold different ones."""
        if self.measures & other.measures:
            raise ValueError(f"both ledgers hold {', '.join(sorted(self.measures & other.measures))}")
        return Ledger({**self._bytes, **other._bytes}, self.measures | other.measures)

    def __repr__(self) -> str:
        return f"Ledger({len(self)} cells, {self._stated()})"

    def only(self, *measures: Measure) -> "Ledger":
        """The part with these measures. Raises KeyError if one is not held."""
        for measure in measures:
            self._require(measure)
        return Ledger({key: value for key, value in self.items() if key[3] in measures}, measures)

    def total(self, measure: Measure, array: Array = None, space: Space = None, direction: Direction = None) -> int:
        """Bytes of one measure, summed over whatever is not named. Raises KeyError if the measure is not held."""
        self._require(measure)
        wanted = (array, space, direction)
        return sum(value for key, value in self.items()
                   if key[3] == measure and all(w is None or w == k for w, k in zip(wanted, key)))

    def disagreements(self, other: "Ledger", mine: str = "predicted", theirs: str = "counted") -> list[str]:
        """Each differing cell in words: "K shared read requested: 3840 predicted, 3824 counted". Empty when equal."""
        self._require_same_measures(other)
        said = lambda ledger, key, kind: f"{ledger[key]} {kind}" if key in ledger else f"absent in {kind}"
        return [f"{Cell(*key[:3])} {key[3]}: {said(self, key, mine)}, {said(other, key, theirs)}"
                for key in sorted(self.keys() | other.keys()) if self.get(key) != other.get(key)]

    def records(self) -> list[dict]:
        """One plain dict per cell, in the vocabulary's order: {"array", "space", "direction", "measure", "bytes"}."""
        order = [list(Measure), list(Array), list(Space), list(Direction)]
        place = lambda key: [words.index(word) for words, word in zip(order, (key[3], *key[:3]))]
        return [dict(array=str(a), space=str(s), direction=str(d), measure=str(m), bytes=self[a, s, d, m])
                for a, s, d, m in sorted(self, key=place)]

    def _stated(self) -> str:
        return " and ".join(sorted(self.measures)) or "no measure"

    def _require(self, measure: Measure) -> None:
        if measure not in self.measures:
            raise KeyError(f"this ledger states {self._stated()}, not {measure}")

    def _require_same_measures(self, other: "Ledger") -> None:
        if self.measures != other.measures:
            raise ValueError(f"one ledger states {self._stated()}, the other {other._stated()}: compare them with only(measure)")
