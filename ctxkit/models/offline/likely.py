"""Find the passage that most surely answers, where `reader.find` has found none in the words of the question.

Contract: deterministic. A passage is `SURE`, or has half of the question and is not `DOUBTFUL`; it holds the
kind of answer that is wanted plainly, and a "which" is answered by something named or numbered. What `find`
has found must not be `DOUBTFUL`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part, orders
from ctxkit.models.offline.reader import Finding
from ctxkit.models.offline.standing import stands
from ctxkit.models.offline.sureness import (
    Asking,
    asking,
    is_refused,
    plain,
    properties,
    share_told,
    sureness,
    weighed,
)
from ctxkit.models.offline.surroundings import Scene, leans
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import is_said

SURE, DOUBTFUL = 0.9, -2.5
"""Sureness above which a passage is quoted as the answer, and below which it is not quoted at all, even where
it has the words of the question. Between the two it is quoted as one that may be the answer.

Of 478 answers in the samples and in `tests/quizzes`, 341 are found surely and 57 unsurely, and for 4
something else is quoted surely; of 671 questions whose answer is not there, 6 are answered surely and 42
unsurely. The rules and weights were made with these in sight. Of 67 answers in eight talks that nobody looked
at, 35 are found surely and 4 unsurely, and for 5 something else is quoted surely; of 100 questions whose
answer is not there, 9 are answered surely and 4 unsurely.
"""
HALF = 0.5
"""Share of the question that a passage has to hold where it is not sure."""
REACH = 3
"""Messages before that a message may be about."""


def find_likely(part: Part, placed: Sequence[Placed]) -> Finding | None:
    """The passage that most surely answers a part, or None.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada mended the kettle. She painted the shed.")], 1)
    >>> find_likely(parts("Who repaired the kettle?")[0], talk).passages[0].text
    'Ada mended the kettle.'
    >>> find_likely(parts("Who repaired the shed?")[0], talk) is None
    True
    """
    asked = asking(part, placed) if placed and part.kind != "self" else None
    if asked is None:
        return None
    best, found = DOUBTFUL, None
    for scene in _scenes(placed):
        passage = scene.p.view.passages[scene.order]
        if not passage.is_evidence or (scene.p.role == "user" and orders(passage.text)):
            continue
        if not (any(stands(word, passage) for word in asked.words) or leans(scene)):
            continue
        held = properties(asked, scene)
        sure = weighed(held)
        if sure > best and (sure > SURE or share_told(held) >= HALF) and _may_answer(asked, scene, passage):
            best, found = sure, Finding(scene.p.index, (passage,), sure > SURE)
    return found


def is_doubtful(part: Part, placed: Sequence[Placed], finding: Finding) -> bool:
    """Whether what was found by the words of the question is no answer after all."""
    asked = asking(part, placed) if part.kind != "self" else None
    if asked is None:
        return False
    scenes = [
        scene
        for scene in _scenes(placed)
        if scene.p.index == finding.index and scene.p.view.passages[scene.order] in finding.passages
    ]
    return all(is_refused(asked, scene) or sureness(asked, scene) < DOUBTFUL for scene in scenes)


def _scenes(placed: Sequence[Placed]) -> Iterator[Scene]:
    opening = [next((p for p in placed if p.role == "user"), placed[0])]
    for position, p in enumerate(placed):
        before = placed[max(0, position - REACH) : position]
        for order in range(len(p.view.passages)):
            yield Scene(p, order, before, opening)


def _may_answer(asked: Asking, scene: Scene, passage: Passage) -> bool:
    return plain(asked, passage) > 0 and not _is_bare(asked, passage) and not is_refused(asked, scene)


def _is_bare(asked: Asking, passage: Passage) -> bool:
    """Whether "which" finds nothing new that is named or numbered."""
    return bool(re.search(r"\bwhich\b", asked.part.text, re.IGNORECASE)) and not any(
        (word in passage.capitals or word[0].isdigit()) and not is_said(word, asked.said)
        for word in passage.words
    )
