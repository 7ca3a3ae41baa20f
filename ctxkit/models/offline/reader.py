"""Find the passage that answers, or say that there is none.

Contract: deterministic; claims nothing by guessing. An answer needs all of this: every firm word of the
question stands in the window; the passage and what it leans on cover nearly all of the question, names and
numbers without exception; the passage itself holds one of its words, or opens the reply to the same
question; and it holds the kind of answer that is asked for. Words that are rare in the window weigh more
(inverse document frequency, K. Spärck Jones 1972).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ctxkit.models.offline.english import RELATIONS
from ctxkit.models.offline.evidence import contradicts
from ctxkit.models.offline.forms import form
from ctxkit.models.offline.leaning import ROOT, leaning, replies_to
from ctxkit.models.offline.passages import Passage, is_row
from ctxkit.models.offline.question import Part, Term, orders
from ctxkit.models.offline.shapes import fits, reason_strength
from ctxkit.models.offline.speaker import tells_of_speaker
from ctxkit.models.offline.vetoes import is_vetoed, opens_with_another
from ctxkit.models.offline.window import Placed, names
from ctxkit.models.offline.words import ERROR, is_weak, keys

ENOUGH = 0.7
"""Share of a question's weight that must be covered."""
LOOSE, PARTLY = 0.35, 0.3
"""Weight of a word that is not firm; worth of the rest of "sweet corn" where a passage says only "corn", and
may mean another."""


_IS_CALLED = re.compile(
    r"(?:it|he|she|we|they)(?:['\u2019]\w+| is| are| was| were) (?:called|named)\b", re.IGNORECASE
)
_RELATIONS = frozenset(keys(word)[0] for word in RELATIONS)


@dataclass(frozen=True)
class Finding:
    """Where an answer stands: index of the message, the passages to quote, and whether it surely is one."""

    index: int
    passages: tuple[Passage, ...]
    sure: bool = True


@dataclass(frozen=True)
class _Match:
    """How well a passage fits a question: share covered, rank among those that cover enough, whether it
    only replies to the same question."""

    share: float
    rank: float
    reply: bool


def find(
    part: Part, placed: Sequence[Placed], within: Collection[int] | None = None, enough: float = ENOUGH
) -> Finding | None:
    """The best answer to a part, or None. within: indexes of the only messages that may be quoted.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada keeps 12 hens. Her cat is called Plum.")], 1)
    >>> find(parts("How many hens does Ada keep?")[0], talk).passages[0].text
    'Ada keeps 12 hens.'
    >>> find(parts("How many geese does Ada keep?")[0], talk) is None
    True
    """
    if not placed:
        return None
    if part.kind == "self":
        return next(
            (
                Finding(p.index, (q,))
                for p in reversed(placed)
                if p.role != "tool"
                for q in p.view.passages
                if tells_of_speaker(part, q)
            ),
            None,
        )
    weights = _weights(
        part.terms, placed, part.kind == "name", part.wanted if part.kind == "any" and not form(part) else ""
    )
    if weights is None:
        return None
    known = names(placed) if part.kind in ("name", "term") else frozenset[str]()
    turned_on = {key for term in part.terms for key in term.keys}
    best, found = 0.0, None
    for p in placed:
        if within is not None and p.index not in within:
            continue
        for order, passage in enumerate(p.view.passages):
            if not passage.is_evidence:
                continue
            if order and turned_on.isdisjoint(passage.keys) and not _IS_CALLED.match(passage.text):
                continue
            match = _match(part, weights, p, order)
            if match is None or match.share < enough or match.rank < best:
                continue
            if (p.role == "user" and orders(passage.text)) or is_vetoed(part, passage):
                continue
            if (order or not p.replies) and opens_with_another(part, passage):
                continue
            quoted = _quoted(part, p, order, known, match.reply)
            if quoted:
                best, found = match.rank, Finding(p.index, quoted)
    return found


def _weights(
    terms: Sequence[Term], placed: Sequence[Placed], naming: bool = False, wanted: str = ""
) -> list[float] | None:
    """How much each word of the question counts; None when a firm one is nowhere."""
    weights: list[float] = []
    for term in terms:
        holders = sum(any(key in p.view.first for key in term.keys) for p in placed)
        if (
            not holders
            and (term.firm or term.keys[0] == wanted)
            and not any(term.within(view.first) for p in placed for view in p.background)
        ):
            return None
        rarity = math.log(1 + len(placed) / max(holders, 1)) / math.log(1 + len(placed))
        telling = term.firm or (naming and term.keys[0] in _RELATIONS)
        weights.append((0.5 + 0.5 * rarity) * (1.0 if telling else LOOSE))
    return weights or None


def _match(part: Part, weights: Sequence[float], p: Placed, order: int) -> _Match | None:
    passage, total = p.view.passages[order], sum(weights)
    covered = own = 0.0
    touched: set[int] = set()
    units = {term.unit for term in part.terms} - {0}
    only_names = part.kind == "any" and all(term.exact for term in part.terms if term.firm)
    begun = {term.unit for term in part.terms if term.within(passage.keys)}
    for term, weight in zip(part.terms, weights, strict=True):
        here = term.agreement(passage.keys, ROOT)
        worth = here or leaning(term, p, order, PARTLY if term.unit in begun else 1.0)
        if not worth and (term.exact or (term.keys[0] == part.wanted and only_names and not is_row(passage))):
            return None
        if not worth and part.wanted == "number" and not (term.firm or is_weak(term.keys[0])):
            return None  # "the registration number": not just any
        if worth:
            touched.add(term.unit)
        covered += weight * worth
        own += weight * here
    reply = order == 0 and not own and replies_to(part, weights, p)
    named = order > 0 and part.kind in ("name", "term") and _IS_CALLED.match(passage.text)
    if not (own or reply or named) or (not reply and len(touched - {0}) < min(2, len(units))):
        return None
    together = sum(pair in passage.pairs for pair in part.pairs)
    if reply:
        covered = max(covered, ENOUGH * total)
    if own and order == 0 and replies_to(part, weights, p):
        own += total  # the very question was asked and answered
    return _Match(covered / total, covered / total + 0.2 * own / total + 0.25 * together, reply)


def _quoted(part: Part, p: Placed, order: int, known: frozenset[str], reply: bool) -> tuple[Passage, ...]:
    """What to quote so that the kind of answer is there; nothing when it is not."""
    passages = p.view.passages
    if part.kind == "reason":
        near = range(order, min(order + 4, len(passages)))
        related = [i for i in near if i == order or passages[i].keys & passages[order].keys]
        best = max(related, key=lambda i: (reason_strength(passages[i]), -i))
        blames = ERROR in passages[order].keys and any(ERROR in term.keys for term in part.terms)
        if not (reason_strength(passages[best]) or blames) or (
            best == order and contradicts(part, passages[best])
        ):
            return ()
        return (passages[order],) if best == order else (passages[order], passages[best])
    told = frozenset(key for view in p.background for key in view.first) if reply else frozenset[str]()
    if contradicts(part, passages[order], known):
        return ()
    return (passages[order],) if fits(part, passages[order], known, told) else ()
