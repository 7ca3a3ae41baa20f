"""What somebody says of himself or herself: "I'm Ada", "I work as a lighthouse keeper".

Contract: pure. "My name" and "my job" are hardly ever the words in which people tell them.
"""

from __future__ import annotations

import re

from ctxkit.models.offline.meanings import examples
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import introduces
from ctxkit.models.offline.words import WORD, is_function, keys

_ASKS_JOB = re.compile(
    r"\bmy (?:\w+ )?(?:jobs?|profession|occupation|trade)\b|\b(?:do|did) i (?:do|work)\b", re.IGNORECASE
)
_PAST = re.compile(r"\b(?:was|did|before|former\w*|previous\w*|old|used to)\b", re.IGNORECASE)
_AM = r"\bI(?:['\u2019]m| am|['\u2019]ve been| have been)"
_WAS = r"\bI (?:was|used to be)"
_WORKS = re.compile(r"\bI(?:['\u2019]ve| have)? (?:also )?(?:work(?:ed|ing)?|been work\w+) as\b")
_IS = (
    re.compile(rf"{_AM} (?:[A-Z]\w+, )?(?:an?|the|your) (?P<noun>\w+(?:[ -]\w+){{0,4}})"),
    re.compile(rf"{_WAS} (?:an?|the) (?P<noun>\w+(?:[ -]\w+){{0,4}})"),
)
_WORKED = re.compile(r"\bI (?:have )?(?:worked|was|used to)\b")


def tells_of_speaker(part: Part, passage: Passage) -> bool:
    """Whether a passage says the name or the job of who speaks, as it is asked for.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> said = make("I work as a lighthouse keeper."), make("I was a nurse."), make("I'm a bit late.")
    >>> [tells_of_speaker(parts("What is my job?")[0], passage) for passage in said]
    [True, False, False]
    >>> [tells_of_speaker(parts("What did I do before?")[0], passage) for passage in said]
    [False, True, False]
    """
    if not _ASKS_JOB.search(part.text):
        return introduces(passage)
    then = bool(_PAST.search(part.text))
    if _WORKS.search(passage.text):
        return then == bool(_WORKED.search(passage.text))
    return any(_is_job(found["noun"]) for found in _IS[then].finditer(passage.text))


def _is_job(noun: str) -> bool:
    """Whether a noun phrase, up to the first word of grammar, is that of a trade."""
    for word in WORD.findall(noun):
        if is_function(word):
            return False
        if keys(word)[0] in examples("job"):
            return True
    return False
