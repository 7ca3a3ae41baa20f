"""Who is meant: a name, a relative, a trade, a body that acts; and not a street, a station, a Tuesday.

Contract: pure. What the question says itself is no answer to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ctxkit.models.offline.english import CLAUSE, NUMERALS
from ctxkit.models.offline.meanings import is_everyday, is_organisation, is_person, is_site
from ctxkit.models.offline.passages import Passage, is_value
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.words import is_function, keys

NEAR = 7
"""Words between a name and what the question turns on, at most."""

_WHERE = frozenset(["in", "at", "near", "via", "through", "on"])
_ARTICLES = frozenset(["the", "a", "an"])
_TITLES = frozenset(["Mr", "Mrs", "Ms", "Dr", "Prof", "Professor", "Sir", "Lady"])
_GENITIVE = re.compile(r"\w['\u2019]s$|s['\u2019]$")
_OURS, _THEIRS = frozenset(["my", "our"]), frozenset(["his", "her", "their"])
_OWNED = 3
"""Words up to which an owner stands before what is owned."""
_COMING = frozenset(keys(word)[0] for word in ("come", "drive", "travel", "fly", "move"))
_TITLE = re.compile(r"[\"\u201c]([^\"\u201d]{1,40})[\"\u201d]")
"""What stands in quotation marks is a work or a word, and nobody."""
_SOURCE = frozenset(["with", "by", "from", "to"])


def somebody(
    passage: Passage,
    anchors: Sequence[int],
    asked: Collection[str],
    places: Collection[str] = (),
    called: Collection[str] = (),
    near: int = NEAR,
    named: bool = False,
) -> int:
    """How plainly a passage tells of somebody near one of the anchors: 3 by name, 2, 1, or 0 for not at all.

    asked: keys of the question. places: names that the window has for places. called: all its names. near:
    words between. named: only a name will do.

    >>> from ctxkit.models.offline.passages import make
    >>> texts = "We ask Ada Lee.", "My aunt came.", "The bank will pay.", "We met in Mill Lane."
    >>> [somebody(make(text), range(5), ()) for text in texts]
    [3, 2, 2, 0]
    """
    words, best = passage.words, 0
    for i, word in enumerate(words):
        if is_function(word) or any(key in asked for key in keys(word)) or word.endswith(("'s", "\u2019s")):
            continue
        name = _name(passage, i, places, called, asked)
        body = not name and is_organisation(keys(word)[0])
        if not name and (named or not (body or is_person(keys(word)[0]))):
            continue
        if word in passage.capitals and not name:
            continue
        if any(together(words, i, anchor, near) for anchor in anchors):
            acts = any(0 < anchor - i <= 2 for anchor in anchors) or _after_preposition(words, i)
            best = max(best, 3 if name else 2 if acts else 0 if body else 1)
    return best


def together(words: Sequence[str], one: int, other: int, most: int = NEAR) -> bool:
    """Whether two words stand near each other with no new clause between them."""
    between = words[min(one, other) : max(one, other)]
    return len(between) <= most and not any(word.lower() in CLAUSE or word == "as" for word in between)


def _name(
    passage: Passage, place: int, places: Collection[str], called: Collection[str], asked: Collection[str]
) -> bool:
    """Whether a word belongs to the name of somebody that the question doesn't name itself."""
    words, capitals = passage.words, passage.capitals
    word = words[place]
    if not is_value(passage) and any(word in title for title in _TITLE.findall(passage.text)):
        return False
    if not _is_capital(passage, place, called) or word.lower() in CALENDAR or word in places:
        return False
    first = last = place
    while first and _is_capital(passage, first - 1, called) and _side_by_side(passage, first - 1):
        first -= 1
    while last + 1 < len(words) and words[last + 1] in capitals and _side_by_side(passage, last):
        last += 1
    if any(key in asked for written in words[first : last + 1] for key in keys(written)):
        return False
    before, ends = (words[first - 1].lower() if first else ""), keys(words[last])[0]
    if before == "from" and first > 1 and keys(words[first - 2])[0] in _COMING:
        return False
    if before in _WHERE or (last > first and is_site(ends)):
        return False
    if first < place and words[place - 1].endswith(("'s", "\u2019s")):
        return False  # "Ada's Field" is nobody
    after = words[last + 1] if last + 1 < len(words) else ""
    if before in _ARTICLES and after.islower() and not is_function(after):
        return False  # "the Oslo office": what comes is meant, not the name
    if before in _ARTICLES and first > 1 and words[first - 2].lower() in ("by", "from"):
        return True
    return before not in _ARTICLES or words[first] in _TITLES or (last > first and is_organisation(ends))


def _side_by_side(passage: Passage, place: int) -> bool:
    """Whether nothing but a space, or the dot of "Dr.", stands between a word and the next."""
    one, other = passage.words[place : place + 2]
    return f"{one} {other}" in passage.text or f"{one}. {other}" in passage.text


def _is_capital(passage: Passage, place: int, called: Collection[str]) -> bool:
    word = passage.words[place]
    if place or is_function(word):
        return word in passage.capitals
    return word in called or (word[0].isupper() and not is_everyday(keys(word)[0]) and _is_plain(word))


def _is_plain(word: str) -> bool:
    return (
        word.isalpha()
        and word.lower() not in NUMERALS
        and not word.lower().endswith(("ing", "ed", "ly"))
        and not word.isupper()
    )


def _after_preposition(words: Sequence[str], place: int) -> bool:
    return any(word.lower() in _SOURCE for word in words[max(0, place - 3) : place])


def owner(passage: Passage, noun: str, asked: Collection[str], anchors: Sequence[int]) -> int:
    """How plainly a passage says whose a thing is: "Ada's boat", "my uncle lent us his boat".

    noun: stem of the thing, "" where the question names none.
    """
    words = passage.words
    best = 0
    for i, word in enumerate(words):
        if keys(word)[0] != noun:
            continue
        for before in words[max(0, i - _OWNED) : i]:
            lower = before.lower()
            if _GENITIVE.search(before) and not is_function(before) and keys(before)[0] not in asked:
                best = max(best, 3)
            elif lower in _OURS or (lower in _THEIRS and somebody(passage, range(len(words)), asked)):
                best = max(best, 2)
        after = [other.lower() for other in words[i + 1 : i + 4]]
        if "belong" in " ".join(after) and somebody(passage, [i], asked):
            best = max(best, 3)
    return best
