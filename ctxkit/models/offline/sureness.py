"""How sure is it that a passage answers? A few plain properties of question and passage, weighed and added.

Contract: pure. `sureness` is a logit: at 0 one such passage in two is right. The weights are those of a
logistic regression (scikit-learn, C=0.3, properties scaled) over all passages of the samples and of the
conversations in `tests/quizzes` that pass `is_refused`; each conversation was asked its own questions, the
same without the message that answers, and 25 questions of others, and the ten conversations that came last
counted four times. The properties were chosen out of some ninety by what they gained for those ten, each
asked while it was left out of the regression. No property and no weight is about a subject.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxkit.models.offline.asked import Asked, asked_words
from ctxkit.models.offline.evidence import contradicts, plainly
from ctxkit.models.offline.forms import form, has_form
from ctxkit.models.offline.leaning import answered
from ctxkit.models.offline.meanings import is_closed
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.places import places_of
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import fits
from ctxkit.models.offline.standing import ROOT, agrees, stands
from ctxkit.models.offline.standpoint import is_another_matter, saying, speaker
from ctxkit.models.offline.surroundings import BESIDE, Scene, around, leans
from ctxkit.models.offline.vetoes import is_vetoed, opens_with_another
from ctxkit.models.offline.window import Placed, names
from ctxkit.models.offline.words import is_function, is_said

WEIGHTS = {
    "words said": 9.0,
    "words meant": 5.5,
    "words leant on": 5.9,
    "sure form": 1.6,
    "fitting answer": 1.5,
    "new words": -1.3,
    "asks for somebody": 1.0,
    "asks by name": -0.6,
    "nouns said": 1.1,
    "nouns said, with a form": -1.1,
    "somebody, words missing": -2.5,
    "leans": 1.5,
    "same kind of question": 1.6,
    "opinion": 3.5,
}
"""What each property adds: shares between 0 and 1, counts of words, and 1 for yes."""
BASE = -8.3
"""What is added to all: most passages are no answer."""

MANY = 8
"""New words from which a passage is long, however long it is."""

_OPINION = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|should|whether|hoped?|wish|want(?:s|ed)?)\b", re.IGNORECASE
)
_PERSONS = ("person", "title", "owner", "surname")
_FIGURES = ("time", "measure", "amount")


@dataclass(frozen=True)
class Asking:
    """A question as it is weighed: the form of its answer, the words it turns on, all that it says, and the
    names of the window and those among them that are places."""

    part: Part
    wanted: str
    words: tuple[Asked, ...]
    said: frozenset[str]
    called: frozenset[str]
    places: frozenset[str]


def asking(part: Part, placed: Sequence[Placed]) -> Asking | None:
    """A part as it is weighed in a window; None when it names what is nowhere there."""
    wanted = form(part)
    aside = saying(part)
    asked = [word for word in asked_words(part, wanted, placed) if aside.isdisjoint(word.term.keys)]
    telling = [word for word in asked if not word.form]
    words = [word for word in telling if not (wanted and word.key == part.wanted)] or telling
    if not words:
        return None
    said = frozenset(key for term in part.terms for key in term.keys)
    return Asking(part, wanted, tuple(words), said, names(placed), places_of(placed))


def is_refused(asked: Asking, scene: Scene) -> bool:
    """Whether a passage can't be the answer, however well its words agree."""
    p, order, part = scene.p, scene.order, asked.part
    passage = p.view.passages[order]
    return (
        is_another_matter(part, p, order)
        or is_vetoed(part, passage)
        or opens_with_another(part, passage)
        or contradicts(part, passage, asked.called)
    )


def sureness(asked: Asking, scene: Scene) -> float:
    """How sure it is that a passage answers, as a logit.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada mended the kettle. She likes the shed.")], 1)
    >>> asked = asking(parts("Who repaired the kettle?")[0], talk)
    >>> sureness(asked, Scene(talk[0], 0, (), talk)) > 1 > sureness(asked, Scene(talk[0], 1, (), talk))
    True
    """
    return weighed(properties(asked, scene))


def weighed(found: Mapping[str, float]) -> float:
    """The logit of these properties."""
    return BASE + sum(WEIGHTS[name] * value for name, value in found.items())


def share_told(found: Mapping[str, float]) -> float:
    """How much of the question stands in the passage or in what it leans on, from 0 to 1."""
    return found["words said"] + found["words meant"] + found["words leant on"]


def properties(asked: Asking, scene: Scene) -> dict[str, float]:
    """What is weighed, by name."""
    part, wanted, words = asked.part, asked.wanted, asked.words
    p, passage = scene.p, scene.p.view.passages[scene.order]
    here = [stands(word, passage) for word in words]
    worth = [h or around(word, scene) for h, word in zip(here, words, strict=True)]
    total = sum(word.weight for word in words)
    said = sum(bool(h) and (w.content or w.term.exact) for h, w in zip(here, words, strict=True))
    new = sum(not (is_function(word) or is_said(word, asked.said)) for word in passage.words)
    formed = has_form(wanted) or wanted in _FIGURES or is_closed(wanted)
    missing = sum(word.weight for w, word in zip(worth, words, strict=True) if not w)
    leaning = sum(
        word.weight * w for h, w, word in zip(here, worth, words, strict=True) if not h and w >= BESIDE
    )
    same = any(q.kind == part.kind != "any" for q in answered(p)) and not scene.order
    return {
        "words said": sum(word.weight * h for h, word in zip(here, words, strict=True) if h >= ROOT) / total,
        "words meant": sum(word.weight * h for h, word in zip(here, words, strict=True) if h < ROOT) / total,
        "words leant on": leaning / total,
        "sure form": plain(asked, passage) > 1,
        "fitting answer": fits(part, passage, asked.called),
        "new words": math.log(1 + min(new, MANY)),
        "asks for somebody": wanted in _PERSONS,
        "asks by name": any(word.term.exact for word in words),
        "nouns said": said,
        "nouns said, with a form": said * formed,
        "somebody, words missing": missing / total * (wanted in _PERSONS),
        "leans": leans(scene),
        "same kind of question": same,
        "opinion": bool(_OPINION.search(passage.text) and (speaker(part) or _OPINION.search(part.text))),
    }


def plain(asked: Asking, passage: Passage) -> int:
    """How plainly a passage holds what is wanted, near what the question turns on."""
    anchors = [i for i, written in enumerate(passage.words) if agrees(written, asked.words)]
    near = anchors if anchors or asked.wanted == "title" else range(len(passage.words))
    return plainly(asked.part, asked.wanted, passage, near, asked.said, asked.places, called=asked.called)
