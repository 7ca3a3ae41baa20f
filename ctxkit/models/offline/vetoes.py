"""What keeps a passage from being the answer, however many words agree: it speaks of another thing of the
same name, or says "the brewery" where the question asks which.

Contract: pure, by grammar alone. Each check compares one turn of the question ("whose", "per night", "the
second", "the men's") with what stands in the passage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from ctxkit.models.offline.english import PAST_FORMS
from ctxkit.models.offline.meanings import (
    examples,
    is_general,
    is_person,
    is_phrase,
    is_quality,
    is_verb,
    near,
    wanted_form,
)
from ctxkit.models.offline.passages import Passage, is_pair, is_row
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.words import WORD, is_function, is_weak, keys

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
_PAYING = re.compile(r"\b(?:costs? (?:us|me)|(?:we|i) (?:pay|paid|spen[dt]))\b", re.IGNORECASE)
_SELLING = re.compile(r"\b(?:we|i) (?:sell|sold|charged?)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our) ([^\W\d_]+)", re.IGNORECASE)
_WHO_DOES = re.compile(r"\s*who (?:will |would |can |could |should )?([^\W\d_]+)", re.IGNORECASE)
_WHO_IS = re.compile(
    r"\s*who(?:['\u2019]s| is| was| are| were) (?:the|our|my|your|their|his|her) ((?:[^\W\d_]+ ?){1,2}?)"
    r"(?=(?:of|at|for|in|on|from|to|with|who|that)\b|\w+ing\b|\?|$)",
    re.IGNORECASE,
)
_NEAR = 4
"""Words between a noun and the name that says which one."""
_SHORT = 4
"""Words up to which a passage may be a mere reply."""
_LINE = 10
"""Words up to which "key: value" is a line of data and no sentence."""
_KNOWN = frozenset(["the", "this", "that", "my", "our", "your", "his", "her", "its", "their"])
_OF_THINGS = ("time", "price", "measure")
"""Kinds of answers that are true of one thing only."""
_PARTICLES = frozenset(["out", "off", "up", "down", "over", "away"])
_IS = frozenset(["is", "was", "are", "were"])


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
        or _leaves_open_which(part, passage)
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
    short = is_pair(passage) and len(passage.words) <= _LINE
    return part.kind == "any" and bool(part.wanted) and short and part.wanted not in passage.keys


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


def opens_with_another(part: Part, passage: Passage) -> bool:
    """Whether a passage that names no thing of the question opens with another: "the fridge comes on Friday".

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("When is the oven delivered?")[0]
    >>> [opens_with_another(part, make(f"The {thing} is delivered on Friday.")) for thing in ("fridge", "oven")]
    [True, False]
    """
    if part.kind not in _OF_THINGS:
        return False
    things = {t.keys[0] for t in part.terms if t.firm and not (is_verb(t.keys[0]) or is_weak(t.keys[0]))}
    if not things or any(near((key,)).within(passage.keys) or key in passage.keys for key in things):
        return False
    first, *rest = passage.words
    if first.lower() not in _KNOWN or not rest or is_function(rest[0]):
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


def _leaves_open_which(part: Part, passage: Passage) -> bool:
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
        i and (words[i - 1].lower() in _KNOWN or (keys(words[i - 1])[0], part.wanted) in beside) for i in at
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
        own = i and words[i - 1].lower() not in _KNOWN and not is_function(words[i - 1])
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
