"""What counts as the same word: case, endings and irregular forms don't matter, numbers do.

Contract: pure. English only, and the words written down here are those of grammar: function words, common
verbs and their irregular forms, numerals. Nothing here knows what a conversation is about. Each word has
two keys: its stem ("carried" and "carries" agree) and, marked by "~", its root, which also lets a doer and
a deed agree ("founder", "founded").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from ctxkit.models.offline.english import BASE_FORMS, FUNCTION, NUMERALS, WEAK

ERROR = "!"
"""Key of all that speaks of something that went wrong."""
WRONG = re.compile(
    r"\b(?:errors?|exceptions?|traceback|fail(?:s|ed|ure|ures|ing)?|fatal|critical|denied|refused|panic|crash(?:ed|es)?|missing|wrong|problems?)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]+(?:['\u2019.,:/-][^\W_]+)*")
_NTH = re.compile(r"\b(\d+)(?:st|nd|rd|th)$")
_VOWEL = re.compile(r"[aeiouyäöüéèáó]")
_TRAVELL = re.compile(r"[aeiou][^aeiou]+ell$")
_ENDINGS = (
    "ement",
    "ment",
    "ation",
    "ion",
    "ness",
    "er",
    "or",
    "est",
    "ful",
    "at",
    "ly",
    "al",
    "y",
    "i",
    "e",
)


@lru_cache(maxsize=65_536)
def keys(word: str) -> tuple[str, ...]:
    """The keys of one written word, whole first; a compound with a hyphen has those of its parts too.

    >>> keys("carried"), keys("founder"), keys("Forty")
    (('carri', '~carr'), ('founder', '~found'), ('40',))
    """
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    if any(c.isdigit() for c in word):
        whole = _NTH.sub(r"\1", word.replace(",", "").rstrip("."))
        parts = [p for p in re.split(r"[-/]", word) if p != word]
        return (whole, *(k for part in parts for k in keys(part)))
    if "-" in word or "/" in word or "." in word or ":" in word or "," in word:
        return tuple(k for part in re.split(r"[-/.:,]", word) if part for k in keys(part))
    if word == "seconds":
        return (word,)  # not the second of anything
    if word in NUMERALS:
        return (NUMERALS[word],)
    base = stem(BASE_FORMS.get(word, word))
    return (base, "~" + root(base))


def stem(word: str) -> str:
    """The word without the endings of number and tense.

    >>> [stem(word) for word in ("ferries", "running", "moved", "boxes", "glass", "colour")]
    ['ferri', 'run', 'mov', 'box', 'glass', 'color']
    """
    word = word.replace("'", "")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "i"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith("eed"):
            break
        if word.endswith(ending) and len(rest) > 2 and rest not in _FUNCTION and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and (rest[-1] not in "lsz" or _TRAVELL.search(rest))
            word = rest[:-1] if doubled else rest
            break
    if word.endswith("our") and len(word) > 4:
        word = word[:-3] + "or"
    if word.endswith("e") and len(word) > 2:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 else word


def root(base: str) -> str:
    """The stem without the endings that make a doer, a quality or a thing of a deed.

    >>> root(stem("founder")), root(stem("heaviest")), root(stem("payment"))
    ('found', 'heav', 'pay')
    """
    for ending in _ENDINGS:
        if base.endswith(ending) and len(base) - len(ending) > 2:
            rest = base[: -len(ending)]
            return rest.removesuffix("i") if len(rest) > 3 else rest
    return base


def is_function(word: str) -> bool:
    """Whether a word only holds a sentence together.

    >>> is_function("The"), is_function("tides"), is_function("it's")
    (True, False, True)
    """
    word = word.lower().replace("\u2019", "'")
    head = word.split("'")[0]
    return word in _FUNCTION or (
        "'" in word and (head in _FUNCTION or (word.endswith("n't") and head.removesuffix("n") in _FUNCTION))
    )


def neighbours(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Stems of telling words with the function word that follows, as in "made of", "goes to", "switched off".

    >>> sorted(neighbours(["made", "of", "the", "finest", "clay"]))
    [('mak', 'of')]
    """
    return frozenset(
        (keys(a)[0], b.lower()) for a, b in pairwise(words) if is_function(b) and not is_function(a)
    )


def is_said(word: str, asked: Collection[str]) -> bool:
    """Whether a written word has one of these keys.

    >>> is_said("Boats", keys("boat"))
    True
    """
    return any(key in asked for key in keys(word))


def is_weak(key: str) -> bool:
    """Whether a stem is that of a verb so common that it tells little."""
    return key in _WEAK_STEMS


_FUNCTION = frozenset(FUNCTION)
_WEAK_STEMS = frozenset(stem(word) for word in WEAK)
