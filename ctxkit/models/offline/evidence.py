"""How plainly does a passage hold the very thing that is wanted: a date for "when", somebody for "who", a
colour for "which colour", digits for a telephone number?

Contract: pure, by form and by the table of everyday words. Where a question and a passage agree by meaning
only, the form of the answer has to carry more than `shapes.fits` asks for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ctxkit.models.offline.english import CLAUSE, LENGTH, MEASURES, NUMERALS, PRONOUNS, TIME
from ctxkit.models.offline.forms import SPANS, form, has_form, measured, time_written, times, written
from ctxkit.models.offline.meanings import examples, is_closed, is_person
from ctxkit.models.offline.passages import Passage, make
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.reasons import why
from ctxkit.models.offline.shapes import CALENDAR, NAMING, number
from ctxkit.models.offline.words import WORD, is_function, keys

NEAR, BESIDE = 7, 4
"""Words between a name and what the question turns on: at most, and where the name itself is wanted."""

_PLACE = re.compile(
    r"\b(?:in|at|on|near|under|into|behind|beside|between|inside|outside|along|through|past|around|from|to|by)"
    r"\s+(?:(?:the|a|an|my|our|his|her|their|your|its)\s+)?(?:\w+'s\s+)?([^\W\d_][\w'\u2019-]*)",
    re.IGNORECASE,
)
_NO_PERSON = frozenset(["in", "at", "near", "via", "through", "on", "the", "a", "an"])

_MOVING = re.compile(
    r"\b(?:go|goes|going|come|coming|mov\w+|send|sent|travel\w*|driv\w+|fly\w*|sail\w*|from|to)\b",
    re.IGNORECASE,
)
_NO_PLACE = frozenset([*NUMERALS, *(span + s for span in SPANS for s in ("", "s"))])
_SURE = frozenset(
    ["age", "phone", "email", "link", "surname", "price", "place", "mass", "measure", "code", "amount"]
)
_NO_ARTICLE = frozenset(["until", "till", "before", "after", "while", *PRONOUNS])
_SIDES = frozenset(["apart", "away", "old", *MEASURES])
_ASIDE = frozenset(["until", "till", "before", "after", "while"])


def contradicts(part: Part, passage: Passage) -> bool:
    """Whether a passage can't hold what is wanted, though it may hold all words of the question.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("What colour is it?")[0]
    >>> [contradicts(part, make(text)) for text in ("It is red.", "Its colour shows.")]
    [False, True]
    """
    wanted = form(part)
    asked = {key for term in part.terms if term.firm for key in term.keys}
    anchors = [i for i, word in enumerate(passage.words) if asked.intersection(keys(word))]
    if wanted == "title":
        return not plainly(part, wanted, passage, anchors or range(len(passage.words)), asked)
    if wanted == "reason":
        return bool(anchors) and "so" in passage.words and not why(part, passage, anchors)
    if wanted in _SURE or is_closed(wanted) or (wanted == "time" and part.wanted in times()):
        asked = {key for term in part.terms for key in term.keys}
        return not plainly(part, wanted, passage, range(len(passage.words)), asked)
    return False


def plainly(
    part: Part,
    wanted: str,
    passage: Passage,
    anchors: Sequence[int],
    asked: Collection[str],
    places: Collection[str] = (),
    near: int = NEAR,
) -> int:
    """How plainly a passage holds what is wanted: 3 for somebody's name, 2, 1, or 0 for not at all.

    wanted: the form. anchors: where words of the passage agree with the question. asked: keys of the
    question. places: names that the window has for places. near: words between a trade and an anchor.
    """
    text = passage.text
    if wanted == "surname":
        return 2 * any(
            not _same(found.group().split()[-1], asked) for found in written(wanted).finditer(text)
        )
    if has_form(wanted):
        return 2 * any(_new(found.group(), asked) for found in written(wanted).finditer(text))
    if wanted == "time" and _only_aside(passage, anchors):
        return 0
    if wanted == "time":
        return 2 * any(_new(found.group(), asked) for found in time_written(part.wanted).finditer(text))
    if wanted == "measure":
        return 2 * any(
            not _other_side(part, text[found.end() :]) for found in measured(part.measure).finditer(text)
        )
    if wanted in ("amount", "number"):
        much = wanted == "amount" and "how much" in part.text.lower()
        return 2 * number(asked, make(measured(f"{LENGTH}|{TIME}").sub(" ", text)) if much else passage)
    if wanted in ("person", "title"):
        return _person(
            passage, anchors, asked, places, BESIDE if wanted == "title" else NEAR, wanted == "title"
        )
    if wanted == "term":
        return 2 * bool(NAMING.search(text))
    if wanted == "reason":
        return why(part, passage, anchors)
    if wanted == "place":
        return _place(part, passage, asked, anchors)
    if wanted == "venue":
        named = any(
            word not in asked and not _same(word, asked) and word.lower() not in CALENDAR
            for word in passage.capitals
        )
        return max(_place(part, passage, asked, anchors), named)
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
    return int(any(not is_function(word) and not _same(word, asked) for word in passage.words))


def _same(word: str, asked: Collection[str]) -> bool:
    return any(key in asked for key in keys(word))


def _new(found: str, asked: Collection[str]) -> bool:
    """Whether something stands there that the question did not say itself."""
    return any(
        not is_function(word) and not _same(word, asked)
        for word in re.findall(r"[^\W_]+(?:[.,:][^\W_]+)*", found)
    ) or not re.search(r"\w", found)


def _is_introduced(words: Sequence[str], place: int) -> bool:
    """Whether a word is said of somebody: "he is a marine engineer"."""
    return any(word.lower() in ("a", "an") for word in words[max(0, place - 2) : place])


def _other_side(part: Part, after: str) -> bool:
    """Whether a measure is that of another side: "30 cm apart" is no depth."""
    word = re.match(r"\W*(\w+)", after)
    return word is not None and word[1].lower() in _SIDES and word[1].lower() not in part.text.lower()


def _only_aside(passage: Passage, anchors: Sequence[int]) -> bool:
    """Whether all that agrees stands in "until ..." or "before ...": the time is that of something else."""
    words, aside = passage.words, set[int]()
    for anchor in anchors:
        before = (
            anchor - 2
            if anchor and is_function(words[anchor - 1]) and words[anchor - 1].lower() not in _NO_ARTICLE
            else anchor - 1
        )
        if before in aside or (before >= 0 and words[before].lower() in _ASIDE):
            aside.add(anchor)
    return bool(anchors) and aside == set(anchors)


def _together(words: Sequence[str], one: int, other: int, most: int = NEAR) -> bool:
    """Whether two words stand near each other with no new clause between them."""
    between = words[min(one, other) : max(one, other)]
    return len(between) <= most and not any(word.lower() in CLAUSE or word == "as" for word in between)


def _near(place: int, anchors: Sequence[int], most: int) -> bool:
    return any(abs(place - anchor) <= most for anchor in anchors)


def _person(
    passage: Passage,
    anchors: Sequence[int],
    asked: Collection[str],
    places: Collection[str],
    near: int,
    named: bool,
) -> int:
    words, best = passage.words, 0
    for i, word in enumerate(words):
        if is_function(word) or _same(word, asked) or word.endswith(("'s", "\u2019s")):
            continue
        capital = word in passage.capitals and word.lower() not in CALENDAR and word not in places
        first = i
        while first and words[first - 1] in passage.capitals:
            first -= 1
        if capital and first and words[first - 1].lower() in _NO_PERSON:
            continue
        if not capital and (named or not is_person(keys(word)[0])):
            continue
        if any(_together(words, i, anchor, near) for anchor in anchors):
            acts = any(0 < anchor - i <= 2 for anchor in anchors)
            best = max(best, 3 if capital else 2 if acts or _after_preposition(words, i) else 1)
    return best


def _after_preposition(words: Sequence[str], place: int) -> bool:
    return any(word.lower() in ("with", "by", "from", "to") for word in words[max(0, place - 2) : place])


def _place(part: Part, passage: Passage, asked: Collection[str], anchors: Sequence[int]) -> int:
    best = 0
    for found in _PLACE.finditer(passage.text):
        if found[0].lower().startswith(("to ", "from ")) and not _MOVING.search(part.text):
            continue
        word = found[1]
        at = len(WORD.findall(passage.text[: found.start(1)]))
        if not any(_together(passage.words, at, anchor) for anchor in anchors):
            continue
        if is_function(word) or _same(word, asked) or word.lower() in CALENDAR or word.lower() in _NO_PLACE:
            continue
        best = max(best, 2 if word[0].isupper() else 1)
    return best
