"""The words of a question as they are weighed where it may be put in other words.

Contract: pure. A noun counts whole, a verb and a name nearly so, a common verb or a noun such as "place"
hardly; words that only say what is wanted ("which colour") leave that to the form of the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxkit.models.offline.counts import counted
from ctxkit.models.offline.english import DEFINITE, DETERMINERS, PAST_FORMS, RELATIONS, SUBJECTS
from ctxkit.models.offline.meanings import (
    Near,
    Pair,
    is_closed,
    is_general,
    is_phrase,
    is_quality,
    is_specific,
    is_verb,
    near,
    wanted_form,
)
from ctxkit.models.offline.question import Part, Term
from ctxkit.models.offline.window import Placed
from ctxkit.models.offline.words import WORD, is_weak, keys

VERB, NAME, LITTLE, UNHEARD, COMMON = 0.9, 0.9, 0.2, 1.4, 0.6
"""Weight beside a noun: of a verb, of a name, of a word that tells little, of a noun that the window never
expresses, and factor for a common verb."""
SETTING = 3
"""Messages that must hold a name for it to be the setting of a talk, rather than a matter of one passage."""

_DOES = frozenset(["do", "does", "did", "will", "would", "can", "could", "should", "must"])
_ASKS = frozenset(["do", "does", "did"])
"""Words after which, but for "who did mend", the subject comes."""
_DETERMINERS = frozenset(DETERMINERS)
_SUBJECTS = frozenset([*SUBJECTS, *_DOES])
_FROM_TO = re.compile(r"\bfrom [A-Z]\w+ to [A-Z]")
"""A way is named by its ends, whatever the question calls it."""
_DENIED = re.compile(r"n['\u2019]t\b|\bnot\b", re.IGNORECASE)
_ALLOWING = frozenset(keys("allow"))
_SPANS = frozenset(keys(word)[0] for word in ("day", "week", "month", "year", "night"))
_AGES = frozenset(keys(word)[0] for word in ("old", "new"))
_GOING = keys("going")[0]
"""In "is going to" it tells when, not where to."""
_RELATIONS = frozenset(keys(word)[0] for word in RELATIONS)


@dataclass(frozen=True)
class Asked:
    """A word of the question.

    near: what means the same; pairs: the verb with its particle; weight: how much it counts. content: it
    tells something and is no name; relation: it is what is done. setting: a name that the talk is about all
    the time; form: it only says what is wanted; refused: stems of what is not allowed, which may be said as
    "no fires".
    """

    term: Term
    near: Near
    pairs: frozenset[Pair]
    weight: float
    content: bool
    relation: bool
    setting: bool
    form: bool
    refused: frozenset[str]

    @property
    def key(self) -> str:
        """Its stem."""
        return self.term.keys[0]


def asked_words(part: Part, wanted: str, placed: Sequence[Placed]) -> tuple[Asked, ...]:
    """The words of a part with their weights; none when a name or a number is nowhere in the window.

    >>> from ctxkit import Message
    >>> from ctxkit.models.offline.question import parts
    >>> from ctxkit.models.offline.window import place
    >>> talk = place([Message.user("Ada mended the kettle.")], 1)
    >>> [(word.key, word.relation) for word in asked_words(parts("Who did repair the kettle?")[0], "", talk)]
    [('repair', True), ('kettl', False)]
    """
    words = [word.lower() for word in WORD.findall(part.text)]
    vague = {t.unit for t in part.terms if is_general(t.keys[0]) and t.keys[0] not in _SPANS}
    counted_words = counted(part)
    on_the_way = bool(_FROM_TO.search(part.text))
    denied = bool(_DENIED.search(part.text))
    found: list[Asked] = []
    for term in part.terms:
        key = term.keys[0]
        holders = sum(term.within(p.view.first) for p in placed)
        if term.exact and not holders:
            return ()
        refused = frozenset[str]()
        pairs = frozenset(pair for pair in part.pairs if pair[0] == key and is_phrase(pair) and key != _GOING)
        noun = key in counted_words or _follows(key, words, _DETERMINERS)
        meaning = near(() if pairs else term.keys, pairs, noun)
        if denied and not meaning.keys.isdisjoint(_ALLOWING):
            meaning = near(keys("forbid"))
            refused = frozenset(t.keys[0] for t in part.terms if t is not term and not is_quality(t.keys[0]))
        by_meaning = sum(meaning.within(p.view.first) for p in placed)
        says = bool(wanted) and _says_what(key, part, wanted)
        verb = bool(pairs) or (key in _RELATIONS and not noun) or (not noun and _is_verb(key, words))
        little = (
            says
            or (is_general(key) and not term.exact)
            or (is_weak(key) and not pairs and key not in _RELATIONS)
            or (is_quality(key) and term.unit in vague and len(part.terms) > 2)
            or (part.kind == "any" and bool(wanted) and key.endswith("est") and noun)
            or (on_the_way and not (term.exact or holders or by_meaning))
            or (key in _AGES and not _is_contrasted(words, placed))
        )
        kind = LITTLE if little else NAME if term.exact else VERB if verb else 1.0
        if kind == 1.0 and not holders and not by_meaning:
            kind = UNHEARD
        if key in _RELATIONS:
            kind *= COMMON
        rarity = math.log(1 + len(placed) / max(holders, by_meaning, 1)) / math.log(1 + len(placed))
        found.append(
            Asked(
                term,
                meaning,
                pairs,
                weight=(0.5 + 0.5 * rarity) * kind,
                content=not little and not term.exact,
                relation=verb and not little and not term.exact,
                setting=holders >= SETTING and not key[0].isdigit(),
                form=says,
                refused=refused,
            )
        )
    return tuple(found)


def _is_contrasted(words: Sequence[str], placed: Sequence[Placed]) -> bool:
    """Whether the window tells new from old where the question says "the new fridge"."""
    things = {
        keys(thing)[0]
        for the, age, thing in zip(words, words[1:], words[2:], strict=False)
        if keys(age)[0] in _AGES and the in DEFINITE
    }
    return not things or any(
        keys(age)[0] in _AGES and keys(thing)[0] in things
        for p in placed
        for passage in p.view.passages
        if not passage.keys.isdisjoint(_AGES)
        for age, thing in pairwise(passage.words)
    )


def _follows(key: str, words: Sequence[str], leading: frozenset[str]) -> bool:
    return any(keys(word)[0] == key and before in leading for before, word in pairwise(words))


def _is_verb(key: str, words: Sequence[str]) -> bool:
    """Whether a word is used as a verb: known or inflected as one, after a subject, or last after "does"."""
    last = keys(words[-1])[0] == key and bool(_DOES.intersection(words))
    inflected = any(
        keys(word)[0] == key and (word.endswith(("ed", "ing")) or word in PAST_FORMS) for word in words
    )
    return (
        last
        or inflected
        or _follows(key, words, _SUBJECTS if words[0] == "who" else _SUBJECTS - _ASKS)
        or is_verb(key)
    )


def _says_what(key: str, part: Part, wanted: str) -> bool:
    """Whether a word only says what is wanted, so that the form of the answer stands for it."""
    if is_specific(key):
        return False
    if wanted_form(key) == wanted and wanted not in ("person", "venue"):
        return True
    return (
        key == part.wanted
        and wanted not in ("owner", "topic", "substance")
        and (wanted != key or is_closed(wanted))
    )
