"""What a passage stands in, and what a word is worth that stands there and not in the passage.

Contract: pure. Language leans backwards: on what came earlier in the message, on the question that it
answers, and where a message opens with "it", on what its speaker said before. What opened a talk is its
matter all along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.models.offline.asked import Asked
from ctxkit.models.offline.english import PRONOUNS
from ctxkit.models.offline.passages import Passage, apart
from ctxkit.models.offline.standing import standing, stands_in
from ctxkit.models.offline.window import Placed

EARLIER, ANSWERED, LATER, BESIDE, BEFORE = 0.85, 0.8, 0.6, 0.5, 0.35
"""Worth of a word that stands earlier in the message, in the question that it answers, later in the message,
beside that question, or in one of the messages before or the one that opened the talk."""
_OBJECT = frozenset(["him", "her"])
_PERSON = frozenset(["he", "she", "him", "her", "He", "She"])
SAME = 0.7
"""The same where a message opens with "it" and its speaker said the word before."""


@dataclass(frozen=True)
class Scene:
    """What a passage stands in: its message, those before it, and the one that opened the talk."""

    p: Placed
    order: int
    before: Sequence[Placed]
    opening: Sequence[Placed]


def leans(scene: Scene) -> bool:
    """Whether a passage speaks of what stands before it: "it weighs ...", or the first words of a reply."""
    passage = scene.p.view.passages[scene.order]
    pronoun = any(not word.isupper() and word.lower().split("'")[0] in PRONOUNS for word in passage.words[:6])
    return pronoun or (scene.p.replies and not scene.order)


def _refers(passage: Passage, named: bool) -> bool:
    """Whether a passage says "it" early, or, of somebody with a name, "she" anywhere and no other name."""
    if named:
        met = len(passage.capitals)
        return not (_PERSON if not met else _OBJECT if met < 2 else frozenset[str]()).isdisjoint(
            passage.words
        )
    return any(word.lower().split("'")[0] in PRONOUNS for word in passage.words[:4])


def around(word: Asked, scene: Scene) -> float:
    """What a word is worth that stands not in the passage but around it."""
    p, order = scene.p, scene.order
    worth = 0.0
    for other, there in standing(word, p.view):
        if other == order or apart(p.view.passages, other, order):
            continue
        if other < order or not p.view.passages[other].is_question:
            worth = max(worth, (EARLIER if other < order else LATER) * there)
    refers = _refers(p.view.passages[order], word.term.exact)
    for view in p.background:
        for other, there in standing(word, view):
            beside = SAME if refers and not order else BESIDE
            worth = max(worth, (ANSWERED if view.passages[other].is_question else beside) * there)
    opened = any(standing(word, other.view) for other in scene.opening)
    if refers and word.term.exact and (word.setting or opened):
        worth = max(worth, SAME)
    if worth < SAME and not order and p.view.passages[0].words[0].lower().split("'")[0] in PRONOUNS:
        own = (stands_in(word, other.view) for other in scene.before if other.role == p.role)
        worth = max(worth, SAME * max(own, default=0.0), SAME * word.setting)
    if not worth:
        worth = BEFORE * max(stands_in(word, other.view) for other in (*scene.before, *scene.opening))
    return max(worth, BEFORE * word.setting)
