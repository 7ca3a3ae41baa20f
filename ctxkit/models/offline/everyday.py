"""The table of everyday words beside this module, read once when it is first asked for.

Contract: pure but for that one read. A line of the table is one meaning; sections tell verbs, nouns and
qualities, and list who acts, what sites are called, what is a kind of what.
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


VAGUE_KEYS = frozenset(key for word in VAGUE for key in keys(word))


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
class Table:
    """The table, by what is asked of it; words are stems."""

    near: dict[str | Pair, Near]
    nouns: dict[str | Pair, Near]
    verbs: frozenset[str]
    general: frozenset[str]
    persons: frozenset[str]
    organisations: frozenset[str]
    sites: frozenset[str]
    troubles: frozenset[str]
    kinds: dict[str, frozenset[str]]
    closed: frozenset[str]
    forms: dict[str, str]
    specific: frozenset[str]
    qualities: frozenset[str]
    adjectives: frozenset[str]


@lru_cache(maxsize=1)
def table() -> Table:
    """The table as it is read."""
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
    return Table(
        {key: _near(members) for key, members in found.items()},
        {key: _near(members) for key, members in nouns.items()},
        frozenset(sections["verbs"]) - sections["nouns"],
        frozenset(sections["general"]),
        frozenset(sections["persons"] | sections["kin"] | sections["jobs"]),
        frozenset(sections["organisations"]),
        frozenset(sections["sites"]),
        frozenset(sections["troubles"]),
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
