"""A tool result as lines: where it may be cut, with what repeats said once.

Contract: nothing is lost but line breaks, blanks around JSON elements, and repetition, which is counted. A
text that grows at its end keeps its earlier lines, so that summaries of its chunks are found again. Text is
cut at line breaks, JSON at its elements (after commas, the shallowest first), and only a line of over 1,000
characters inside, at a blank where there is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ctxkit.tokens.truncate import grapheme_ends

LONGEST_LINE = 1_000
LONGEST_ELEMENT = 400
DEEPEST_CUT = 8
"""Commas nested deeper are no places to cut: it bounds the work on hostile JSON."""

_COMMAS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True)
class Line:
    """A line, and how often it stands there in a row."""

    text: str
    times: int = 1

    def __str__(self) -> str:
        mark = f"[repeated {self.times:,} times]"
        return self.text if self.times == 1 else f"{self.text} {mark}".lstrip()

    @property
    def size(self) -> int:
        """Characters that it stands for, line breaks included."""
        return (len(self.text) + 1) * self.times


@dataclass(frozen=True)
class Lines:
    """The lines of a text. count: how many there were. is_json: they are elements of a JSON value.

    >>> log = Lines.of("starting\\n" + "waiting\\n" * 2_000 + "stopped")
    >>> [str(line) for line in log.lines], log.count
    (['starting', 'waiting [repeated 2,000 times]', 'stopped'], 2002)
    >>> rows = Lines.of('[' + '{"name": "Ada"}, ' * 40 + '{"name": "Bo"}]')
    >>> [str(line) for line in rows.lines], rows.is_json
    (['[{"name": "Ada"},', '{"name": "Ada"}, [repeated 39 times]', '{"name": "Bo"}]'], True)
    """

    lines: tuple[Line, ...]
    count: int
    is_json: bool

    @classmethod
    def of(cls, text: str) -> Lines:
        """Cut a text."""
        elements = json_elements(text)
        lines = text.splitlines() if elements is None else elements
        pieces = (piece for line in lines for piece in _broken(line))
        return cls(tuple(_counted(pieces)), len(lines), elements is not None)


def json_elements(text: str) -> list[str] | None:
    """The elements of a JSON array or object, as they are written; None for any other text.

    An element of over 400 characters is cut into its own. Joined, they are the text again but for the blanks
    between them.

    >>> json_elements('[1, 2]'), json_elements('7')
    (['[1, 2]'], None)
    """
    text = text.strip()
    if text[:1] not in ("[", "{"):
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    elements: list[str] = []
    spans = [(0, len(text), _commas(text))]
    while spans:
        start, end, commas = spans.pop()
        if end - start <= LONGEST_ELEMENT or not commas:
            elements.append(text[start:end].strip())
        else:
            spans += reversed(_parted(start, end, commas))
    return elements


def _commas(text: str) -> list[tuple[int, int]]:
    """Where an element may end: the place after each comma, and how deep it is nested."""
    places: list[tuple[int, int]] = []
    depth = 0
    for found in _COMMAS.finditer(text):
        sign = found.group()
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "," and depth <= DEEPEST_CUT:
            places.append((found.end(), depth))
    return places


def _parted(
    start: int, end: int, commas: list[tuple[int, int]]
) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """A span cut at its shallowest commas, each part with the commas inside it."""
    shallowest = min(depth for _, depth in commas)
    parts: list[tuple[int, int, list[tuple[int, int]]]] = []
    inside: list[tuple[int, int]] = []
    for place, depth in commas:
        if depth == shallowest:
            parts.append((start, place, inside))
            start, inside = place, []
        else:
            inside.append((place, depth))
    return [*parts, (start, end, inside)]


def _broken(line: str) -> Iterator[str]:
    """A line, in pieces when it is longer than 1,000 characters."""
    start = 0
    while len(line) - start > LONGEST_LINE:
        stretch = line[start : start + LONGEST_LINE]
        end = stretch.rfind(" ") + 1 or (grapheme_ends(stretch, LONGEST_LINE) or [LONGEST_LINE])[-1]
        yield stretch[:end]
        start += end
    yield line[start:]


def _counted(lines: Iterable[str]) -> Iterator[Line]:
    """Lines that repeat said once, where that is shorter."""
    for text, run in groupby(lines):
        once = Line(text, sum(1 for _ in run))
        if len(str(once)) < once.size:
            yield once
        else:
            yield from [Line(text)] * once.times
