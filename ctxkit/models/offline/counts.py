"""Is it the thing asked for that is counted: "five old barrels", "14 metres of pipe", not "one scanner"?

Contract: pure, by the order of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.models.offline.english import COIN, LENGTH, MASS, NUMERALS, PAST_FORMS, POWER, SIZE, TIME
from ctxkit.models.offline.forms import SPANS, measured, written
from ctxkit.models.offline.meanings import is_person, is_verb, near
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.words import WORD, is_function, is_weak, keys

REACH = 4
"""Words from a number up to what it counts: "five old wooden barrels"."""
_COUNTED = re.compile(r"\bhow (many|much)\b((?:\s+[^\W_][\w'\u2019-]*)+)", re.IGNORECASE)
_ENDS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "must",
        "may",
        "might",
        "in",
        "on",
        "at",
        "from",
        "for",
        "there",
        "to",
    ]
)
_NUMERALS = frozenset(NUMERALS) - {"one"}
_JOINING = frozenset(["of", "the", "our", "my", "your", "these", "those", "such", "more", "other", "old"])
_NUMBER = re.compile(
    rf"(?<![\w-])\d[\d.,]*(?![\w-])|\b(?:{'|'.join(_NUMERALS)}|several|dozens?|few|none)\b", re.IGNORECASE
)
_RATE = re.compile(rf"\b(?:an?|per|each|every) (?:{'|'.join(SPANS)})\b", re.IGNORECASE)
_AGED = re.compile(r"\b(?:turn(?:s|ed|ing)?|aged?) \w+", re.IGNORECASE)
_VAGUE = frozenset(["several", "few", "dozen", "dozens", "couple"])
_OF_THEM = re.compile(rf"(?:\d|\b(?:{'|'.join(_NUMERALS)})) of (?:them|these|those)\b", re.IGNORECASE)
_UNIT = re.compile(rf"{MASS}|{LENGTH}|{SIZE}|{COIN}", re.IGNORECASE)
"""What is weighed or paid is not counted: "two kilos of apples" are no two apples."""
_AMOUNT = measured(f"{MASS}|{LENGTH}|{SIZE}|{TIME}|{POWER}")


def counted(part: Part) -> tuple[str, ...]:
    """Stems of the noun phrase after "how many" or "how much", its noun last.

    >>> from ctxkit.models.offline.question import parts
    >>> counted(parts("How many of our old barrels are full?")[0])
    ('old', 'barrel')
    """
    found = _COUNTED.search(part.text)
    stems: list[str] = []
    for word in WORD.findall(found[2]) if found else ():
        verb = word.lower() in PAST_FORMS or is_verb(keys(word)[0]) or is_weak(keys(word)[0])
        if word.lower() in _ENDS or (stems and (verb or word.lower() == "of")):
            break
        if not is_function(word):
            stems.append(keys(word)[0])
    return tuple(stems)


def counts(part: Part, passage: Passage) -> bool:
    """Whether a number in a passage counts what is asked for.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("How many barrels do we have?")[0]
    >>> texts = "We have five old barrels.", "We have barrels for five years.", "We have one barrel."
    >>> [counts(part, make(text)) for text in texts]
    [True, False, False]
    """
    asked = counted(part)
    if not asked:
        return False
    noun, words = asked[-1], passage.words
    meant = near((noun,), noun=True).keys | {noun}
    things = [i for i, word in enumerate(words) if keys(word)[0] in meant]
    if "how much" in part.text.lower():
        amounts = [
            len(WORD.findall(passage.text[: found.start()])) for found in _AMOUNT.finditer(passage.text)
        ]
        return any(-REACH <= thing - amount <= REACH for thing in things for amount in amounts)
    if is_person(noun):
        things += [i for i, word in enumerate(words) if is_person(keys(word)[0])]
    numbers = [
        i
        for i, word in enumerate(words)
        if word[0].isdigit() or word.lower() in _NUMERALS or word.lower() in _VAGUE
    ]
    if _OF_THEM.search(passage.text):
        return True
    return any(
        0 < thing - number <= REACH
        and not any(_UNIT.fullmatch(w) and keys(w)[0] not in asked for w in words[number + 1 : thing])
        and not any(is_function(w) and w.lower() not in _JOINING for w in words[number + 1 : thing])
        and not (_is_rate(words[thing : thing + 3]) and not _RATE.search(part.text))
        for thing in things
        for number in numbers
    )


def _is_rate(words: Sequence[str]) -> bool:
    """Whether a figure is one per day: "two pages a day" are not how many pages there are."""
    thing, *rate = (word.lower() for word in words)
    return (
        len(rate) == 2
        and rate[0] in ("a", "an", "per", "each")
        and rate[1] in SPANS
        and thing[:-1] not in SPANS
    )


def stands_alone(passage: Passage) -> bool:
    """Whether a number counts nothing that is named beside it, so that it may count what is asked for.

    >>> from ctxkit.models.offline.passages import make
    >>> [stands_alone(make(text)) for text in ("About forty, I think.", "There were two quotes.")]
    [True, False]
    """
    text = _AGED.sub(" ", written("price").sub(" ", passage.text))
    return any(
        (next_word := re.match(r"\s+([^\W\d_]+)", text[found.end() :])) is None or is_function(next_word[1])
        for found in _NUMBER.finditer(text)
    )
