"""What keeps a passage from being the answer, however many words agree: it speaks of another's thing, or says
"the brewery" where the question asks which.

Contract: pure, by grammar alone.
"""

from __future__ import annotations

import re

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

_OWNED = re.compile(r"\b([^\W\d_]+)(?:['\u2019]s|s['\u2019]) ([^\W\d_]+)")
_MINE = re.compile(r"\b(?:my|our) ([^\W\d_]+)", re.IGNORECASE)
_CLAUSES = re.compile(r"[;:] |, | (?:but|while|whereas|and) ")
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
    return (
        (part.kind == "reason" and passage.text.endswith(":"))
        or _of_another(part, passage)
        or _under_another_key(part, passage)
        or _in_another_clause(part, passage)
        or leaves_open_which(part, passage)
    )


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


def _under_another_key(part: Part, passage: Passage) -> bool:
    """A line "workshop: ..." is no answer to "what fault"."""
    return part.kind == "any" and bool(part.wanted) and is_pair(passage) and part.wanted not in passage.keys


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
