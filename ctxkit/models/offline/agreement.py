"""How well a passage agrees with the words of a question, by what it says and by what it leans on.

Contract: pure. As in `reader`, language leans backwards: a word may stand earlier in the message, in the
question that it answers, or before that; each is worth less than the last. Nothing is worth as much as the
word itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxkit.models.offline.asked import Asked
from ctxkit.models.offline.english import PRONOUNS
from ctxkit.models.offline.meanings import is_quality, near
from ctxkit.models.offline.passages import Passage, apart, is_item, is_record
from ctxkit.models.offline.shapes import day_or_month
from ctxkit.models.offline.standing import MEANING, ROOT, agrees, standing, stands
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import is_function, keys

EARLIER, LATER, ASKED, SPOKEN, BEFORE = 0.8, 0.6, 0.65, 0.38, 0.15
"""Worth of a word that stands earlier in the message, of a name or deed that does later, of a word in the
question that it answers, in what was said beside that, or in the messages before."""
REPLY = 0.79
"""Worth of a word of that question for the first sentence of the answer."""
AGREES, MOST = 0.4, 0.7
"""Worth from which a word counts as agreeing, and share of the words that have to."""
CLOSE = 4
"""Words apart up to which two words are taken together."""
PARTLY = 0.5
"""Worth of "water" for "high water" where nothing is said of what is high."""


@dataclass(frozen=True)
class Agreement:
    """How the words of a question and a passage agree.

    here: what each word is worth in the passage itself; worth: with what it leans on. share: of the weight of
    the question that is covered. own: indexes of the words that make it a passage on the matter at all. said:
    how many telling words the message says, up to the passage, or the question that it answers.
    """

    here: tuple[float, ...]
    worth: tuple[float, ...]
    share: float
    own: tuple[int, ...]
    said: int


def agree(
    asked: Sequence[Asked],
    p: Placed,
    order: int,
    before: Sequence[Placed],
    called: Collection[str],
    named: bool,
) -> Agreement | None:
    """How a passage agrees, or None when too little does or another is spoken of.

    order: of the passage. before: the messages before. called: names of the window. named: a name is wanted.
    """
    passage = p.view.passages[order]
    here = [0.0 if word.longer and written_small(word, passage) else stands(word, passage) for word in asked]
    worth = [own or _around(word, p, order, before) for own, word in zip(here, asked, strict=True)]
    if any(_lacks(word, w, asked, here, named) for w, word in zip(worth, asked, strict=True)):
        return None
    if about_another(passage, asked, here, called):
        return None
    _halve_broken_units(asked, worth, here, passage)
    weights = [
        word.weight * (0.5 if word.term.exact and w <= BEFORE else 1.0)
        for word, w in zip(asked, worth, strict=True)
    ]
    matter = [
        w
        for w, word in zip(worth, asked, strict=True)
        if word.content or (word.term.exact and not (word.setting and w <= BEFORE))
    ]
    own = _own(asked, worth, here, p, order)
    if not own or sum(w >= AGREES for w in matter) < math.ceil(MOST * len(matter)):
        return None
    share = sum(weight * w for weight, w in zip(weights, worth, strict=True)) / sum(weights)
    return Agreement(tuple(here), tuple(worth), share, tuple(own), _said(asked, p, order))


def _own(
    asked: Sequence[Asked], worth: Sequence[float], here: Sequence[float], p: Placed, order: int
) -> list[int]:
    """The words that a passage says itself. The first sentence of a reply, a row or item below its heading
    and a sentence that opens with "it" say those of what they lean on."""
    passage = p.view.passages[order]
    telling = [i for i, word in enumerate(asked) if word.content]
    own = [i for i, word in enumerate(asked) if here[i] and (word.content or word.form or not telling)]
    if not own and not order and p.replies:
        own = [i for i in telling if worth[i] >= REPLY * MEANING]
    if not own and (is_record(passage) or is_item(passage)):
        own = [i for i, h in enumerate(here) if h]
    if not own and order and passage.words[0].lower().split("'")[0] in PRONOUNS:
        last = p.view.passages[order - 1]
        own = [i for i in telling if stands(asked[i], last) and not last.is_question]
    return own


def written_small(word: Asked, passage: Passage) -> bool:
    """Whether a passage has a word of a longer name without its capital: "a reef" is not "Ada Reef"."""
    return not any(written[0].isupper() and keys(written)[0] == word.key for written in passage.words)


def _said(asked: Sequence[Asked], p: Placed, order: int) -> int:
    """How many telling words of the question are said by the message up to the passage, or in the question
    that it answers."""
    upto = [
        *p.view.passages[: order + 1],
        *(q for view in p.background for q in view.passages if q.is_question),
    ]
    return sum(
        any(stands(word, passage) > MEANING for passage in upto)
        for word in asked
        if (word.content and not is_quality(word.key, only=True)) or word.term.exact
    )


def _lacks(word: Asked, worth: float, asked: Sequence[Asked], here: Sequence[float], named: bool) -> bool:
    """Whether a name, a number or a day that must agree does not."""
    if not word.term.exact:
        return False
    if not worth or (day_or_month(word.key) and worth < EARLIER):
        return True
    if named:
        return worth < 1
    if worth < EARLIER and not any(other.content for other in asked):
        return True
    if worth <= LATER and sum(bool(h) and other.content for h, other in zip(here, asked, strict=True)) < 2:
        return True
    others = (
        h
        for h, other in zip(here, asked, strict=True)
        if other.term.exact and other.term.unit == word.term.unit
    )
    return worth <= BEFORE and any(others)


def about_another(
    passage: Passage, asked: Sequence[Asked], here: Sequence[float], called: Collection[str]
) -> bool:
    """Whether a passage opens with another name than the one that is asked for and stands elsewhere."""
    opening = passage.words[0]
    if not any(word.term.exact and not h for word, h in zip(asked, here, strict=True)):
        return False
    unknown = opening[0].isupper() and not near(keys(opening)).keys
    known = {key for word in asked for key in word.term.keys}
    return (unknown or opening in called) and known.isdisjoint(keys(opening)) and not is_function(opening)


def _around(word: Asked, p: Placed, order: int, before: Sequence[Placed]) -> float:
    """What a word is worth that stands not in the passage but near it."""
    worth = 0.0
    digits = any(c.isdigit() for c in word.key)
    later = LATER if word.term.exact or word.relation else SPOKEN
    for other, there in standing(word, p.view):
        if word.term.exact and apart(p.view.passages, other, order):
            continue
        if other != order and not (other > order and (p.view.passages[other].is_question or digits)):
            worth = max(worth, (EARLIER if other < order else later) * there)
    for view in p.background:
        beside = SPOKEN * _in(word, view.first)
        if beside and any(view.passages[other].is_question for other, _ in standing(word, view)):
            beside *= (ASKED if order else REPLY) / SPOKEN
        worth = max(worth, beside)
    if not worth and (word.setting or not word.term.exact):
        worth = max((BEFORE * _in(word, other.view.first) for other in before), default=0.0)
    return worth or BEFORE * (word.setting and word.term.exact and not digits)


def _in(word: Asked, found: Collection[str]) -> float:
    return word.term.agreement(found, ROOT) or (0.0 if word.term.exact else MEANING * word.near.within(found))


def _halve_broken_units(
    asked: Sequence[Asked], worth: list[float], here: Sequence[float], passage: Passage
) -> None:
    """Words side by side mean one thing: where the passage has one of them only, or has them apart, it may
    mean another."""
    for unit in {word.term.unit for word in asked} - {0}:
        of = [i for i, word in enumerate(asked) if word.term.unit == unit and word.compound]
        content = [i for i in of if asked[i].content]
        own = [i for i in of if here[i]]
        if not content or not own or len(of) < 2:
            continue
        lone = any(
            worth[i] < (ASKED if is_quality(asked[i].key) else BEFORE) * MEANING for i in content
        ) or not (here[of[-1]] or all(is_quality(asked[i].key) for i in own))
        if lone or (len(own) > 1 and not _side_by_side([asked[i] for i in own], passage)):
            for i in content:
                worth[i] *= PARTLY


def _side_by_side(words: Sequence[Asked], passage: Passage) -> bool:
    places = [[i for i, written in enumerate(passage.words) if agrees(written, [word])] for word in words]
    gaps = [abs(i - j) for one, other in pairwise(places) for i in one for j in other]
    return min(gaps, default=0) <= CLOSE
