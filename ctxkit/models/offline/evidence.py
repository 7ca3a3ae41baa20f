"""How plainly does a passage hold the very thing that is wanted: a date for "when", somebody for "who", a
colour for "which colour", digits for a telephone number?

Contract: pure, by form and by the table of everyday words. Where a question and a passage agree by meaning
only, the form of the answer has to carry more than `shapes.fits` asks for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from ctxkit.models.offline.clauses import belongs, is_new, undated
from ctxkit.models.offline.counts import counts, stands_alone
from ctxkit.models.offline.forms import form, has_form, measured, time_written, times, written
from ctxkit.models.offline.meanings import examples, is_closed, is_trouble, wanted_form
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.persons import NEAR, owner, somebody, together
from ctxkit.models.offline.places import place_told
from ctxkit.models.offline.prices import price_told
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.reasons import why
from ctxkit.models.offline.shapes import CALENDAR, NAMING, number
from ctxkit.models.offline.words import WORD, is_function, is_said, keys

BESIDE = 4
"""Words between a name and what the question turns on, where the name itself is wanted."""

_ALONG = re.compile(r"\bhow (?:high|tall|wide|deep|long|thick|far)\b", re.IGNORECASE)
_LARGE = re.compile(r"\bhow (?:big|large|small)\b", re.IGNORECASE)
_NOT = re.compile(r"n['\u2019]t$|^(?:no|not|never|without)$", re.IGNORECASE)
_LINKING = frozenset(["so", "since", "because"])
_PLAIN = frozenset(["place", "measure", "amount", "organisation"])
_NOW = re.compile(r"\bwhen (?:is|are|do|does|will|can|should|must|may)\b", re.IGNORECASE)
_GONE = re.compile(r"\b(?:last|ago|yesterday)\b", re.IGNORECASE)
"""What was last summer is not when something is."""


def contradicts(part: Part, passage: Passage, called: Collection[str] = ()) -> bool:
    """Whether a passage can't hold what is wanted, though it may hold all words of the question. called:
    names of the window.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("What colour is it?")[0]
    >>> [contradicts(part, make(text)) for text in ("It is red.", "Its colour shows.")]
    [False, True]
    """
    wanted = form(part)
    asked = {key for term in part.terms if term.firm or wanted == "place" for key in term.keys}
    anchors = [i for i, word in enumerate(passage.words) if asked.intersection(keys(word))]
    if wanted == "time" and undated(part, passage, asked):
        return True
    if wanted in ("owner", "trouble"):
        return not plainly(part, wanted, passage, range(len(passage.words)), asked)
    if wanted == "person":
        return not somebody(passage, range(len(passage.words)), asked, called=called)
    if wanted == "title":
        return not plainly(part, wanted, passage, anchors or range(len(passage.words)), asked)
    if wanted == "reason":
        troubled = any(is_trouble(key) and key not in asked for key in passage.keys)
        linked = not _LINKING.isdisjoint(passage.words)
        return bool(anchors) and linked and not (troubled or why(part, passage, anchors))
    timed = wanted == "time" and part.wanted in times()
    if timed or has_form(wanted) or wanted in _PLAIN or is_closed(wanted):
        known = {key for term in part.terms for key in term.keys}
        tied = anchors if wanted in ("price", "measure", "place") else ()
        return not plainly(part, wanted, passage, tied or range(len(passage.words)), known)
    return False


def plainly(
    part: Part,
    wanted: str,
    passage: Passage,
    anchors: Sequence[int],
    asked: Collection[str],
    places: Collection[str] = (),
    near: int = NEAR,
    called: Collection[str] = (),
) -> int:
    """How plainly a passage holds what is wanted: 3 for somebody's name, 2, 1, or 0 for not at all.

    wanted: the form. anchors: where words of the passage agree with the question. asked: keys of the
    question. places: names that the window has for places. near: words between a trade and an anchor.
    """
    text = passage.text
    if wanted == "surname":
        return 2 * any(
            not is_said(found.group().split()[-1], asked) for found in written(wanted).finditer(text)
        )
    if wanted == "price":
        return 2 * price_told(part, passage, anchors, asked)
    if wanted == "age":
        return 2 * any(
            is_new(found.group(), asked) and not _of_somebody_else(part, passage, *found.span())
            for found in written("age").finditer(text)
        )
    if wanted == "version":
        said = [len(WORD.findall(text[: found.start()])) for found in written(wanted).finditer(text)]
        return 2 * any(_near(place, anchors, BESIDE) for place in said)
    if has_form(wanted):
        return 2 * any(is_new(found.group(), asked) for found in written(wanted).finditer(text))
    if wanted == "time":
        return 2 * any(
            is_new(found.group(), asked) and not (_NOW.search(part.text) and _GONE.search(found.group()))
            for found in time_written(part.wanted).finditer(text)
        )
    sum_asked = any(wanted_form(term.keys[0]) == "price" for term in part.terms)
    if (
        wanted == "measure"
        and sum_asked
        and _LARGE.search(part.text)
        and price_told(part, passage, anchors, asked)
    ):
        return 2
    if wanted == "measure":
        return 2 * any(
            not (text[found.end() :].startswith(" ago") and " ago" not in part.text)
            and not (_ALONG.search(part.text) and "square" in found[0].lower())
            and belongs(passage, *found.span(), anchors)
            for found in measured(part.measure).finditer(text)
        )
    if wanted == "number":
        return 2 * number(asked, passage)
    if wanted in ("person", "title"):
        beside = BESIDE if wanted == "title" else NEAR
        if wanted == "title":
            anchors = [i for i in anchors if not passage.words[i].endswith(("'s", "\u2019s"))]
        return somebody(passage, anchors, asked, places, called, beside, wanted == "title")
    if wanted == "owner":
        return owner(passage, part.wanted or "", asked, anchors)
    if wanted == "trouble":
        return 2 * any(
            any(is_trouble(key) and key not in asked for key in keys(word)) or _NOT.search(word)
            for i, word in enumerate(passage.words)
            if any(together(passage.words, i, anchor) for anchor in anchors)
        )
    if wanted == "amount":
        return 2 if counts(part, passage) else 1 if _quantity(part, passage, asked) else 0
    if wanted == "organisation":
        return 2 * any(
            word.lower() not in CALENDAR and not is_said(word, asked) and together(passage.words, i, anchor)
            for i, word in enumerate(passage.words)
            if word in passage.capitals
            for anchor in anchors
        )
    if wanted == "term":
        return 2 * bool(NAMING.search(text))
    if wanted == "reason":
        return why(part, passage, anchors)
    if wanted == "place":
        given = ("com", "from") in part.pairs and somebody(passage, anchors, asked) > 1
        return 2 if given else place_told(part, passage, asked, anchors)
    if wanted == "venue":
        named = any(
            word not in asked and not is_said(word, asked) and word.lower() not in CALENDAR
            for word in passage.capitals
        )
        return max(place_told(part, passage, asked, anchors), named)
    if wanted == "job" or examples(wanted):
        shown = any(
            key in examples(wanted)
            and key not in asked
            and word not in passage.capitals
            and (wanted != "job" or _near(i, anchors, NEAR if _is_introduced(passage.words, i) else near))
            for i, word in enumerate(passage.words)
            for key in keys(word)[:1]
        )
        return 2 if shown else 0 if is_closed(wanted) or wanted == "job" else 1
    return int(any(not is_function(word) and not is_said(word, asked) for word in passage.words))


def _of_somebody_else(part: Part, passage: Passage, start: int, end: int) -> bool:
    """Whether the last name up to an age is not the one that is asked for."""
    asked = {key for term in part.terms if term.exact for key in term.keys}
    before = WORD.findall(passage.text[:start])
    if before and before[-1] == "me" and " I" not in part.text:
        return True
    named = [word for word in WORD.findall(passage.text[:end]) if word in passage.capitals]
    if not start and passage.text[:end].endswith(")"):
        named = [passage.words[0]]  # "Ada (9) ..."
    return bool(asked and named) and not is_said(named[-1], asked)


def _quantity(part: Part, passage: Passage, asked: Collection[str]) -> bool:
    """Whether there is an amount that may be the one asked for: with "how much" one that is weighed."""
    if "how much" in part.text.lower():
        return any(written(form).search(passage.text) for form in ("mass", "volume", "share"))
    some = len(part.terms) == 1 and any(
        before.lower() == "some" and is_said(word, asked) for before, word in pairwise(passage.words)
    )
    return number(asked, passage) and stands_alone(passage) and not some


def _is_introduced(words: Sequence[str], place: int) -> bool:
    """Whether a word is said of somebody: "he is a marine engineer"."""
    return any(word.lower() in ("a", "an") for word in words[max(0, place - 2) : place])


def _near(place: int, anchors: Sequence[int], most: int) -> bool:
    return any(abs(place - anchor) <= most for anchor in anchors)
