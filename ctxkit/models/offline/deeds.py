"""Is what is done said near an answer? "Has" may stand for any verb, and a timetable leaves "begins" out.

Contract: pure, but that a deed left unsaid is marked in the list of worths as worth little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ctxkit.models.offline.asked import Asked
from ctxkit.models.offline.english import BEGINNING, LIGHT, LIVING
from ctxkit.models.offline.forms import has_form
from ctxkit.models.offline.passages import Passage, is_item, is_pair
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.standing import MEANING, agrees
from ctxkit.models.offline.surroundings import Scene, is_asked
from ctxkit.models.offline.which import tells
from ctxkit.models.offline.words import keys

CLOSE_BY = 0.7
"""Worth from which a word is near."""
LEAST, LIGHTLY = 0.4, 0.5
"""Worth from which a verb is said at all, and what it is worth where another may stand for it."""

_BEGINNING = frozenset(keys(word)[0] for word in BEGINNING)
_LIVING = frozenset(keys(word)[0] for word in LIVING)
_AT = frozenset(["is", "are", "was", "were", "from", "at", "on"])


def is_done(
    part: Part,
    wanted: str,
    turning: Sequence[Asked],
    worth: list[float],
    here: Sequence[float],
    scene: Scene,
) -> bool:
    """Whether what is done is said near the answer. "Has", "does" may stand for any verb, and where the noun
    that is asked for stands with its answer little depends on the verb; these raise its worth."""
    passage = scene.p.view.passages[scene.order]
    said = [h >= LEAST or (wanted != "person" and w >= LEAST) for h, w in zip(here, worth, strict=True)]
    if wanted == "person" and not scene.order:
        said = [s or is_asked(word, scene) for s, word in zip(said, turning, strict=True)]
    objects = sum(h >= CLOSE_BY and not word.relation for h, word in zip(here, turning, strict=True))
    light = wanted == "person" and _has_object(passage, turning)
    told = bool(part.wanted) and (has_form(wanted) or (not wanted and tells(part, passage)))
    missing = [i for i, word in enumerate(turning) if word.relation and not said[i]]
    others = [h for h, word in zip(here, turning, strict=True) if not word.relation]
    whole = bool(others) and min(others) >= MEANING
    for i in missing:
        begins = wanted == "time" and turning[i].key in _BEGINNING and _is_timed(passage, turning)
        lives = wanted == "place" and turning[i].key in _LIVING and _is_at(passage, turning)
        listed = wanted == "place" and is_item(passage)
        if whole and (listed or lives or begins or (here[i] and not turning[i].pairs)):
            worth[i] = LIGHTLY
            continue
        from_whom = wanted in ("person", "organisation") and ("com", "from") in turning[i].near.pairs
        if not objects or not (light or told or (from_whom and "from" in passage.words)):
            return False
        worth[i] = LIGHTLY
    return len(missing) < 2


def _is_timed(passage: Passage, turning: Sequence[Asked]) -> bool:
    """Whether it is said of a thing when it is, as in "the tour is at ten" or "Tour: Friday"."""
    words = passage.words
    after = [words[i + 1].lower() for i, word in enumerate(words[:-1]) if agrees(word, turning)]
    return is_pair(passage) or is_item(passage) or not _AT.isdisjoint(after)


def _is_at(passage: Passage, turning: Sequence[Asked]) -> bool:
    """Whether a place follows a name: "Ada in Oslo"."""
    names = [word for word in turning if word.term.exact]
    return any(
        agrees(name, names) and after in ("in", "at", "from", "near")
        for name, after in pairwise(passage.words)
    )


def _has_object(passage: Passage, turning: Sequence[Asked]) -> bool:
    """Whether a verb that may stand for any other is followed by what the question is about."""
    words = passage.words
    return any(
        word.lower() in LIGHT and any(agrees(other, turning) for other in words[i + 1 : i + 4])
        for i, word in enumerate(words)
    )
