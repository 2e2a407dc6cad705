"""Placing: labels beside their points, where they cover as little as they can: no other label, no marker, no line, nothing outside."""
import math
import re
from itertools import pairwise, product
from typing import NamedTuple

from app.charts.figure import Chart

LETTER, LINE = .56, 1.35  # em: what a letter and a line of text take, rather too much than too little
NEAR = (.6, .9, 1.3, 1.9, 2.8, 4.0, 5.5)  # em from the point
AROUND = (0, *(side * angle for angle in (30, 60, 90, 120, 150) for side in (-1, 1)), 180)  # degrees; 0 is to the right
RIGHT, BELOW, UNDER = (0, -30, 30), (-30, -45, -60), (-90, -60, -120, -30, -150, 0)
STEP = .5  # em between the marks that stand for a line
LABEL, MARKER, STROKE, OUTSIDE = 10000, 400, 5, 100000  # what covering one costs; an em of distance costs 3
ASTRAY = 300  # nearer to another line's end than to its own point


class Box(NamedTuple):
    """In em from the plot's lower left corner; cost: of covering it."""

    left: float
    right: float
    bottom: float
    top: float
    cost: float

    def meets(self, other: "Box") -> bool:
        return self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top

    def gap(self, point: tuple[float, float]) -> float:
        """From its edge to a point outside."""
        x, y = point
        return math.hypot(max(self.left - x, 0, x - self.right), max(self.bottom - y, 0, y - self.top))


class Placer:
    """Tell it first what is drawn, then ask it to place the labels, the most important first."""

    def __init__(self, chart: Chart):
        self.chart, self.taken, self.ends = chart, [], []

    def point(self, x: float, y: float, size: float = .7) -> None:
        x, y = self._em(x, y)
        self.taken.append(Box(x - size / 2, x + size / 2, y - size / 2, y + size / 2, MARKER))

    def line(self, points: dict) -> None:
        for one, other in pairwise(self._em(x, y) for x, y in points.items()):
            marks = max(1, math.ceil(math.dist(one, other) / STEP))
            for share in (k / marks for k in range(marks + 1)):
                x, y = (a + share * (b - a) for a, b in zip(one, other))
                self.taken.append(Box(x - .1, x + .1, y - .1, y + .1, STROKE))

    def end(self, x: float, y: float) -> None:
        """Where a line ends, or is read: labels of others keep away."""
        self.ends.append(self._em(x, y))

    def area(self, left: float, bottom: float, text: str) -> None:
        """A label that was placed by hand, its lower left corner in em."""
        width, height = size(text)
        self.taken.append(Box(left, left + width, bottom, bottom + height, LABEL))

    def beside(self, x: float, y: float, text: str, dx: float, dy: float) -> None:
        """A label that was placed by hand to the right of a point, its left edge and middle moved by (dx, dy) em."""
        left, middle = self._em(x, y)
        self.area(left + dx, middle + dy - size(text)[1] / 2, text)

    def label(self, points: list[tuple[float, float]], text: str, role: str, directions: tuple[int, ...] = AROUND,
              within: float = math.inf) -> None:
        """Beside one of these points where it covers least; of equal places the nearest, then the first of the directions.

        within: em; a label is left out that has no place so near where it covers at most lines, and is nearer to its point than to ends.
        """
        best, found = math.inf, None
        for (x, y), near, (rank, degrees) in product(points, NEAR, enumerate(directions)):
            dx, dy, anchor, box = self._place(x, y, near, math.radians(degrees), *size(text))
            covered = [each.cost for each in self.taken if box.meets(each)] + [OUTSIDE] * self._outside(box)
            astray = self._astray(box, self._em(x, y))
            cost = 3 * near + .3 * rank + sum(covered) + ASTRAY * astray
            if cost < best and (within == math.inf or near <= within and max(covered, default=0) <= STROKE and not astray):
                best, found = cost, (x, y, text, role, dx, dy, anchor)
                where = box
        if not found:
            return
        self.taken.append(where)
        self.chart.note(*found, ground=self.chart.p["ground"])

    def _place(self, x: float, y: float, near: float, angle: float, width: float, height: float) -> tuple[float, float, str, Box]:
        """Shift, anchor and box of a text whose nearest edge or corner is `near` em from the point in this direction."""
        aside, up = (max(-1., min(1., 2 * turn(angle))) for turn in (math.cos, math.sin))
        middle_x, middle_y = near * math.cos(angle) + aside * width / 2, near * math.sin(angle) + up * height / 2
        at_x, at_y = (at + middle for at, middle in zip(self._em(x, y), (middle_x, middle_y)))
        box = Box(at_x - width / 2, at_x + width / 2, at_y - height / 2, at_y + height / 2, LABEL)
        anchor = "left" if aside > .9 else "right" if aside < -.9 else "center"
        return middle_x - width / 2 * {"left": 1, "right": -1, "center": 0}[anchor], middle_y, anchor, box

    def _em(self, x: float, y: float) -> tuple[float, float]:
        """Signed em from the plot's lower left corner."""
        return tuple(math.copysign(self.chart.distance(name, value, low), value - low)
                     for name, value in (("x", x), ("y", y)) for low in [10 ** self.chart.axes[name]["range"][0]])

    def _astray(self, box: Box, own: tuple[float, float]) -> bool:
        return any(box.gap(end) < box.gap(own) for end in self.ends if end != own)

    def _outside(self, box: Box) -> bool:
        plot = self.chart.look.plot
        return box.left < .2 or box.bottom < .2 or box.right > plot["x"] or box.top > plot["y"]


def size(text: str) -> tuple[float, float]:
    """Width and height of a text in em, rather too large than too small."""
    lines = [re.sub("<[^>]*>", "", line) for line in text.split("<br>")]
    return LETTER * max(map(len, lines)), LINE * len(lines)
