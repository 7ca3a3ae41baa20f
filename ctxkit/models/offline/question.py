"""What is asked: the parts of a question, the words each part turns on, and the kind of answer that would
do.

Contract: pure. "What tool do dolphins use, and why?" has two parts; the second turns on the words of the
first. A word is firm when an answer must be about it; common verbs, and the noun that only says what is
wanted ("which tool", "the name of"), are not firm.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ctxkit.models.offline.english import DETERMINERS, MEASURES, PRONOUNS
from ctxkit.models.offline.kinds import ASKING, Kind, kind_of, noun_of
from ctxkit.models.offline.passages import passages
from ctxkit.models.offline.words import ERROR, WORD, WRONG, is_function, is_weak, keys, neighbours

_HOW = re.compile(rf"\bhow ({'|'.join(MEASURES)})\b", re.IGNORECASE)
_AND = re.compile(rf"[,;]?\s+and\s+(?=(?:\w+\s+)?{ASKING}\b)", re.IGNORECASE)
_PREAMBLE = re.compile(rf"^.*[:\u2013—]\s*(?=(?:\w+\s+){{0,2}}{ASKING}\b)", re.IGNORECASE | re.DOTALL)
_ORDER = re.compile(
    r"\s*(?:please\s+)?(?:explain|tell|show|list|describe|give|name|find|summari[sz]e|repeat|quote|look|check"
    r"|calculate|compute|work out|read|say|compare|use|call|run|get|fetch|search)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"\s*(?:{ASKING}|is|are|was|were|do|does|did|can|could|will|would|has|have|had|should)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:which|what|whose)\s+((?:[^\W\d_]+\s+){1,2}?)"
    r"(?=(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might"
    r"|[^\W\d_]+(?:s|ed)|of|in|on|at|from|for|to|by)\b)"
    r"|\bwhat(?:'s|\s+is|\s+was|\s+are|\s+were)?\s+the\s+((?:[^\W\d_]+\s+){1,2}?)of\b"
    r"|\bwhat(?:'s|\s+is|\s+was|\s+are)?\s+.{0,30}?\b(names?)\b"
    r"|\bhow\s+([^\W\d_]+)\b",
    re.IGNORECASE,
)

_PRICE = {key for word in ("cost", "price", "priced") for key in keys(word)}
"""What the kind "price" says already."""


@dataclass(frozen=True)
class Term:
    """A word that a part turns on.

    keys: of the word. firm: an answer must be about it. exact: it names one thing (a name or a number).
    unit: firm words side by side share this number, as in a name or in "sweet corn"; 0 where the kind of
    question says the word already.
    """

    keys: tuple[str, ...]
    firm: bool
    exact: bool
    unit: int

    def within(self, found: Collection[str]) -> bool:
        """Whether one of its keys is among these."""
        return any(key in found for key in self.keys)

    def agreement(self, found: Collection[str], root: float) -> float:
        """1 where the stem is among these keys, `root` where only the root is, else 0."""
        return max((root if key[0] == "~" else 1.0 for key in self.keys if key in found), default=0.0)


@dataclass(frozen=True)
class Part:
    """One thing that is asked. pairs: words with the function word that follows; measure: units that would
    do, as a pattern; leaning: its words stand in the part before; wanted: stem of the noun that says what
    is wanted ("which tool", "the name of"), or ""; said_by: role whose words are asked for, or "" for any."""

    text: str
    kind: Kind
    terms: tuple[Term, ...]
    pairs: frozenset[tuple[str, str]] = frozenset()
    measure: str = ""
    leaning: bool = False
    wanted: str = ""
    said_by: str = ""


def asks(text: str) -> bool:
    """Whether a text asks for anything, rather than telling it.

    >>> asks("Hi, I am Ada."), asks("Explain the error"), asks("Tea, and when?")
    (False, True, True)
    """
    return any(p.is_question or _OPENING.match(p.text) or orders(p.text) for p in passages(text))


def orders(text: str) -> bool:
    """Whether a text tells to do something, rather than asking or telling what is so.

    >>> orders("Read the log"), orders("Reading is fun"), orders("What is read?")
    (True, False, False)
    """
    return bool(_ORDER.match(text))


def parts(text: str) -> list[Part]:
    """The parts of what a text asks.

    >>> asked = parts("Thanks! Tell me: how old is Ada, and where does she live?")
    >>> [(part.kind, [term.keys[0] for term in part.terms]) for part in asked]
    [('measure', ['ada']), ('place', ['liv', 'ada'])]
    """
    found: list[Part] = []
    asked = [p.text for p in passages(text) if p.is_question] or [
        p.text for p in passages(text) if asks(p.text)
    ]
    for sentence in asked or [text]:
        for piece in _AND.split(_PREAMBLE.sub("", sentence)):
            part = _part(piece)
            if found and _is_short(part):
                part = _lean(part, found[-1])
            found.append(part)
    return found


def _part(text: str) -> Part:
    kind, whose = kind_of(text), "whose" in text.lower()
    words = WORD.findall(text)
    wanted = _WANTED.search(text)
    loose = (
        {key for group in wanted.groups() if group for word in WORD.findall(group) for key in keys(word)}
        if wanted
        else set[str]()
    )
    if kind == "term":
        loose.add(keys("call")[0])
    if kind == "price":
        loose |= _PRICE
    terms: dict[str, Term] = {}
    unit, last = 0, -2
    for position, word in enumerate(words):
        if is_function(word) or (word == "going" and _is_verb_next(words[position + 1 : position + 3])):
            continue
        found = keys(word)
        has_digit = any(c.isdigit() for c in word) or (found[0].isdigit() and found[0] != "1")
        split = [found[:1]] if has_digit else [found[i : i + 2] for i in range(0, len(found), 2)]
        for own in split:
            if not terms and kind == "any" and is_weak(own[0]) and not text.rstrip().endswith("?"):
                continue  # "Explain ...", "Show ...": what to do, not what about
            if own[0] in loose and not whose and kind in ("time", "name", "price", "measure"):
                continue  # "which day", "the name of", "how heavy": the kind says it
            exact = has_digit or (position > 0 and word[0].isupper() and word[1:2] != "-")
            firm = exact or not (is_weak(own[0]) or own[0] in loose)
            unit += not (firm and not has_digit and position - last <= 1)
            last = position if firm and not has_digit else -2
            terms.setdefault(
                own[0],
                Term(
                    (*own, ERROR) if WRONG.fullmatch(word) else own,
                    firm,
                    exact,
                    0 if kind == "term" and own[0] in loose else unit,
                ),
            )
    terms = _either(terms, words)
    if not any(term.firm for term in terms.values()):
        terms = {key: replace(term, firm=not is_weak(key)) for key, term in terms.items()}
    measure = MEASURES[how[1].lower()] if kind == "measure" and (how := _HOW.search(text)) else ""
    return Part(text.strip(), kind, tuple(terms.values()), neighbours(words), measure, wanted=noun_of(text))


def _either(terms: dict[str, Term], words: Sequence[str]) -> dict[str, Term]:
    """The terms, with those joined by "or" as one: an answer says "a male" or "a female", not both."""
    plain = [word for word in words if word.lower() not in ("a", "an", "the")]
    for before, joint, after in zip(plain, plain[1:], plain[2:], strict=False):
        one, other = terms.get(keys(before)[0]), terms.get(keys(after)[0])
        if joint.lower() == "or" and one and other and one is not other:
            joined = replace(one, keys=one.keys + other.keys, exact=False)
            terms = {key: joined if term is one else term for key, term in terms.items() if term is not other}
    return terms


def _is_verb_next(words: Sequence[str]) -> bool:
    """Whether "going" only says that something will be: "going to cook", not "going to the sea"."""
    return len(words) == 2 and words[0] == "to" and words[1].islower() and words[1] not in DETERMINERS


def _is_short(part: Part) -> bool:
    """A part with hardly a word of its own, or with a pronoun, speaks of what the part before spoke of."""
    own = [term for term in part.terms if term.firm]
    return not own or (len(own) == 1 and any(w.lower() in PRONOUNS for w in WORD.findall(part.text)))


def _lean(part: Part, before: Part) -> Part:
    own = {term.keys[0] for term in part.terms}
    units = max((term.unit for term in part.terms), default=0)
    others = (term for term in before.terms if term.keys[0] not in own)
    borrowed = tuple(replace(term, unit=term.unit and term.unit + units) for term in others)
    return replace(part, terms=part.terms + borrowed, leaning=True)
