"""Which kind of answer a question calls for, and the noun that says what is wanted: "which tool".

Contract: pure, by the words that ask.
"""

from __future__ import annotations

import re
from typing import Literal

from ctxkit.models.offline.english import MEASURES, PAST_FORMS
from ctxkit.models.offline.meanings import is_closed
from ctxkit.models.offline.words import WORD, is_function, keys

ASKING = r"(?:what|which|who|whom|whose|when|where|why|how|until when|since when|by when)"

Kind = Literal[
    "any", "number", "amount", "time", "name", "place", "reason", "term", "price", "measure", "self"
]
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    (
        "self",
        r"\bwhat(?:'s| is| was) my (?:\w+ )?(?:name|job|profession|occupation|trade)\b|\bwho am i\b"
        r"|\bam i called\b|\bwhat (?:do|did) i do (?:for (?:a living|work)|as a job|before\?)",
    ),
    ("reason", r"\bwhat(?:'s| is| was)? (?:the )?reasons?\b"),
    ("price", r"\b(?:what|how much)\b.*\b(?:costs?|prices?|priced)\b"),
    ("amount", r"\bhow (?:many|much)\b"),
    ("measure", rf"\bhow (?:{'|'.join(MEASURES)})\b"),
    (
        "number",
        r"\bhow (?:big|large|strong|fast|often|late|early)\b"
        r"|\bwhat(?:'s| is| was| are)? the (?:\w+ )?numbers? of\b",
    ),
    (
        "time",
        r"\bwhen\b|\bhow soon\b|\bsince how long\b"
        r"|\b(?:what|which) (?:time|day|year|month|date|hour|week|weekday)s?\b",
    ),
    ("name", r"\bwho(?:m|se)?\b|\bwhat(?:'s| is| was| are)? .{0,40}\bnames?\b"),
    ("reason", r"\bwhy\b|\bfor (?:what|which) reason\b|\bhow come\b"),
    ("place", r"\bwhere\b"),
    ("term", r"\bwhat\b.*\b(?:call|calls|called)\b"),
)
_KINDS = [re.compile(pattern, re.IGNORECASE) for _, pattern in _PATTERNS]
_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|must|may|might)\b"
)
_KIND_OF = re.compile(r"\b(?:kind|sort|type)s? of\s+", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:what|which) ([^\W\d_]+)\b", re.IGNORECASE)
_IS = r"(?:'s|\s+is|\s+was|\s+are|\s+were)"
_NOUNS = (
    re.compile(
        rf"\b(?:which|what|whose)\s+(?!{_AUXILIARY}|\w+[^\We]ed\b|happen)((?:[^\W\d_]+\s+){{1,2}}?)"
        rf"(?:{_AUXILIARY}|[^\W\d_]+(?:s|ed)\b|(?:{'|'.join(PAST_FORMS)})\b|(?:of|in|on|at|from|for|to|by)\b)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bwhat{_IS}\s+the\s+((?:[^\W\d_]+\s+){{1,2}}?)(?:of|for|on|in|at)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bwhat{_IS}\s+(?:[^\W\d_]+\.?\s+){{0,3}}?"
        r"(?:my|our|your|his|her|their|its|[^\W\d_]+['\u2019]s?)\s+((?:[^\W\d_]+\s*){1,2})\?",
        re.IGNORECASE,
    ),
)
"""Where the noun stands that says what is wanted."""


def kind_of(text: str) -> Kind:
    """The kind that the first asking word of a text calls for."""
    found = [(match.start(), i) for i, pattern in enumerate(_KINDS) if (match := pattern.search(text))]
    if not found:
        return "any"
    start, first = min(found)
    aside = text[start : start + 4].lower() == "when" and re.search(ASKING, text[:start], re.IGNORECASE)
    return "any" if aside else _PATTERNS[first][0]


def noun_of(text: str) -> str:
    """Stem of the noun that says what is wanted: "which tool", "the weight of", "Ada's job"."""
    text = _KIND_OF.sub("", text)
    kind = _FIRST.search(text)
    if kind and is_closed(keys(kind[1])[0]):
        return keys(kind[1])[0]  # "what colour scarf"
    for pattern in _NOUNS:
        if found := pattern.search(text):
            nouns = [keys(word)[0] for word in WORD.findall(found[1]) if not is_function(word)]
            return nouns[-1] if nouns else ""
    return ""
