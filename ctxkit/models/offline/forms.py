"""The form in which an answer has to come, and how each form is written: a price, an hour, a surname, a file.

Contract: pure. Patterns are compiled when they are first asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ctxkit.models.offline.english import (
    COIN,
    DAYS,
    HEAT,
    LENGTH,
    MASS,
    MONTHS,
    NUMERALS,
    SIZE,
    TIME,
    VALUING,
)
from ctxkit.models.offline.meanings import examples, wanted_form
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.words import WORD, is_function, keys

_NUMERALS = "|".join(word for word in NUMERALS if word != "one")
_MONTHS = "|".join(word for word in MONTHS if word not in ("may", "march"))
SPANS = ("minute", "hour", "day", "night", "week", "month", "year")
_SPANS = "|".join(SPANS)
_WEEKDAY = rf"\b(?:{'|'.join(DAYS)})s?\b|\b(?:today|tonight|tomorrow|yesterday)\b"
_MONTH = (
    rf"\b(?:{_MONTHS})\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:march|may)\b"
    r"|\b(?:in|by|until|since|before|after|end of|early|late) (?:march|may)\b|\b\d{4}-\d\d-\d\d\b"
)
_YEAR = r"\b(?:1[5-9]|20)\d\d\b"
_HOUR = (
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\b(?:half|quarter) (?:past|to) \w+"
    rf"|\b(?:at|from|until|till|by|before|after|around) (?:noon|midnight|(?:{_NUMERALS})\b(?! \w+s\b)"
    r"|\d{1,2}\b(?! ?[\w%]))|\b(?:noon|midnight)\b"
)
_ABOUT = (
    rf"\b(?:next|last|this|every|each) (?:\w+ )?(?:{_SPANS}|morning|afternoon|evening|weekend|spring|summer"
    rf"|autumn|winter)s?\b|\b(?:in|within|after|every) (?:\w+ ){{1,2}}(?:{_SPANS})s?\b"
    rf"|\b\w+ (?:{_SPANS})s? (?:ago|later)\b|\b(?:spring|summer|autumn|winter|christmas|easter|weekend)s?\b"
    r"|\b(?:in the|every|each) (?:mornings?|afternoons?|evenings?)\b|\bat night\b|\bovernight\b"
    r"|\bthe \d{1,2}(?:st|nd|rd|th)\b"
)
_MONEY = (
    rf"[€$£¥]\s*\d|\d[\d.,]*(?: (?:to|and|or) \d[\d.,]*)?\s*{COIN}(?!\w)|\b(?:{_NUMERALS})\s+{COIN}\b"
    r"|\b(?:is|are|for|in|all|get|it|them) free\b(?! (?:tomorrow|today|on|at|that|this|next|until|from|to)\b)"
    r"|\bfree of charge\b|\b(?:pays?|paid|costs?|charges?|for) nothing\b"
    rf"|(?<![a-z])(?:rates?|prices?|costs?|fees?|amount|total|{COIN})\W{{1,4}}\d"
    r"|\b(?:costs?|pay(?:s|ing)?|paid|giv(?:es?|ing)|gave|charges?|asks?|wants?|prices?|fees?|rent|offer|quote|bill|ticket"
    r"|deposit|total) (?:\w+ ){0,2}\d[\d,.]*(?![\w-])"
    rf"(?! ?(?:{_SPANS}|%|percent|(?!an? |per |each )\w+ (?:{_SPANS})"
    rf"|(?:{MASS}|{LENGTH}|{SIZE}|{HEAT})(?![a-z])))"
)
_YEARS = rf"(?:\d{{1,3}}|{_NUMERALS}|one)"
_AGE = (
    rf"\b(?:{_SPANS})s?[- ]old\b|\baged?\b|\bborn\b|\bbirthday\b|\bturn(?:s|ed|ing) \w+"
    rf"|\bolder\b(?! than)|\bsince\b|\b(?:from|built|made|dates|bought)\b[^.;]{{0,20}}{_YEAR}"
    rf"|[^\W\d_]+ \(\d{{1,3}}\)|, (?:just |only )?{_YEARS}(?=[,.;]| and\b|$)"
    r"|(?:\b(?:is|are|was|were|am)|['\u2019](?:s|m|re)) (?:(?:only|just|now|already|almost|about|over) )?"
    rf"{_YEARS}(?=[,.;:!?)]|$| (?:and|but|or|now|when|years? old)\b)|\bof {_YEARS} (?:{_SPANS})s\b"
)
"""Also "he's 71 and ...", "Ada, nine, ..." and "Ada (9)"."""
_UNITS = {
    "mass": MASS,
    "length": rf"{LENGTH}|[kmgt]i?b",
    "heat": HEAT,
    "span": TIME,
    "volume": r"lit(?:re|er)s?|cubic|m³|gb|l",
}
_FORMS = {
    "price": _MONEY,
    "age": _AGE,
    "phone": r"\+?\d[\d ()/-]{4,}\d",
    "email": r"\S@\S",
    "link": r"https?://|www\.|\w\.(?:com|org|net|io|dev)\b",
    "address": r"\b[A-Z]\w+(?: [A-Z]\w+)? \d+|\b\d+[a-z]?,? [A-Z]\w+",
    "surname": r"\b[A-Z][^\W\d_]+ (?:van |de |von |der )*[A-Z][^\W\d_]+",
    "version": r"\bv?\d+(?:\.\d+)+\b|\bv\d+|\b\d{3,}\b",
    "figure": r"\d|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|ground|top|last)\b",
    "file": r"[\w-]+\.[a-z]{2,5}\b|\S/\S",
    "substance": r"\b(?:ma[dk]e|built?|consists?|knitted|sewn|sewed|cut|carved|woven?) (?:\w+ ){0,2}?"
    r"(?:of|from|out of) \w+",
    "topic": r"\babout (?!\d)(?:\w+ )?\w+|\bdeals? with\b|\bsubject\b|\bon (?:the|a|how|why)\b",
    "frequency": r"\b(?:every|each|once|twice|\w+ times) (?:an? |per )?(?:\w+ )?\w+"
    r"|\b(?:daily|weekly|monthly|yearly)\b",
    "share": r"\d ?%|\bper ?cent\b|\b(?:half|third|quarter)\b",
    "code": r"\d{3,}|\b[A-Z]+-?\d+|\"[^\"]+\"|`[^`]+`",
    **{
        form: rf"(?:\d|\b(?:{_NUMERALS}|half)\b)[\d.,]* ?(?:a |and |half |\w+ )?(?:{unit})(?![a-z])"
        for form, unit in _UNITS.items()
    },
}
_TIMES = {
    "dai": rf"{_WEEKDAY}|{_MONTH}|\b(?:the \d{{1,2}}(?:st|nd|rd|th)|(?:every|each) day|weekends)\b",
    "weekdai": _WEEKDAY,
    "dat": rf"{_WEEKDAY}|{_MONTH}",
    "month": _MONTH,
    "year": _YEAR,
    "tim": rf"{_HOUR}|{_ABOUT}",
    "hour": _HOUR,
    "": rf"{_WEEKDAY}|{_MONTH}|{_YEAR}|{_HOUR}|{_ABOUT}",
}
"""By the stem of what is wanted: "which day", "what time"."""
_EXACT_CASE = frozenset(["address", "surname", "code"])
_FIGURES = frozenset(["mass", "price", "length", "volume", "span"])
_MEASURED = _FIGURES | {"heat", "share"}
_VALUING = frozenset(keys(word)[0] for word in VALUING)
_TRADE = r"\bwhat\b.*\b(?:do|does|did|doing) (?:for (?:a living|work)|as a job)\b"
_SUPERLATIVE = r"\bwhat(?:'s| is| was) the (?:longest|shortest|most|least|maximum|minimum|\w+est) "
_TROUBLE = re.compile(
    r"\bwhat\b.*\b(?:wrong|the (?:matter|problem|trouble|issue)) (?:with|in|at|on)\b", re.IGNORECASE
)
_NUMBERED = rf"(?:\d|\b(?:{_NUMERALS}|half)\b)[\d.,]*"


def form(part: Part) -> str:
    """The form in which an answer has to come: "price", "person", "colour" as a kind's stem, "" for any.

    >>> from ctxkit.models.offline.question import parts
    >>> asked = "What does she earn?", "Which colour is it?", "What is the weight of it?", "Why?"
    >>> [form(parts(text)[0]) for text in asked]
    ['price', 'color', 'mass', 'reason']
    """
    if re.search(_TRADE, part.text, re.IGNORECASE):
        return "job"
    if re.search(r"\bmade (?:of|from|out of)\b", part.text, re.IGNORECASE):
        return "substance"
    if re.search(r"\bwhat\b.*\babout\?$", part.text, re.IGNORECASE):
        return "topic"
    if re.search(_SUPERLATIVE, part.text, re.IGNORECASE):
        return wanted_form(part.wanted) or "number"
    if part.kind == "any" and part.wanted in times():
        return "time"
    if part.kind == "any" and _TROUBLE.search(part.text):
        return "trouble"
    if part.kind == "any" or (part.kind in ("number", "term") and part.wanted):
        stems = [part.wanted, *(t.keys[0] for t in part.terms if not t.exact and _values(t.keys[0], part))]
        named = next((found for key in stems if (found := wanted_form(key))), "")
        named = named or _measured_by(part)
        return named or (part.wanted if examples(part.wanted) else "" if part.kind == "any" else part.kind)
    if part.kind == "amount" and (much := re.search(r"\bhow much (\w+)", part.text, re.IGNORECASE)):
        forms = [found for term in part.terms if (found := wanted_form(term.keys[0])) in _FIGURES]
        return forms[0] if forms else "price" if is_function(much[1]) else "amount"
    if re.search(r"\bhow often\b", part.text, re.IGNORECASE):
        return "frequency"
    if part.kind == "measure":
        return "age" if re.search(r"\bhow old\b", part.text, re.IGNORECASE) else "measure"
    if part.kind == "name" and "whose" in part.text.lower():
        return "owner"
    if part.kind == "name":
        return "surname" if wanted_form(part.wanted) == "surname" else "title" if part.wanted else "person"
    return part.kind


def _measured_by(part: Part) -> str:
    """The form that the word before the wanted noun names: a height limit is a length."""
    words = [keys(word)[0] for word in WORD.findall(part.text)]
    place = words.index(part.wanted) if part.wanted in words else 0
    found = wanted_form(words[place - 1]) if place else ""
    return found if found in _MEASURED else ""


def _values(key: str, part: Part) -> bool:
    """Whether a word beside the noun says which figure is wanted."""
    if part.wanted:
        return part.wanted == "number"
    return key in _VALUING and not part.text.rstrip(" ?").endswith((" on", " for", " with"))


def has_form(wanted: str) -> bool:
    """Whether a form has one way of being written.

    >>> has_form("price"), has_form("person")
    (True, False)
    """
    return wanted in _FORMS


@lru_cache(maxsize=64)
def written(wanted: str) -> re.Pattern[str]:
    """How a form is written.

    >>> written("price").findall("It is €6,850 for 34 boxes.")
    ['€6']
    """
    return re.compile(_FORMS[wanted], 0 if wanted in _EXACT_CASE else re.IGNORECASE)


def times() -> frozenset[str]:
    """Stems of the nouns that ask for a time: "which day".

    >>> keys("hours")[0] in times()
    True
    """
    return frozenset(_TIMES) - {""}


@lru_cache(maxsize=16)
def time_written(noun: str) -> re.Pattern[str]:
    """How the time is written that a noun asks for.

    >>> time_written("year").findall("In 1998, on Tuesday"), time_written("").findall("On Tuesday")
    (['1998'], ['Tuesday'])
    """
    return re.compile(_TIMES.get(noun, _TIMES[""]), re.IGNORECASE)


@lru_cache(maxsize=32)
def measured(unit: str) -> re.Pattern[str]:
    """A number with one of these units, given as a pattern.

    >>> measured("cm|m").search("about 30 cm apart")[0]
    '30 cm'
    """
    return re.compile(rf"{_NUMBERED} ?(?:\w+ )?(?:{unit})(?![a-z])", re.IGNORECASE)
