"""What does it cost? A price that belongs to what is asked for, also in a list: "adults 4 euros, children 2".

Contract: pure, by form and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ctxkit.models.offline.clauses import belongs, is_new
from ctxkit.models.offline.forms import written
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.words import WORD, is_said

_PAID = re.compile(r"\b(?:costs?|pa(?:y|id)|spen[dt]|charged?)\b", re.IGNORECASE)
_OF = re.compile(r"\w of (?:about |over |some )?[\d., ]*$")


def price_told(part: Part, passage: Passage, anchors: Sequence[int], asked: Collection[str]) -> bool:
    """Whether a price stands there; "an insurance of 2 million" says nothing of what the insurance costs."""
    paid = _PAID.search(part.text)
    text = passage.text
    return _listed_price(text, asked) or any(
        is_new(found.group(), asked)
        and belongs(passage, *found.span(), anchors)
        and not (paid and _OF.search(text[: found.start()]))
        for found in written("price").finditer(text)
    )


def _listed_price(text: str, asked: Collection[str]) -> bool:
    """Whether a list of prices has a bare figure for what is asked: "adults 4 euros, children 2"."""
    items = re.split(r"[,;] | and ", text.rstrip(". "))
    if len(items) < 2 or not written("price").search(items[0]):
        return False
    return any(re.search(r" \d[\d.,]*$", item) and _says_any(item, asked) for item in items[1:])


def _says_any(text: str, asked: Collection[str]) -> bool:
    return any(is_said(word, asked) for word in WORD.findall(text))
