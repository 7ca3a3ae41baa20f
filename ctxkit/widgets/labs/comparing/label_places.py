"""Where the names of marks stand in a plot, so that none falls on another or on a mark.

Contract: the same spots always give the same places. Widths are judged by the number of characters in a
plot of `NARROWEST` pixels; in a wider one there is only more room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

NARROWEST = 300
CHARACTER, LINE = 6.6, 16
"""Pixels: of a plot's width, of a character, and from one line of text to the next."""
MARK, OFF = 8, 14
"""Pixels from the middle of a mark to its edge, and to its name."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in pixels."""


@dataclass(frozen=True)
class Place:
    """Pixels from a mark to its name: to the right (below 0: to the left) and up."""

    right: float
    up: float


def place_labels(spots: Sequence[tuple[float, float]], lengths: Sequence[int], tall: float) -> list[Place]:
    """Places for the names of marks: each the nearest to its mark that is free, the highest mark's first.

    spots: of the marks, from 0 to 1, to the right and up. lengths: of the names, in characters. tall: pixels
    of the plot's height.

    >>> place_labels([(0.1, 0.5), (0.1, 0.5), (0.9, 0.5)], [10, 10, 10], 300)
    [Place(right=14, up=0), Place(right=14, up=16), Place(right=-14, up=0)]
    """
    points = [(right * NARROWEST, up * tall) for right, up in spots]
    taken: list[Box] = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in {*points}]
    places: dict[int, Place] = {}
    for at in sorted(range(len(spots)), key=lambda at: (-points[at][1], at)):
        wide = lengths[at] * CHARACTER
        tries = [*_around(points[at], wide, tall)]
        free = (place for place in tries if not any(_meet(_box(points[at], place, wide), b) for b in taken))
        places[at] = next(free, tries[0])
        taken.append(_box(points[at], places[at], wide))
    return [places[at] for at in range(len(spots))]


def _around(point: tuple[float, float], wide: float, tall: float) -> Iterator[Place]:
    """Places for a name inside the plot, the nearest first, and to the right before left."""
    rooms = ((OFF, NARROWEST - point[0]), (-OFF, point[0]))
    sides = [side for side, room in rooms if OFF + wide <= room] or [
        OFF if point[0] < NARROWEST / 2 else -OFF
    ]
    for line in range(1 + int(tall // LINE)):
        for up in dict.fromkeys((line * LINE, -line * LINE)):
            if LINE / 2 <= point[1] + up <= tall - LINE / 2:
                yield from (Place(side, up) for side in sides)
    yield Place(sides[0], 0)


def _box(point: tuple[float, float], place: Place, wide: float) -> Box:
    near, middle = point[0] + place.right, point[1] + place.up
    left = near if place.right > 0 else near - wide
    return left, middle - LINE / 2, left + wide, middle + LINE / 2


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
