"""Where is it? A name or a room after a preposition, a path, an address; not "in the morning".

Contract: pure, by prepositions and the table of everyday words. What the question says itself is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from ctxkit.models.offline.english import NUMERALS
from ctxkit.models.offline.forms import SPANS
from ctxkit.models.offline.meanings import is_general, is_site
from ctxkit.models.offline.passages import Passage, is_record
from ctxkit.models.offline.persons import together
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import WORD, is_function, is_said, keys

_PLACE = re.compile(
    r"\b(?:in|at|on|near|under|into|behind|beside|between|inside|outside|along|through|past|around|from|to|by)"
    r"\s+(?:(?:the|a|an|my|our|his|her|their|your|its)\s+)?(?:\w+'s\s+(?!in\b|at\b|on\b))?([^\W\d_][\w'\u2019-]*)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^(?:[-*\u2022] )?[^:]{1,30}: ([A-Z][^\W\d_]+)(?=[,.]|$)")
"""A line of a list that names a place: "- 8 May: Oslo, open air"."""
_PATH = re.compile(r"(?<!\w)~?(?:/[\w.-]+){2,}|\b[A-Z]:\\\\\S+|\bhttps?://\S+")
_MOVING = re.compile(
    r"\b(?:go|goes|going|come|coming|mov\w+|send|sent|travel\w*|driv\w+|fly\w*|sail\w*|from|to(?=\W*$))\b",
    re.IGNORECASE,
)
_NO_PLACE = frozenset(
    [
        *NUMERALS,
        *(span + s for span in SPANS for s in ("", "s")),
        *("daytime", "morning", "afternoon", "evening", "noon", "midnight", "moment", "meantime", "end"),
        *("beginning", "spring", "summer", "autumn", "winter", "time", "future", "past", "weekend"),
    ]
)
"""Words of time, which follow the same prepositions."""


def _is_spot(words: Sequence[str]) -> bool:
    """Whether a place is named after a preposition: "the laundry room", "a cupboard", "the church hall"."""
    end = next((i for i, word in enumerate(words) if is_function(word)), len(words))
    return any(is_site(keys(word)[0]) for word in words[:end])


def _has_site(passage: Passage, asked: Collection[str]) -> bool:
    """Whether a row or record names a place: "17 Mill Lane"."""
    return any(
        is_site(keys(word)[0])
        and before[0].isupper()
        and not (is_said(word, asked) or is_said(before, asked))
        for before, word in pairwise(passage.words)
        if word in passage.capitals
    )


def place_told(part: Part, passage: Passage, asked: Collection[str], anchors: Sequence[int]) -> int:
    best = 2 * bool(_PATH.search(passage.text) or (is_record(passage) and _has_site(passage, asked)))
    listed = _LISTED.search(passage.text)
    if listed and not is_said(listed[1], asked) and listed[1].lower() not in CALENDAR:
        best = 2
    for found in _PLACE.finditer(passage.text):
        if found[0].lower().startswith(("to ", "from ")) and not _MOVING.search(part.text):
            continue
        word = found[1]
        at = len(WORD.findall(passage.text[: found.start(1)]))
        if not any(together(passage.words, at, anchor) for anchor in anchors):
            continue
        if is_function(word) or is_said(word, asked) or word.lower() in CALENDAR or word.lower() in _NO_PLACE:
            continue
        if is_general(keys(word)[0]):
            continue
        best = max(best, 2 if word[0].isupper() or _is_spot(passage.words[at : at + 3]) else 1)
    return best


def places_of(placed: Sequence[Placed]) -> frozenset[str]:
    """Names that follow a preposition of place somewhere."""
    return frozenset(
        word
        for p in placed
        for passage in p.view.passages
        for before, word in pairwise(passage.words)
        if word in passage.capitals and before.lower() in ("in", "at", "near", "via")
    )
