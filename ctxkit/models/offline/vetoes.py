"""What keeps a passage from being the answer, however many words agree: it speaks of another thing of the
same name, or says "the brewery" where the question asks which.

Contract: pure, by grammar alone. Each check compares one turn of the question ("whose", "per night", "the
second", "the men's") with what stands in the passage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.models.offline.english import DEFINITE
from ctxkit.models.offline.meanings import (
    is_everyday,
    is_general,
    is_person,
    is_quality,
    is_verb,
    near,
    wanted_form,
)
from ctxkit.models.offline.passages import Passage, is_pair
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.which import leaves_open_which
from ctxkit.models.offline.words import WORD, is_function, is_said, is_weak, keys

_AGE = re.compile(r"\b(?:what|which) age\b", re.IGNORECASE)
_HOURS = re.compile(r"\b(?:minute|hour)s?\b", re.IGNORECASE)
_RATE = re.compile(r"\b(?:per|how (?:many|much) (?:[^\W\d_]+ )?an?) ([^\W\d_]+)", re.IGNORECASE)
_EACH = re.compile(r"\b(?:per|each|apiece|an?) \b|\b(?:each|apiece)\b", re.IGNORECASE)
_SPANS = frozenset(["second", "minute", "hour", "day", "night", "week", "month", "year"])
_SINCE_WHEN = re.compile(r"\b(?:since|from) when\b", re.IGNORECASE)
_UNTIL_WHEN = re.compile(r"\b(?:until|till) when\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|to|through|end\w*)\b", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from|ago|for)\b", re.IGNORECASE)
_ORDINAL = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next) ([^\W\d_]+)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"\b([^\W\d_]+)(?:['\u2019]s|s['\u2019]) ([^\W\d_]+)")
_NEVER = re.compile(r"(?:never|don['\u2019]t|do not|avoid)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"n['\u2019]t\b|\b(?:not|never|avoid|no)\b", re.IGNORECASE)
_CAN = frozenset(["can", "could", "may", "might", "should", "must", "will", "would"])
_FROM_TO = re.compile(r"\bfrom ([A-Z][^\W\d_]+) to ([A-Z][^\W\d_]+)")
_PAYING = re.compile(r"\b(?:costs? (?:us|me)|(?:we|i) (?:pay|paid|spen[dt]))\b", re.IGNORECASE)
_SELLING = re.compile(r"\b(?:we|i) (?:sell|sold|charged?)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our) ([^\W\d_]+)", re.IGNORECASE)
_WHO_DOES = re.compile(r"\s*who (?:will |would |can |could |should )?([^\W\d_]+)", re.IGNORECASE)
_WHO_IS = re.compile(
    r"\s*who(?:['\u2019]s| is| was| are| were) (?:the|our|my|your|their|his|her) ((?:[^\W\d_]+ ?){1,2}?)"
    r"(?=(?:of|at|for|in|on|from|to|with|who|that)\b|\w+ing\b|\?|$)",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[;:] |, | (?:but|while|whereas|and) ")
_SHORT = 4
"""Words up to which a passage may be a mere reply."""
_OF_THINGS = ("time", "price", "measure")
"""Kinds of answers that are true of one thing only."""


def is_vetoed(part: Part, passage: Passage) -> bool:
    """Whether a passage can't answer a part, whatever else agrees.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("Which mill sends the flour?")[0]
    >>> [is_vetoed(part, make(text)) for text in ("The mill sends flour.", "Upper Mill sends flour.")]
    [True, False]
    """
    return bool(
        (part.kind == "reason" and passage.text.endswith(":"))
        or (_AGE.search(part.text) and _HOURS.search(passage.text))
        or (_NEVER.match(passage.text) and part.kind != "reason" and not _NEGATIVE.search(part.text))
        or _in_general(part, passage)
        or _between_others(part, passage)
        or _at_another_rate(part, passage)
        or (_PAYING.search(part.text) and _SELLING.search(passage.text))
        or _at_another_time(part, passage)
        or _another_in_line(part, passage)
        or _of_another(part, passage)
        or _done_by_us(part, passage)
        or _not_in_that_role(part, passage)
        or _under_another_key(part, passage)
        or _of_another_sort(part, passage)
        or _of_another_name(part, passage)
        or _in_another_clause(part, passage)
        or leaves_open_which(part, passage)
    )


def _between_others(part: Part, passage: Passage) -> bool:
    """From Oslo to Bergen is not from Oslo to Hamar."""
    ends = _FROM_TO.search(part.text)
    return ends is not None and sum(keys(end)[0] in passage.keys for end in ends.groups()) == 1


def _in_general(part: Part, passage: Passage) -> bool:
    """What can be done with a broken mast says nothing of the mast."""
    known = {
        keys(noun)[0] for before, noun in pairwise(WORD.findall(part.text)) if before.lower() in DEFINITE
    }
    words = [word.lower() for word in passage.words]
    return any(
        keys(word)[0] in known
        and words[i + 1] in _CAN
        and not {"a", "an"}.isdisjoint(words[max(0, i - 2) : i])
        for i, word in enumerate(words[:-1])
    )


def _at_another_rate(part: Part, passage: Passage) -> bool:
    """ "Per month" is not "each"."""
    rate = _RATE.search(part.text)
    if rate is None or len(passage.words) <= _SHORT:
        return False
    span = rate[1].lower().rstrip("s")
    if span in _SPANS:
        return not re.search(rf"\b{span[:3]}", passage.text, re.IGNORECASE)
    return keys(rate[1])[0] not in passage.keys and not _EACH.search(passage.text)


def _at_another_time(part: Part, passage: Passage) -> bool:
    """ "Since when" is not "before"."""
    if _UNTIL_WHEN.search(part.text):
        return not _UNTIL.search(passage.text)
    return bool(_SINCE_WHEN.search(part.text)) and not _SINCE.search(passage.text)


def _another_in_line(part: Part, passage: Passage) -> bool:
    """The second run is not the third."""
    said = {(keys(noun)[0], place.lower()) for place, noun in _ORDINAL.findall(passage.text)}
    asked = {(keys(noun)[0], place.lower()) for place, noun in _ORDINAL.findall(part.text)}
    nouns = {noun for noun, _ in asked}
    return any(noun in nouns for noun, _ in said) and said.isdisjoint(asked)


def _of_another(part: Part, passage: Passage) -> bool:
    """The women's squad is not the men's, and Ada's aunt is not mine."""
    said = {keys(noun)[0]: keys(owner)[0] for owner, noun in _OWNED.findall(passage.text)}
    if any(keys(noun)[0] in said and not _MINE.search(passage.text) for noun in _MINE.findall(part.text)):
        return True
    return any(
        (other := said.get(keys(noun)[0])) is not None
        and other != keys(owner)[0]
        and keys(owner)[0] not in passage.keys
        for owner, noun in _OWNED.findall(part.text)
    )


def _done_by_us(part: Part, passage: Passage) -> bool:
    """ "Who insures it?" is not answered by "we insure it"."""
    deed = _WHO_DOES.match(part.text)
    if deed is None or is_function(deed[1]):
        return False
    words = [word.lower() for word in passage.words]
    done = [i for i, word in enumerate(words) if keys(word)[0] == keys(deed[1])[0]]
    return bool(done) and all(i and words[i - 1] in ("we", "i", "you") for i in done)


def _not_in_that_role(part: Part, passage: Passage) -> bool:
    """ "Who is our contact?" wants the contact to be spoken of."""
    role = _WHO_IS.match(part.text)
    if role is None or len(passage.words) <= _SHORT:
        return False
    found = [keys(word)[0] for word in WORD.findall(role[1]) if not is_function(word)]
    return bool(found) and not any(
        key in passage.keys or near((key,), noun=True).within(passage.keys) for key in found
    )


def _under_another_key(part: Part, passage: Passage) -> bool:
    """A line "workshop: ..." is no answer to "what fault"."""
    return part.kind == "any" and bool(part.wanted) and is_pair(passage) and part.wanted not in passage.keys


def _of_another_sort(part: Part, passage: Passage) -> bool:
    """Low water is not high water."""
    said = _described(passage.words)
    return any(
        said.get(noun) and said[noun].isdisjoint(sorts) and passage.keys.isdisjoint(sorts)
        for noun, sorts in _described(WORD.findall(part.text)).items()
    )


def _of_another_name(part: Part, passage: Passage) -> bool:
    """The Main Hall is not the town hall."""
    asked = {key for term in part.terms for key in term.keys}
    named = {
        keys(noun)[0]
        for before, noun in pairwise(passage.words)
        if before in passage.capitals and noun in passage.capitals and asked.isdisjoint(keys(before))
    }
    return any(
        keys(noun)[0] in named and keys(sort)[0] not in passage.keys
        for sort, noun in pairwise(WORD.findall(part.text))
        if sort.islower() and noun.islower() and not (is_function(sort) or is_quality(keys(sort)[0]))
    )


def _in_another_clause(part: Part, passage: Passage) -> bool:
    """ "Upper Mill has a fee, Ada is free" tells no fee of Ada's: the thing stands in a clause that opens
    with another name, the name of the question in a clause without the thing."""
    names = {key for term in part.terms if term.exact for key in term.keys}
    things = {key for term in part.terms if not term.exact and term.firm for key in term.keys[:1]}
    clauses = [WORD.findall(clause) for clause in _CLAUSES.split(passage.text)]
    if not names or not things or len(clauses) < 2:
        return False
    about = [words for words in clauses if words and any(keys(word)[0] in things for word in words)]
    return (
        bool(about)
        and all(
            words[0][0].isupper()
            and not is_function(words[0])
            and not is_everyday(keys(words[0])[0])
            and not any(is_said(word, names) for word in words)
            for words in about
        )
        and any(is_said(word, names) for words in clauses for word in words)
    )


def opens_with_another(part: Part, passage: Passage) -> bool:
    """Whether a passage that names no thing of the question opens with another: "the fridge comes on Friday".

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("When is the oven delivered?")[0]
    >>> [opens_with_another(part, make(f"The {it} is delivered on Friday.")) for it in ("fridge", "oven")]
    [True, False]
    """
    if part.kind not in _OF_THINGS:
        return False
    things = {t.keys[0] for t in part.terms if t.firm and not (is_verb(t.keys[0]) or is_weak(t.keys[0]))}
    if not things or any(near((key,)).within(passage.keys) or key in passage.keys for key in things):
        return False
    first, *rest = passage.words
    if first.lower() not in DEFINITE or not rest or is_function(rest[0]):
        return False
    opening = keys(rest[0])[0]
    return not (is_general(opening) or wanted_form(opening) or is_person(opening) or is_quality(opening))


def _described(words: Sequence[str]) -> dict[str, set[str]]:
    """The adjectives that stand before each noun, as stems."""
    found: dict[str, set[str]] = {}
    for before, word in pairwise(words):
        quality = keys(before)[0]
        if is_quality(quality) and not is_function(word):
            found.setdefault(keys(word)[0], set()).add(quality)
    return found
