"""What a word of a question is worth in a passage itself: the word, its root, or what means the same.

Contract: pure; `standing` remembers what it found in a message, which changes no result.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from ctxkit.models.offline.asked import Asked
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.window import View
from ctxkit.models.offline.words import keys

ROOT, MEANING, VAGUELY = 0.9, 0.75, 0.38
"""Worth of a word that agrees by its root, by its meaning, or with a verb that may mean anything."""


def stands(word: Asked, passage: Passage) -> float:
    """What a word is worth in a passage itself."""
    worth = 0.0
    if not word.pairs or not word.pairs.isdisjoint(passage.pairs):
        worth = word.term.agreement(passage.keys, ROOT)
    if worth and word.relation and _only_a(word, passage):
        worth = VAGUELY
    if worth or word.term.exact:
        return worth
    if word.near.within(passage.keys, passage.pairs):
        return MEANING
    if word.refused and _is_refused(word.refused, passage):
        return MEANING
    return 0.0 if word.near.vague.isdisjoint(passage.keys) else VAGUELY


def _is_refused(things: Collection[str], passage: Passage) -> bool:
    """Whether a passage has "no" right before one of these, or before an adjective of it."""
    words = passage.words
    return any(
        word.lower() == "no" and any(keys(other)[0] in things for other in words[i + 1 : i + 3])
        for i, word in enumerate(words)
    )


def _only_a(word: Asked, passage: Passage) -> bool:
    """Whether a verb of the question stands there as a noun only: "a copy" is not "copies"."""
    words = passage.words
    places = [i for i, other in enumerate(words) if word.term.within(keys(other)[:1])]
    return bool(places) and all(i and words[i - 1].lower() in ("a", "an") for i in places)


def agrees(written: str, asked: Sequence[Asked]) -> bool:
    """Whether a written word agrees with one of these."""
    found = keys(written)
    return any(word.term.within(found) or not word.near.keys.isdisjoint(found) for word in asked)


@lru_cache(maxsize=4_096)
def standing(word: Asked, view: View) -> tuple[tuple[int, float], ...]:
    """In which passages of a message a word stands, with its worth in each."""
    found, near = view.first, word.near
    may = word.term.within(found) or near.within(found) or near.pairs or word.refused
    if not may and near.vague.isdisjoint(found):
        return ()
    worths = ((i, stands(word, passage)) for i, passage in enumerate(view.passages))
    return tuple((i, worth) for i, worth in worths if worth)


def stands_in(word: Asked, view: View) -> float:
    """What a word is worth in a message at best."""
    return max((worth for _, worth in standing(word, view)), default=0.0)
