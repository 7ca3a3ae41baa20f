"""Words that mean nearly the same in everyday English: "mend" and "repair", "picture" and "photographer".

Contract: pure; the table is the text file beside this module, read when it is first asked for. It is a
general one, written with no conversation in mind, and what agrees by meaning only never counts as much as
the same word. Particles matter: "get to" means to arrive, "get" means nothing much.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ctxkit.models.offline import everyday
from ctxkit.models.offline.everyday import VAGUE_KEYS, Near, Pair
from ctxkit.models.offline.words import is_weak


def near(found: Iterable[str], pairs: Collection[Pair] = (), noun: bool = False) -> Near:
    """What means nearly the same as a word. found: its keys; pairs: those that the question makes of it;
    noun: it is used as one, as in "the ring".

    >>> from ctxkit.models.offline.words import keys
    >>> mend = near(keys("mended"))
    >>> mend.within(keys("repairs")), mend.within(keys("paints"))
    (True, False)
    >>> near(keys("get"), {("get", "to")}).within(keys("arrival"))
    True
    """
    table = everyday.table().nouns if noun else everyday.table().near
    words = [table[key] for key in found if key in table]
    words = words[:1] + [table[pair] for pair in pairs if pair in table]
    meant = frozenset[str]().union(*(word.keys for word in words))
    return Near(
        meant - VAGUE_KEYS, frozenset[Pair]().union(*(word.pairs for word in words)), meant & VAGUE_KEYS
    )


def is_phrase(pair: Pair) -> bool:
    """Whether a verb means something of its own with this particle.

    >>> is_phrase(("pick", "up")), is_phrase(("pick", "with"))
    (True, False)
    """
    return pair in everyday.table().near


def is_verb(key: str) -> bool:
    """Whether a stem is that of an everyday verb.

    >>> from ctxkit.models.offline.words import stem
    >>> is_verb(stem("carried")), is_verb(stem("honey"))
    (True, False)
    """
    return key in everyday.table().verbs


def is_general(key: str) -> bool:
    """Whether a stem is that of a noun so general that it tells little, as "place".

    >>> from ctxkit.models.offline.words import stem
    >>> is_general(stem("things")), is_general(stem("hinges"))
    (True, False)
    """
    return key in everyday.table().general


def is_person(key: str) -> bool:
    """Whether a stem names somebody by kinship, by trade or as "neighbour" does.

    >>> from ctxkit.models.offline.words import stem
    >>> is_person(stem("aunts")), is_person(stem("nurse")), is_person(stem("pliers"))
    (True, True, False)
    """
    return key in everyday.table().persons


def is_everyday(key: str) -> bool:
    """Whether the table has a stem at all: where a sentence opens with another, that may be a name.

    >>> from ctxkit.models.offline.words import stem
    >>> is_everyday(stem("paint")), is_everyday(stem("Quill"))
    (True, False)
    """
    table = everyday.table()
    return key in table.near or key in table.persons or is_weak(key) or key in table.organisations


def is_organisation(key: str) -> bool:
    """Whether a stem is that of a body that acts as somebody does, also at the end of its name.

    >>> from ctxkit.models.offline.words import stem
    >>> is_organisation(stem("agency")), is_organisation(stem("pliers"))
    (True, False)
    """
    return key in everyday.table().organisations


def is_site(key: str) -> bool:
    """Whether a stem makes the name before it that of a place: "Mill Lane" is nobody.

    >>> from ctxkit.models.offline.words import stem
    >>> is_site(stem("lane")), is_site(stem("aunt"))
    (True, False)
    """
    return key in everyday.table().sites


def is_trouble(key: str) -> bool:
    """Whether a stem says that something is not as it should be.

    >>> from ctxkit.models.offline.words import stem
    >>> is_trouble(stem("leaks")), is_trouble(stem("stands"))
    (True, False)
    """
    return key in everyday.table().troubles


def examples(kind: str) -> frozenset[str]:
    """Stems of everyday words of one kind, or nothing where the table has no such kind.

    >>> from ctxkit.models.offline.words import stem
    >>> stem("plum") in examples(stem("fruits")), examples(stem("salary"))
    (True, frozenset())
    """
    return everyday.table().kinds.get(kind, frozenset())


def is_closed(kind: str) -> bool:
    """Whether the table knows the usual examples of a kind, so that an answer has to show one.

    >>> from ctxkit.models.offline.words import stem
    >>> is_closed(stem("colour")), is_closed(stem("tool"))
    (True, False)
    """
    return kind in everyday.table().closed


def wanted_form(key: str) -> str:
    """The form in which what a noun names is given, or "".

    >>> from ctxkit.models.offline.words import stem
    >>> wanted_form(stem("salary")), wanted_form(stem("village")), wanted_form(stem("pliers"))
    ('price', 'venue', '')
    """
    return everyday.table().forms.get(key, "")


def is_specific(key: str) -> bool:
    """Whether a noun says more than the form of what it names: a salary is no fee.

    >>> from ctxkit.models.offline.words import stem
    >>> is_specific(stem("salary")), is_specific(stem("price"))
    (True, False)
    """
    return key in everyday.table().specific


def is_quality(key: str, only: bool = False) -> bool:
    """Whether a stem is that of an everyday adjective. only: and of no everyday noun.

    >>> from ctxkit.models.offline.words import stem
    >>> is_quality(stem("new")), is_quality(stem("oven"))
    (True, False)
    """
    return key in (everyday.table().adjectives if only else everyday.table().qualities)
