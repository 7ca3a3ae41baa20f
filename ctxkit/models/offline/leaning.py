"""What a word is worth that stands not in a passage but in what it leans on: before it in the message, or in
the question that the message answers.

Contract: pure; the strict measure, by which only the same word counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.models.offline.counts import counted
from ctxkit.models.offline.passages import apart
from ctxkit.models.offline.question import Part, Term, parts
from ctxkit.models.offline.window import Placed

EARLIER, ASKED, LATER = 0.85, 0.75, 0.4
"""Worth of a word that stands earlier in the message, in what the message answers, or later in the
message. In results that a message reports on only what is not firm counts, like what comes later.
"""
ROOT = 0.8
"""Worth of a word that agrees by its root only."""


def replies_to(part: Part, weights: Sequence[float], p: Placed) -> bool:
    """Whether a message answers this very question: nearly all of its words, or its firm words in a
    question of the same kind, stand in the one before."""
    asked = p.asked
    counts = [counted(other)[-1:] for other in answered(p) if other.kind in ("amount", "measure")]
    if part.kind == "amount" and counts and counted(part)[-1:] not in counts:
        return False  # "five" are five hours, not days
    told = [(term, weight, term.within(asked)) for term, weight in zip(part.terms, weights, strict=True)]
    if sum(weight for _, weight, there in told if there) >= 0.8 * sum(weights):
        return True
    firm = [there for term, _, there in told if term.firm]
    return bool(firm) and all(firm) and _same_kind(part, p)


def _same_kind(part: Part, p: Placed) -> bool:
    """Whether a message answers a question of this kind: where, when, how many."""
    return any(_alike(part, asked) for asked in answered(p))


def answered(p: Placed) -> list[Part]:
    """What is asked by the questions that a message answers."""
    questions = (q.text for view in p.background for q in view.passages if q.is_question)
    return [part for text in questions for part in parts(text)]


def _alike(one: Part, other: Part) -> bool:
    if one.kind == "any" or other.kind == "any":
        return bool(one.wanted) and one.wanted == other.wanted
    return one.kind == other.kind


def leaning(term: Term, p: Placed, order: int, partly: float) -> float:
    """What a word is worth that does not stand in passage `order` itself, but in what this leans on.
    partly: factor where the passage holds the rest of a unit."""
    worth, first = 0.0, p.view.first
    for key in term.keys:
        agree = ROOT if key[0] == "~" else 1.0
        if term.exact and key in first and apart(p.view.passages, first[key], order):
            continue
        if first.get(key, order) < order:
            worth = max(worth, EARLIER * agree * (partly if term.exact else 1.0))
        elif key in first and not term.exact and not p.view.passages[first[key]].is_question:
            worth = max(worth, LATER * agree)
        for view in p.background:
            if key in view.first:
                worth = max(worth, ASKED * agree * (1.0 if view is p.call else partly))
        if not term.firm and any(key in view.first for view in p.fetched):
            worth = max(worth, LATER * agree)
    return worth
