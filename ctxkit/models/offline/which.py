"""Which one? "The mill sends flour" doesn't say which mill; "Upper Mill sends flour" does.

Contract: pure, by grammar alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.models.offline.english import DEFINITE, PAST_FORMS
from ctxkit.models.offline.meanings import examples, is_person, is_phrase, near, wanted_form
from ctxkit.models.offline.passages import Passage, is_row
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.words import WORD, is_function, keys

_NEAR = 4
"""Words between a noun and the name that says which one."""
_PARTICLES = frozenset(["out", "off", "up", "down", "over", "away"])
_NOT_NEW = DEFINITE | {"every", "each", "any", "no"}
_IS = frozenset(["is", "was", "are", "were"])
_MOST = re.compile(r"\b(?:most|least|fewest|[^\W\d_]{2,}est)\b", re.IGNORECASE)


def leaves_open_which(part: Part, passage: Passage) -> bool:
    """ "The mill sends flour" doesn't say which mill, if nothing is named there."""
    if part.kind == "time" or not part.wanted or not re.search(r"\bwhich\b", part.text, re.IGNORECASE):
        return False
    asked = {key for term in part.terms for key in term.keys}
    words = passage.words
    if is_subject(part, passage):
        return False
    if is_row(passage) and asked.isdisjoint(keys(words[0])):
        return False  # a row is about what its first cell names
    new = [
        i
        for i, word in enumerate(words)
        if (word in passage.capitals or (any(c.isdigit() for c in word) and not is_person(part.wanted)))
        and asked.isdisjoint(keys(word))
        and word.lower() not in CALENDAR
    ]
    at = [i for i, word in enumerate(words) if part.wanted in keys(word)]
    if not at:
        found = wanted_form(part.wanted) or examples(part.wanted) or (new and _meant(part, passage))
        return not found
    if any(abs(i - j) <= _NEAR for i in new for j in at):
        return False
    if is_person(part.wanted):
        return not tells(part, passage)
    put = [keys(word)[0] for word in WORD.findall(part.text)]
    beside = set(pairwise(put))
    known = all(
        i and (words[i - 1].lower() in _NOT_NEW or (keys(words[i - 1])[0], part.wanted) in beside) for i in at
    )
    return known and not tells(part, passage)


def is_subject(part: Part, passage: Passage) -> bool:
    """Whether a passage opens with something new of which it says what is asked: "salted sells well".

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> is_subject(parts("Which shelf is full?")[0], make("B12 is nearly full."))
    True
    """
    words, asked = passage.words, {key for term in part.terms for key in term.keys[:1]}
    if not part.text.lower().startswith("which ") or part.terms[0].keys[0] != part.wanted or len(words) < 3:
        return False
    phrases = [pair for pair in part.pairs if is_phrase(pair) or pair[1] in _PARTICLES]
    if is_function(words[0]) or keys(words[0])[0] in asked or not passage.pairs.issuperset(phrases):
        return False
    rest = words[2:5] if words[1].lower() in _IS else words[1:2]
    return any(keys(word)[0] in asked for word in rest)


def tells(part: Part, passage: Passage) -> bool:
    """Whether the noun that is asked for stands there with what it is, not just as "the mill".

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("Which sort won?")[0]
    >>> [tells(part, make(text)) for text in ("The sort that we took was Plum.", "The sort is sent later.")]
    [True, False]
    """
    asked = {key for term in part.terms for key in term.keys}
    words = passage.words
    for i, word in enumerate(words):
        if part.wanted not in keys(word):
            continue
        own = i and words[i - 1].lower() not in DEFINITE and not is_function(words[i - 1])
        after = [other.lower() for other in words[i + 1 :]]
        if own and keys(words[i - 1])[0][:1].isdigit():
            continue
        if own and asked.isdisjoint(keys(words[i - 1])):
            return True
        if _is_told(after) or passage.text.lower().startswith(f"{word.lower()}:"):
            return True
    return False


def _meant(part: Part, passage: Passage) -> bool:
    return near((part.wanted,), noun=True).within(passage.keys)


def _is_told(after: list[str]) -> bool:
    """Whether it is said what the thing is: "was plum", but not "is giving"."""
    return any(
        word in _IS
        and i + 1 < len(after)
        and not after[i + 1].endswith(("ing", "ed"))
        and not (is_function(after[i + 1]) or after[i + 1] in PAST_FORMS)
        for i, word in enumerate(after)
    )


def leaves_open_which_most(part: Part, passages: Sequence[Passage]) -> bool:
    """Whether "the smallest reef" is asked for and no passage says "smallest": to compare is not to quote.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("Which is the smallest reef?")[0]
    >>> [leaves_open_which_most(part, [make(f"A {word} reef is near.")]) for word in ("small", "smallest")]
    [True, False]
    """
    said = {word.lower() for passage in passages for word in passage.words}
    return any(word.lower() not in said for word in _MOST.findall(part.text))
