"""A text as passages that can be quoted: sentences of prose, lines of a log or table, records of JSON.

Contract: pure and linear; every passage is a part of the text word for word, in order, at most `LONGEST`
characters long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile

from ctxkit.models.offline.words import ERROR, WORD, WRONG, keys, neighbours

LONGEST = 600

_ABBREVIATION = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|approx)\.|^\s*\d{1,3}\.)$")
_LINE = 12
"""Words up to which "key: value" is a line of data and no sentence."""
_LONGEST_ABBREVIATION = 12
# The look-behind lets a run of dots be tried once, not at each dot.
_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”\u2019)\]]*(?=\s+[\"'“\u2018(\[€£$]?[^\Wa-z_])")
_TELL_ME = re.compile(
    r"(?:\w+,? ){0,3}?(?:ask(?: (?:him|her|them))?|tell me|let me know|find out|check) "
    r"(?:how (?:many|much|long|old|big|far|often)|wh(?:at|ich|en|ere|o|y|ether))\b",
    re.IGNORECASE,
)
"""Questions without a question mark: "ask him how many it holds"."""
_ITEM = re.compile(r"\s*\d{1,3}[.)] ")
_LISTED = re.compile(r"\s*(?:[-*\u2022]|\d{1,3}[.)]) ")
_KEY = re.compile(r"[^\W\d_][\w \-]{0,30}: +\S")
_RECORD = re.compile(r"\{[^{}\[\]]*\}")
_FIGURE = re.compile(r"\d")
_PAIR = re.compile(r'"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^\s,{}\[\]]+)')
_COLUMNS = re.compile(r"\S(?: {2,}|\t+)\S")
_NESTED = re.compile(r"\[\s*\{")


@dataclass(frozen=True, eq=False)
class Passage:
    """One quotable part of a text: its words, their keys, neighbouring words as pairs, the words that have
    a capital without opening it, whether it asks, and whether it heads a table."""

    text: str
    words: tuple[str, ...] = field(repr=False)
    keys: frozenset[str] = field(repr=False)
    pairs: frozenset[tuple[str, str]] = field(repr=False)
    capitals: frozenset[str] = field(repr=False)
    is_question: bool = False
    is_header: bool = False

    @property
    def is_evidence(self) -> bool:
        """Whether it says anything: neither a question nor the head of a table does."""
        return not (self.is_question or self.is_header)


def make(text: str) -> Passage:
    """A passage of this text.

    >>> make("Low water: 07:31").words
    ('Low', 'water', '07:31')
    """
    words = tuple(WORD.findall(text))
    opening = 2 if words and words[0].isdigit() and _ITEM.match(text) else 1
    capitals = frozenset(word for word in words[opening:] if word[0].isupper() and word != word.upper())
    found = {key for word in words for key in keys(word)}
    if WRONG.search(text):
        found.add(ERROR)
    asks = text.rstrip("\"'”\u2019) ").endswith("?") or _TELL_ME.match(text) is not None
    return Passage(text, words, frozenset(found), neighbours(words), capitals, asks)


@lru_cache(maxsize=16_384)
def passages(text: str) -> tuple[Passage, ...]:
    """The passages of a text.

    >>> [p.text for p in passages("Ask Mrs. Lee. She knows.\\n07:31 low\\n13:38 high")]
    ['Ask Mrs. Lee.', 'She knows.', '07:31 low', '13:38 high']
    >>> [p.text for p in passages('[{"at": "07:31", "kind": "low"}, {"at": "13:38", "kind": "high"}]')]
    ['{"at": "07:31", "kind": "low"}', '{"at": "13:38", "kind": "high"}']
    """
    split = _json(text) if _is_json(text) else _prose(text)
    return tuple(_headed([make(part) for whole in split for part in _short(whole)]))


def _headed(found: Sequence[Passage]) -> Iterator[Passage]:
    """The passages, with the first row of a table marked where it has no figure and a later one has."""
    for i, passage in enumerate(found):
        first = is_row(passage) and not (i and is_row(found[i - 1])) and not _FIGURE.search(passage.text)
        heads = first and any(_FIGURE.search(row.text) for row in takewhile(is_row, found[i + 1 :]))
        yield replace(passage, is_header=True) if heads else passage


def is_row(passage: Passage) -> bool:
    """Whether a passage is a line of a table: its cells stand between bars or in columns.

    >>> is_row(make("| 07:31 | low |")), is_row(make("07:31   low")), is_row(make("It is low."))
    (True, True, False)
    """
    return passage.text[:1] == "|" or _COLUMNS.search(passage.text) is not None


def is_record(passage: Passage) -> bool:
    """Whether a passage is one of several records or rows, each of which speaks of something else.

    >>> is_record(make('{"at": "07:31"}')), is_record(make("It is low."))
    (True, False)
    """
    return passage.text[:1] == "{" or is_row(passage)


def is_pair(passage: Passage) -> bool:
    """Whether a passage is a key with its value on a line of its own.

    >>> is_pair(make("back on: 16 June")), is_pair(make("It is back."))
    (True, False)
    """
    return len(passage.words) <= _LINE and _KEY.match(passage.text) is not None


def is_value(passage: Passage) -> bool:
    """Whether a passage is a pair or record of JSON, where quotation marks mean nothing.

    >>> is_value(make('"day": "Friday"')), is_value(make('It is called "Friday".'))
    (True, False)
    """
    return passage.text[:1] in ('"', "{")


def is_item(passage: Passage) -> bool:
    """Whether a passage is an item of a list.

    >>> is_item(make("- low: 07:31")), is_item(make("Low: 07:31"))
    (True, False)
    """
    return _LISTED.match(passage.text) is not None


def apart(found: Sequence[Passage], one: int, other: int) -> bool:
    """Whether two passages of a text are in different records, rows, items, or blocks of pairs that begin
    with the same key; the head of a table is about all its rows.

    >>> apart(passages("van: A\\nload: 6\\nvan: B\\nload: 9"), 0, 3)
    True
    """
    if one == other:
        return False
    if is_item(found[one]) and is_item(found[other]):
        return True
    if is_record(found[one]) and is_record(found[other]):
        return not (found[one].is_header or found[other].is_header)
    if not (is_pair(found[one]) and is_pair(found[other])):
        return False
    low, high = sorted((one, other))
    first = next(i for i, passage in enumerate(found) if is_pair(passage))
    opening = found[first].text.split(":")[0]
    return any(found[i].text.split(":")[0] == opening for i in range(low + 1, high + 1))


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or array: many a log line opens with a bracket too."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _prose(text: str) -> Iterator[str]:
    for line in text.splitlines():
        start = 0
        for end in _END.finditer(line):
            tail = line[max(start, end.end() - _LONGEST_ABBREVIATION) : end.end()]
            if not _ABBREVIATION.search(tail):
                yield line[start : end.end()].strip()
                start = end.end()
        if rest := line[start:].strip():
            yield rest


def _json(text: str) -> Iterator[str]:
    """Records of a list stay whole; a single record is taken pair by pair."""
    inner = _RECORD.finditer(text) if _NESTED.search(text) else ()
    start = 0
    for record in inner:
        yield from _pairs(text[start : record.start()])
        yield record.group()
        start = record.end()
    yield from _pairs(text[start:])


def _pairs(text: str) -> Iterator[str]:
    found = [pair.group() for pair in _PAIR.finditer(text)]
    yield from found or ([text.strip()] if WORD.search(text) else [])


def _short(text: str) -> Iterator[str]:
    while len(text) > LONGEST:
        cut = text.rfind(" ", LONGEST // 2, LONGEST) + 1 or LONGEST
        yield text[:cut].strip()
        text = text[cut:]
    if WORD.search(text):
        yield text.strip()
