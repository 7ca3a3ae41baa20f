"""Words that mean nearly the same in everyday English: "mend" and "repair", "picture" and "photographer".

Contract: pure; the table is the text file beside this module, read when it is first asked for. It is a
general one, written with no conversation in mind, and what agrees by meaning only never counts as much as
the same word. Particles matter: "get to" means to arrive, "get" means nothing much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ctxkit.models.offline.english import VAGUE
from ctxkit.models.offline.words import keys, stem

TABLE = Path(__file__).with_name("everyday.txt")
Pair = tuple[str, str]
"""A verb's stem with its particle, as `neighbours` gives it."""


_VAGUE = frozenset(key for word in VAGUE for key in keys(word))


@dataclass(frozen=True)
class Near:
    """Keys and pairs that mean nearly the same as a word. vague: those of verbs that may mean anything."""

    keys: frozenset[str] = frozenset()
    pairs: frozenset[Pair] = frozenset()
    vague: frozenset[str] = frozenset()

    def within(self, found: Collection[str], pairs: Collection[Pair] = ()) -> bool:
        """Whether one of these stands among the keys and pairs of a passage."""
        return not self.keys.isdisjoint(found) or not self.pairs.isdisjoint(pairs)


@dataclass(frozen=True)
class _Table:
    near: dict[str | Pair, Near]
    nouns: dict[str | Pair, Near]
    verbs: frozenset[str]
    general: frozenset[str]
    persons: frozenset[str]
    kinds: dict[str, frozenset[str]]
    closed: frozenset[str]
    forms: dict[str, str]
    specific: frozenset[str]
    qualities: frozenset[str]
    adjectives: frozenset[str]


def near(found: Iterable[str], pairs: Collection[Pair] = (), noun: bool = False) -> Near:
    """What means nearly the same as a word. found: its keys; pairs: those that the question makes of it;
    noun: it is used as one, as in "the ring".

    >>> mend = near(keys("mended"))
    >>> mend.within(keys("repairs")), mend.within(keys("paints"))
    (True, False)
    >>> near(keys("get"), {("get", "to")}).within(keys("arrival"))
    True
    """
    table = _table().nouns if noun else _table().near
    words = [table[key] for key in found if key in table]
    words = words[:1] + [table[pair] for pair in pairs if pair in table]
    meant = frozenset[str]().union(*(word.keys for word in words))
    return Near(meant - _VAGUE, frozenset[Pair]().union(*(word.pairs for word in words)), meant & _VAGUE)


def is_phrase(pair: Pair) -> bool:
    """Whether a verb means something of its own with this particle.

    >>> is_phrase(("pick", "up")), is_phrase(("pick", "with"))
    (True, False)
    """
    return pair in _table().near


def is_verb(key: str) -> bool:
    """Whether a stem is that of an everyday verb.

    >>> is_verb(stem("carried")), is_verb(stem("honey"))
    (True, False)
    """
    return key in _table().verbs


def is_general(key: str) -> bool:
    """Whether a stem is that of a noun so general that it tells little, as "place".

    >>> is_general(stem("things")), is_general(stem("hinges"))
    (True, False)
    """
    return key in _table().general


def is_person(key: str) -> bool:
    """Whether a stem names somebody by kinship, by trade or as "neighbour" does.

    >>> is_person(stem("aunts")), is_person(stem("nurse")), is_person(stem("pliers"))
    (True, True, False)
    """
    return key in _table().persons


def examples(kind: str) -> frozenset[str]:
    """Stems of everyday words of one kind, or nothing where the table has no such kind.

    >>> stem("plum") in examples(stem("fruits")), examples(stem("salary"))
    (True, frozenset())
    """
    return _table().kinds.get(kind, frozenset())


def is_closed(kind: str) -> bool:
    """Whether the table knows the usual examples of a kind, so that an answer has to show one.

    >>> is_closed(stem("colour")), is_closed(stem("tool"))
    (True, False)
    """
    return kind in _table().closed


def wanted_form(key: str) -> str:
    """The form in which what a noun names is given, or "".

    >>> wanted_form(stem("salary")), wanted_form(stem("village")), wanted_form(stem("pliers"))
    ('price', 'venue', '')
    """
    return _table().forms.get(key, "")


def is_specific(key: str) -> bool:
    """Whether a noun says more than the form of what it names: a salary is no fee.

    >>> is_specific(stem("salary")), is_specific(stem("price"))
    (True, False)
    """
    return key in _table().specific


def is_quality(key: str, only: bool = False) -> bool:
    """Whether a stem is that of an everyday adjective. only: and of no everyday noun.

    >>> is_quality(stem("new")), is_quality(stem("oven"))
    (True, False)
    """
    return key in (_table().adjectives if only else _table().qualities)


@lru_cache(maxsize=1)
def _table() -> _Table:
    found: dict[str | Pair, set[str | Pair]] = defaultdict(set)
    nouns: dict[str | Pair, set[str | Pair]] = defaultdict(set)
    sections: dict[str, set[str]] = defaultdict(set)
    kinds: dict[str, frozenset[str]] = {}
    forms: dict[str, str] = {}
    specific = set[str]()
    for section, heads, words in _lines():
        members = [member for word in words for member in _members(word)]
        sections[section].update(keys(word)[0] for word in words if "_" not in word)
        if section == "wanted":
            forms.update({stem(word): heads[0] for word in words})
            specific.update(stem(word) for word in words if len(heads) > 1)
        elif heads:
            named = {stem(head): frozenset(stem(word) for word in words) for head in heads}
            kinds.update({head: members | kinds.get(head, frozenset()) for head, members in named.items()})
            for head in heads:
                found[stem(head)].update(members)
                nouns[stem(head)].update(members)
        elif section in ("verbs", "nouns", "qualities"):
            for member in members:
                found[member].update(members)
                if section != "verbs":
                    nouns[member].update(members)
    return _Table(
        {key: _near(members) for key, members in found.items()},
        {key: _near(members) for key, members in nouns.items()},
        frozenset(sections["verbs"]) - sections["nouns"],
        frozenset(sections["general"]),
        frozenset(sections["persons"] | sections["kin"] | sections["jobs"]),
        kinds,
        frozenset(sections["closed"]),
        forms,
        frozenset(specific),
        frozenset(sections["qualities"]),
        frozenset(sections["qualities"]) - sections["nouns"],
    )


def _lines() -> Iterable[tuple[str, list[str], list[str]]]:
    """Section, heads and words of each meaning; a line that has no head of its own goes on with the last."""
    section, heads = "", list[str]()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section, heads = line.strip("[]"), []
        elif line and not line.startswith("#"):
            before, colon, after = line.rpartition(":")
            heads = before.split() if colon else heads
            yield section, heads, after.split()


def _members(word: str) -> list[str | Pair]:
    verb, joined, particle = word.partition("_")
    if joined:
        return [(keys(verb)[0], particle)]
    return list(keys(word))


def _near(members: Iterable[str | Pair]) -> Near:
    found = frozenset(members)
    return Near(
        frozenset(member for member in found if isinstance(member, str)),
        frozenset(member for member in found if not isinstance(member, str)),
    )
