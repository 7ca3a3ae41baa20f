"""Find the answer by its kind, where the words of the question lie scattered around it.

Contract: as `find_by_meaning`, which comes before it. Here the form of the answer carries most: a passage has
to hold it plainly, next to what the question turns on. The nouns of the question may then stand further off
(before it in the message, in what the message answers, in what opened the talk), but each has to be heard;
what is done has to be said near the answer, by meaning at least. The best passage must be ahead of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ctxkit.models.offline.agreement import about_another, written_small
from ctxkit.models.offline.asked import Asked, asked_words
from ctxkit.models.offline.counts import counted, counts
from ctxkit.models.offline.deeds import CLOSE_BY, is_done
from ctxkit.models.offline.evidence import BESIDE as BESIDE_NAME
from ctxkit.models.offline.evidence import plainly
from ctxkit.models.offline.forms import form
from ctxkit.models.offline.meanings import is_quality
from ctxkit.models.offline.paraphrase import places_of
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.persons import NEAR
from ctxkit.models.offline.question import Part, orders
from ctxkit.models.offline.reader import Finding
from ctxkit.models.offline.shapes import day_or_month
from ctxkit.models.offline.standing import MEANING, agrees, stands
from ctxkit.models.offline.surroundings import (
    BEFORE,
    BESIDE,
    EARLIER,
    LATER,
    Scene,
    around,
    leans,
    said_aside,
)
from ctxkit.models.offline.vetoes import is_vetoed, opens_with_another
from ctxkit.models.offline.which import tells
from ctxkit.models.offline.window import Placed, names
from ctxkit.models.offline.words import ERROR, is_function

REACH = 3
"""Messages before that a message may be about."""
ENOUGH = 0.6
"""Share of a question's weight that must be covered."""
_OF_THINGS = frozenset(["price", "measure", "mass", "length", "time", "age", "amount", "number"])
TELLING = 12
"""Words from which an order tells something too: "ask Ada, our cook, to ..."."""
ASIDE = 0.5
"""Factor for what follows a preposition at the end of the question, "in the new system", and is not near."""
AHEAD = 0.04
"""How far the best must be ahead of the next passage."""


def find_nearby(part: Part, placed: Sequence[Placed]) -> Finding | None:
    """The passage that plainly holds the kind of answer that is asked for, or None.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada has a new kiln. The old one is sold. It weighs 90 kilos.")], 1)
    >>> find_nearby(parts("How heavy is the kiln?")[0], talk).passages[0].text
    'It weighs 90 kilos.'
    >>> find_nearby(parts("How hot is the kiln?")[0], talk) is None
    True
    """
    wanted = form(part)
    if not placed or part.kind == "self":
        return None
    asked = asked_words(part, wanted, placed)
    if not any(word.content or word.term.exact for word in asked):
        return None
    called, places = names(placed), places_of(placed)
    opening = [next((p for p in placed if p.role == "user"), placed[0])]
    scored: list[tuple[float, Finding]] = []
    for position, p in enumerate(placed):
        for order, passage in enumerate(p.view.passages):
            if not passage.is_evidence or _is_order(p, passage) or is_vetoed(part, passage):
                continue
            scene = Scene(p, order, placed[max(0, position - REACH) : position], opening)
            score = _score(part, wanted, asked, scene, places, called)
            if score:
                scored.append((score, Finding(p.index, (passage,))))
    scored.sort(key=lambda found: -found[0])
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < AHEAD):
        return None
    return scored[0][1]


def _is_order(p: Placed, passage: Passage) -> bool:
    """Whether a passage is a mere order; a long one tells something on the way."""
    return p.role == "user" and len(passage.words) < TELLING and orders(passage.text)


def _score(
    part: Part,
    wanted: str,
    asked: Sequence[Asked],
    scene: Scene,
    places: frozenset[str],
    called: frozenset[str],
) -> float:
    """How well a passage answers, or 0 where it doesn't."""
    passage = scene.p.view.passages[scene.order]
    if wanted == "amount" and not counts(part, passage):
        return 0.0
    of = counted(part)[-1:] if wanted == "amount" else ()
    turning = [word for word in asked if not (word.form or (wanted == "trouble" and ERROR in word.term.keys))]
    here = [
        0.0 if word.longer and written_small(word, passage) else stands(word, passage) for word in turning
    ]
    if wanted not in ("person", "owner") and about_another(passage, turning, here, called):
        return 0.0
    own = any(h for h, word in zip(here, turning, strict=True) if word.content or word.term.exact)
    if wanted == "person" and not any(here):
        return 0.0
    if not leans(scene) and (not own or opens_with_another(part, passage)):
        return 0.0
    worth = [h or around(word, scene) for h, word in zip(here, turning, strict=True)]
    aside = said_aside(part.text)
    beside = [
        (w >= BESIDE, word.key in aside) for w, word in zip(worth, turning, strict=True) if word.key not in of
    ]
    beside = [near for near, off in beside if near or not off] or [near for near, _ in beside]
    if (beside and not any(beside)) or not _heard(turning, worth, here, wanted == "title", leans(scene)):
        return 0.0
    nouns = [h for h, word in zip(here, turning, strict=True) if word.content and not word.relation]
    if wanted in _OF_THINGS and nouns and not any(nouns) and _opens_with_another(passage, turning, called):
        return 0.0
    if part.wanted == "number" and any(w < BESIDE for w in worth):
        return 0.0
    if not is_done(part, wanted, turning, worth, here, scene):
        return 0.0
    formed = any(word.form and word.term.within(passage.keys) for word in asked)
    if not _agrees_enough(part, turning, worth, scene, formed):
        return 0.0
    known = {key for term in part.terms for key in term.keys}
    anchors = [i for i, written in enumerate(passage.words) if agrees(written, turning)]
    near = BESIDE_NAME if wanted == "title" else NEAR
    plain = plainly(
        part, wanted, passage, anchors if own else range(len(passage.words)), known, places, near, called
    )
    if plain < 2 and not (not wanted and tells(part, passage)):
        return 0.0
    weights = [
        word.weight * (ASIDE if word.key in aside and w < CLOSE_BY else 1.0)
        for word, w in zip(turning, worth, strict=True)
    ]
    total = sum(weights)
    share = sum(weight * w for weight, w in zip(weights, worth, strict=True)) / total
    if share < ENOUGH:
        return 0.0
    return share + 0.3 * sum(weight * h for weight, h in zip(weights, here, strict=True)) / total


def _opens_with_another(passage: Passage, turning: Sequence[Asked], called: frozenset[str]) -> bool:
    """Whether a passage that says no noun of the question opens with a name: it speaks of somebody else."""
    opening = passage.words[0]
    return opening in called and not is_function(opening) and not agrees(opening, turning)


def _heard(
    turning: Sequence[Asked], worth: Sequence[float], here: Sequence[float], named: bool, leans: bool
) -> bool:
    """Whether all nouns and names of the question are heard, and one of them near."""
    telling = [
        (h, w, word)
        for h, w, word in zip(here, worth, turning, strict=True)
        if not word.relation and (word.content or word.term.exact)
    ]
    said = sum(bool(h) and word.content for h, word in zip(here, turning, strict=True))
    for _, w, word in telling:
        least = EARLIER if named or day_or_month(word.key) else BEFORE * MEANING
        if word.term.exact and not word.setting:
            least = max(least, LATER if said > 1 else CLOSE_BY)
        if w < least:
            return False
    if any(
        word.term.unit == noun.term.unit
        and not word.setting
        and ((h if is_quality(word.key) else w) < CLOSE_BY <= other or worth_of_noun < CLOSE_BY <= h)
        for (h, w, word), (other, worth_of_noun, noun) in pairwise(telling)
    ):
        return False  # what is said of popcorn may not be true of the sweet one, or of sweet potatoes
    nearest = max((w for _, w, _ in telling), default=1.0)
    return said > 1 or nearest >= (BESIDE if leans else CLOSE_BY)


def _agrees_enough(
    part: Part, turning: Sequence[Asked], worth: Sequence[float], scene: Scene, formed: bool
) -> bool:
    """Whether most words of the question are near, and one of them in so many words. formed: the passage says
    the word that only tells the form of the answer, as "weighs"."""
    aside = said_aside(part.text)
    matter = [(w, word) for w, word in zip(worth, turning, strict=True) if word.content or word.term.exact]
    if not matter:
        return True
    main = [(w, word) for w, word in matter if word.key not in aside] or matter
    near = sum(w >= BESIDE for w, _ in main)
    told = [
        *scene.p.view.passages[: scene.order + 1],
        *(q for view in scene.p.background for q in view.passages),
    ]
    said = [
        word
        for word in turning
        if not day_or_month(word.key) and any(word.term.within(passage.keys) for passage in told)
    ]
    things = any(word.content and not word.relation and word.key not in aside for word in turning)
    literal = any(word.content or word.key == part.wanted for word in said) if things else said or formed
    return bool(literal) and 2 * near > len(main)
