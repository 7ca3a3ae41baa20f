"""Does a passage hold the kind of answer that is asked for: an amount, a time, a name, a place, a reason?

Contract: pure, by form alone. What stands in the question is no answer to it: its own numbers and names
don't count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from ctxkit.models.offline.english import CLAUSE, COIN, DAYS, MONTHS, NUMERALS
from ctxkit.models.offline.forms import form, written
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.words import is_function, keys

CALENDAR = frozenset([*MONTHS, *DAYS, *(day + "s" for day in DAYS)])

_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\b\d{4}-\d{2}-\d{2}\b|\b(?:1\d|20)\d\d\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(month.title() for month in MONTHS)})\b"
    r"|\b(?:in|by|until|since|of|before|after) (?:March|May)\b"
)
_POINT = re.compile(
    r"\b(?:at|from|until|till|by|before|after|since|around|between|about) "
    rf"(?:noon|midnight|night|dawn|dusk|{'|'.join(NUMERALS)}|\d{{1,2}})\b"
    r"|\b(?:when|while|before|after|during|until|till|since|once|as soon as|ago|always|never)\b"
    r"|\b(?:today|tonight|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
_STRONG_REASON = re.compile(
    r"\b(?:because|since|so that|in order|due to|reasons?|thanks to|owing to|therefore|that is why)\b"
    r"|\botherwise\b"
    r"|\bfor [a-z]+(?:[:,.;]|$)",
    re.IGNORECASE,
)
_SOME_REASON = re.compile(
    r"\bso\b|\bas (?:it|they|he|she|there|the)\b|\bcaused? by\b"
    r"|\bto (?!(?:the|this|our|your|his|her|their)\b)[a-z]{3,}"
    r"|, or (?:else|the|it|you|they)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\b(?:in|at|on|by|near|under|from|to|into|over|behind|beside|between|inside|outside|along|through|off"
    r"|past|around)\s+(?!\d)",
    re.IGNORECASE,
)
NAMING = re.compile(
    r"\b(?:calls?|called|named|known as|names? (?:is|are|was|were|for)|goes by)\b", re.IGNORECASE
)
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:{'|'.join(MONTHS)})\b(?: \d{{4}})?"
    rf"|\b(?:{'|'.join(MONTHS)}) \d{{1,4}}\b"
    r"|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d{4}-\d{2}-\d{2}\b|\b(?:1[5-9]|20)\d\d\b(?!\s+[a-z]{4})",
    re.IGNORECASE,
)
_NUMERAL = "|".join([*(word for word in NUMERALS if word != "one"), "half", "none", "no", "once", "twice"])
_NUMBER = re.compile(rf"(?<![\w-])[-+]?\d+(?:[.,]\d+)*(?![\w-])|\b(?:{_NUMERAL})\b", re.IGNORECASE)
_MONEY = re.compile(rf"[€$£¥]\s*\d|\d\s*{COIN}(?!\w)|\b(?:{_NUMERAL}|one)\s+{COIN}\b|\bfree\b", re.IGNORECASE)
_VAGUE = re.compile(r"\b(?:several|few|dozens?|couple|both|all) (?:of )?([^\W\d_]+)", re.IGNORECASE)

_INTRODUCES = re.compile(
    r"\b(?:[Mm]y (?:\w+ )?name(?:'s| is)|I am|I['\u2019]m|[Cc]all me|[Tt]his is) (?:called )?[A-Z][a-z]+"
)

_NEAR = 10


def fits(
    part: Part, passage: Passage, names: frozenset[str] = frozenset(), told: frozenset[str] = frozenset()
) -> bool:
    """Whether a passage could answer a part. names: the proper names of the window. told: keys of words
    that can't be the answer, as those of the question.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> part = parts("How many hens does Ada keep?")[0]
    >>> fits(part, make("Ada keeps 12 hens.")), fits(part, make("Ada keeps hens since 1998."))
    (True, False)
    """
    asked = {key for term in part.terms for key in term.keys} | told
    if part.kind == "name":
        return _name(part, asked, passage, names, _NEAR)
    if part.kind == "term":
        named = bool(NAMING.search(passage.text)) and _adds(asked, passage)
        return named or _name(part, asked, passage, names, 1)
    if (wanted := form(part)) in ("age", "frequency"):
        return written(wanted).search(passage.text) is not None
    if part.kind == "measure":
        unit = re.search(rf"(?<![a-z])(?:{part.measure})(?![a-z])", passage.text, re.IGNORECASE)
        return unit is not None and (number(asked, passage) or "until" in passage.text)
    return _CHECKS[part.kind](asked, passage)


def day_or_month(key: str) -> str:
    """Which calendar a key belongs to: "day", "month", or "" for neither.

    >>> day_or_month(keys("Tuesday")[0]), day_or_month(keys("June")[0]), day_or_month("tea")
    ('day', 'month', '')
    """
    return _CALENDAR_KEYS.get(key, "")


def reason_strength(passage: Passage) -> int:
    """How plainly a passage says why: 2, 1, or 0 for not at all.

    >>> from ctxkit.models.offline.passages import make
    >>> texts = "It is there for protection: rocks are sharp.", "They dig to find food.", "It rains."
    >>> [reason_strength(make(text)) for text in texts]
    [2, 1, 0]
    """
    return 2 if _STRONG_REASON.search(passage.text) else 1 if _SOME_REASON.search(passage.text) else 0


def introduces(passage: Passage) -> bool:
    """Whether somebody says his or her own name.

    >>> from ctxkit.models.offline.passages import make
    >>> introduces(make("Hi, I'm Ada and I row.")), introduces(make("I'm late."))
    (True, False)
    """
    return bool(_INTRODUCES.search(passage.text))


def _adds(asked: set[str], passage: Passage) -> bool:
    return any(not is_function(word) and not asked.intersection(keys(word)) for word in passage.words)


def number(asked: Collection[str], passage: Passage) -> bool:
    """Whether a passage holds a number or amount that is no date and not the question's own."""
    rest = _DATE.sub(" ", passage.text)
    exact = any(not any(key in asked for key in keys(found)) for found in _NUMBER.findall(rest))
    return exact or any(any(key in asked for key in keys(counted)) for counted in _VAGUE.findall(rest))


def _time(asked: set[str], passage: Passage) -> bool:
    days = any(day_or_month(key) and key not in asked for key in passage.keys)
    clock = any(not any(key in asked for key in keys(found)) for found in _CLOCK.findall(passage.text))
    return days or clock or bool(_POINT.search(passage.text))


def _price(asked: set[str], passage: Passage) -> bool:
    return bool(_MONEY.search(passage.text))


def _place(asked: set[str], passage: Passage) -> bool:
    return bool(_WHERE.search(passage.text)) and _adds(asked, passage)


def _reason(asked: set[str], passage: Passage) -> bool:
    return bool(reason_strength(passage))


def _name(part: Part, asked: set[str], passage: Passage, names: frozenset[str], near: int) -> bool:
    """A name near a word that the question turns on, with no new clause between them."""
    words = passage.words
    firm = {key for term in part.terms if term.firm for key in term.keys}
    anchors = [i for i, word in enumerate(words) if firm.intersection(keys(word))]
    plain = [i for i in anchors if words[i] not in passage.capitals or words[i] in part.text]
    if anchors and not plain:
        return False  # the question's western is not Western Australia
    for i, word in enumerate(words):
        opens = i == 0 and len(words) > 1 and words[1] in passage.capitals
        named = word in passage.capitals or (word[0].isupper() and (opens or word in names))
        if not named or is_function(word) or word.lower() in CALENDAR or asked.intersection(keys(word)):
            continue
        if not anchors or any(abs(i - a) <= near and not _clause_between(words, i, a) for a in anchors):
            return True
    return False


def _clause_between(words: tuple[str, ...], one: int, other: int) -> bool:
    return any(word.lower() in CLAUSE for word in words[min(one, other) : max(one, other)])


_CHECKS: dict[str, Callable[[set[str], Passage], bool]] = {
    "any": _adds,
    "number": number,
    "amount": number,
    "time": _time,
    "place": _place,
    "reason": _reason,
    "price": _price,
}
_CALENDAR_KEYS = {keys(word)[0]: "day" for word in DAYS} | {
    keys(word)[0]: "month" for word in MONTHS if word not in ("may", "march")
}
