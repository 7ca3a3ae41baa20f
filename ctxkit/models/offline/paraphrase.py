"""Find the passage that answers a question which puts it in other words.

Contract: as `reader.find`, which comes first and asks for the same words. Here a word of the question may
agree by meaning ("mend", "repair"), and a common word may be missing at a cost; in return a passage must hold
what is wanted more plainly (see `evidence`). Numbers and names are never missing, but for a name that half
the talk is about. What nothing in the passage expresses is not there: a salary, a breed, a honeymoon.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from ctxkit.models.offline.agreement import ASKED, LATER, Agreement, agree
from ctxkit.models.offline.asked import Asked, asked_words
from ctxkit.models.offline.evidence import BESIDE, NEAR, plainly
from ctxkit.models.offline.forms import form
from ctxkit.models.offline.meanings import is_person
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part, orders
from ctxkit.models.offline.reader import Finding
from ctxkit.models.offline.standing import MEANING, ROOT, agrees, stands
from ctxkit.models.offline.vetoes import is_vetoed, opens_with_another
from ctxkit.models.offline.window import Placed, names
from ctxkit.models.offline.words import WORD, is_weak, keys

ENOUGH = (math.inf, 0.74, 0.6, 0.6)
"""Share of a question that must be covered, by how plainly the answer is there."""
REACH = 3
"""Messages before that a message may be about."""
PLAIN, DONE, SAID, RELATED = 0.3, 0.15, 0.4, 0.2
"""What counts besides the share among passages that cover enough: a plain answer, the deed itself, and each
noun or verb of the question in the passage, by its weight."""
SURE = 0.6
"""Worth from which two words must agree where the answer is not plain."""

_COUNTED = re.compile(r"\bhow many (?:more |other |new |of the )?([^\W\d_]+)", re.IGNORECASE)
_DOERS = ("er", "or", "ist", "ers", "ors", "ists")


def find_by_meaning(part: Part, placed: Sequence[Placed]) -> Finding | None:
    """The best answer to a part in other words, or None.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada mended the kettle on Friday. She painted the shed.")], 1)
    >>> find_by_meaning(parts("When did Ada repair the kettle?")[0], talk).passages[0].text
    'Ada mended the kettle on Friday.'
    >>> find_by_meaning(parts("When did Ada repair the shed?")[0], talk) is None
    True
    """
    if not placed or part.kind == "self":
        return None
    wanted = form(part)
    asked = asked_words(part, wanted, placed)
    turning = [word for word in asked if word.content] or [word for word in asked if not word.form]
    if not turning:
        return None
    called = names(placed)
    places = places_of(placed) if wanted in ("person", "title") else frozenset[str]()
    best, found = 0.0, None
    for position, p in enumerate(placed):
        before = placed[max(0, position - REACH) : position]
        for order, passage in enumerate(p.view.passages):
            if not passage.is_evidence or (p.role == "user" and orders(passage.text)):
                continue
            agreement = agree(asked, p, order, before, called, wanted == "title")
            if (
                agreement is None
                or agreement.share < ENOUGH[2]
                or not _related(part, wanted, asked, agreement)
            ):
                continue
            if is_vetoed(part, passage) or (wanted == "amount" and not _counted(part, asked, passage)):
                continue
            plain = _plain(part, wanted, turning, passage, places, called)
            if not _carries(part, wanted, asked, turning, agreement, plain, passage):
                continue
            rank = _rank(asked, agreement, plain)
            if rank > best and not ((order or not p.replies) and opens_with_another(part, passage)):
                best, found = rank, Finding(p.index, (passage,))
    return found


def _plain(
    part: Part,
    wanted: str,
    turning: Sequence[Asked],
    passage: Passage,
    places: frozenset[str],
    called: frozenset[str],
) -> int:
    known = {key for term in part.terms for key in term.keys}
    anchors = [i for i, written in enumerate(passage.words) if agrees(written, turning)]
    near = NEAR if turning[0].content else BESIDE
    return plainly(part, wanted, passage, anchors, known, places, near, called)


def _related(part: Part, wanted: str, asked: Sequence[Asked], agreement: Agreement) -> bool:
    """Whether what is done agrees, where that is what the answer is about: "who gave", "why did she sell"."""
    deeds = [i for i, word in enumerate(asked) if word.relation]
    if part.kind == "name" and not all(agreement.here[i] for i in deeds):
        return False
    if wanted not in ("person", "title", "reason", ""):
        return True
    least = LATER * ROOT if wanted in ("person", "title") else ASKED * MEANING
    return all(agreement.worth[i] >= least for i in deeds)


def _carries(
    part: Part,
    wanted: str,
    asked: Sequence[Asked],
    turning: Sequence[Asked],
    agreement: Agreement,
    plain: int,
    passage: Passage,
) -> bool:
    """Whether the words that agree carry an answer as plain as this one."""
    if agreement.share < ENOUGH[plain]:
        return False
    if not wanted and part.wanted and not _stands_here(part.wanted, asked, agreement):
        return False
    named = any(word.term.exact for word in asked)
    if (
        wanted == "person"
        and plain < 3
        and any(is_weak(word.key) and not w for word, w in zip(asked, agreement.worth, strict=True))
    ):
        return False
    telling = turning if turning[0].content else []
    doer = wanted == "person" and _doer(passage, turning)
    whole = len(telling) > 1 and min(agreement.here) >= MEANING
    if not agreement.said and not ((doer or whole) and plain > 2):
        return False
    alone = len(telling) < 2 and not any(word.relation for word in telling)
    if wanted == "person" and alone and plain > 2 and not (doer or named):
        return False
    deeds = [h for h, word in zip(agreement.here, asked, strict=True) if word.relation]
    if not wanted and deeds and not any(deeds):
        return False
    if plain > 1 or _says_of_key(part, asked, agreement, passage):
        return True
    return bool(telling) and (named or agreement.said > 1) and sum(w >= SURE for w in agreement.worth) > 1


def _says_of_key(part: Part, asked: Sequence[Asked], agreement: Agreement, passage: Passage) -> bool:
    """Whether a line "Sundays: swimming" has before its colon all that "what happens on Sundays?" names."""
    key, colon, value = passage.text.partition(": ")
    matter = [word for word, h in zip(asked, agreement.here, strict=True) if h]
    return bool(part.kind == "any" and colon and value and matter) and all(
        any(agrees(written, [word]) for written in WORD.findall(key)) for word in matter
    )


def _rank(asked: Sequence[Asked], agreement: Agreement, plain: int) -> float:
    total = sum(word.weight for word in asked)
    own = sum(asked[i].weight * (RELATED if asked[i].relation else SAID) for i in agreement.own) / total
    done = sum(bool(h) for h, word in zip(agreement.here, asked, strict=True) if word.relation)
    return agreement.share + own + DONE * done + PLAIN * plain


def _stands_here(key: str, asked: Sequence[Asked], agreement: Agreement) -> bool:
    return any(h for h, word in zip(agreement.here, asked, strict=True) if word.key == key)


def _doer(passage: Passage, words: Sequence[Asked]) -> bool:
    """Whether somebody is named for what the question says is done, as "photographer" is."""
    return any(word.lower().endswith(_DOERS) and agrees(word, words) for word in passage.words)


def _counted(part: Part, asked: Sequence[Asked], passage: Passage) -> bool:
    """Whether what is counted stands in the passage."""
    counted = _COUNTED.search(part.text)
    if counted is None:
        return True
    key = keys(counted[1])[0]
    if is_person(key) and any(is_person(keys(word)[0]) for word in passage.words):
        return True
    return any(stands(word, passage) for word in asked if word.key == key)


def places_of(placed: Sequence[Placed]) -> frozenset[str]:
    """Names that follow a preposition of place somewhere."""
    return frozenset(
        word
        for p in placed
        for passage in p.view.passages
        for before, word in pairwise(passage.words)
        if word in passage.capitals and before.lower() in ("in", "at", "near", "via")
    )
