"""Does a figure belong to what the question turns on? "Its doors are 90 cm wide, so it came over the balcony"
says nothing of how wide the balcony is.

Contract: pure, by punctuation and order. A figure belongs to what its own clause or one before it speaks of,
never to what only comes after; "14 metres of pipe" to the pipe.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ctxkit.models.offline.forms import time_written
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.words import WORD, is_function, keys

_WHEN_DID = re.compile(r"\bwhen (?:did|was|were)\b", re.IGNORECASE)
_BORDER = re.compile(r"[;:()\u2013\u2014]|,(?!\d)|\b(?:so|but|because|while|although|whereas|until)\b")
_SUBJECT = re.compile(r"\b(?:[Ii]t|[Tt](?:hey|hat|his|here)|[Hh]e|[Ss]he|which|[Bb]oth|[Ee]ach)\b")
_OF = re.compile(r"\s+of\s+((?:\w+\s+){0,2}\w+)")


def belongs(passage: Passage, start: int, end: int, anchors: Sequence[int]) -> bool:
    """Whether the figure at these characters is about one of the anchors, which are numbers of words.

    >>> from ctxkit.models.offline.passages import make
    >>> said = make("Its doors are 90 cm wide, so it came over the balcony.")
    >>> belongs(said, 14, 19, [1]), belongs(said, 14, 19, [9])
    (True, False)
    """
    text = passage.text
    places = [found.start() for i, found in enumerate(WORD.finditer(text)) if i in set(anchors)]
    of = _OF.match(text[end:])
    if of is not None:
        told = {key for word in WORD.findall(of[1]) for key in keys(word)}
        about = {key for i in anchors if i < len(passage.words) for key in keys(passage.words[i])}
        return not told.isdisjoint(about)
    border = _BORDER.search(text, end)
    last = border.start() if border else len(text)
    first = max((found.end() for found in _BORDER.finditer(text, 0, start)), default=0)
    return any(place < last for place in places) or bool(_SUBJECT.search(text[first:start]))


def undated(part: Part, passage: Passage, asked: Collection[str]) -> bool:
    """Whether it is asked when something took place and a passage has no date, only "before you build"."""
    dates = time_written("").finditer(passage.text)
    return bool(_WHEN_DID.search(part.text)) and not any(is_new(found.group(), asked) for found in dates)


def is_new(found: str, asked: Collection[str]) -> bool:
    """Whether something stands there that the question did not say itself."""
    return any(
        (word in ("May", "March", "nothing") or not is_function(word))
        and not any(key in asked for key in keys(word))
        for word in re.findall(r"[^\W_]+(?:[.,:][^\W_]+)*", found)
    ) or not re.search(r"\w", found)
