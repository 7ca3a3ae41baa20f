"""Which side of "because" and of "so" the question's words stand on.

Contract: pure. What follows "because" is the reason, what follows "so" is the outcome; a question asks for
the reason of an outcome that it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.models.offline.meanings import is_trouble
from ctxkit.models.offline.passages import Passage
from ctxkit.models.offline.question import Part
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.words import WORD, is_function, keys

_WARNS = re.compile(
    r"^(?:never|don['\u2019]t|do not|no|avoid|not)\b[^,;:.]*[,;:\u2013\u2014-] ?"
    r"(?:(?:it|they|that|this|he|she|you)\b"
    r"|(?:the|your|my|our) \w+ (?:would|will|can|could|might|may|gets?)\b)",
    re.IGNORECASE,
)
"""A warning and what would happen: "Never milk, it makes them ill"."""
_WISHED = re.compile(
    r"\b(?:wanted|would|thought|considered|planned|hoped|liked|meant|first|originally)\b", re.IGNORECASE
)
"""A plan that came to nothing, with the reason after "but"."""
_BANS = re.compile(r"\bno [^,;]+, (no [^,;]+?) (?:because|since|as|due)\b", re.IGNORECASE)
"""Of several things that are forbidden, the reason is that of the last."""
_SPLICE = re.compile(
    r", (?:it|he|she|they|that)(?:(?:['\u2019]s|['\u2019]re| is| are| was| were) (?:\w+ )?too\b"
    r"| can(?:not|['\u2019]t)\b)"
)
"""A reason that only a comma joins: "I took the bus, it's too far"."""
_LEADING = frozenset(
    [("due", "to"), ("thanks", "to"), ("owing", "to"), ("so", "that"), ("in", "order"), ("the", "reason")]
)
_SUBJECT = frozenset(
    ["it", "he", "she", "they", "we", "i", "there", "it's", "he's", "she's", "they're", "the", "our", "my"]
)
_NO_REASON = frozenset(["a", "an", "soon", "long", "well", "many", "much", "far", "usual"])


def why(part: Part, passage: Passage, anchors: Sequence[int]) -> int:
    """How plainly a passage gives the reason: 2, 1, or 0. anchors: where its words agree with the question.

    >>> from ctxkit.models.offline.passages import make
    >>> from ctxkit.models.offline.question import parts
    >>> asked, said = parts("Why is the pier closed?")[0], make("The pier is closed because of the storm.")
    >>> why(asked, said, [1, 3]), why(asked, said, [6])
    (2, 0)
    """
    before, colon, after = passage.text.rpartition(": ")
    told = len(WORD.findall(before))
    if colon and anchors and max(anchors) < told and any(is_trouble(keys(w)[0]) for w in WORD.findall(after)):
        return 2
    last = _BANS.search(passage.text)
    if last and not any(passage.words[anchor] in last[1].split() for anchor in anchors):
        return 0
    dropped = _denied(part) and "but" in passage.words
    wished = dropped and _WISHED.search(passage.text) and any(a < passage.words.index("but") for a in anchors)
    return _given(passage, [*anchors, 0] if _denied(part) else anchors) or int(dropped) + bool(wished)


def _given(passage: Passage, anchors: Sequence[int]) -> int:
    """What follows "because" is the reason, what follows "so" is the outcome: the question's words stand on
    the side of the outcome."""
    words_as_written = passage.words
    splice = _SPLICE.search(passage.text)
    if splice and any(anchor < len(passage.text[: splice.start()].split()) for anchor in anchors):
        return 2
    if anchors and _WARNS.search(passage.text):
        return 2
    words = [word.lower() for word in words_as_written]
    best = 0
    for i, word in enumerate(words):
        after = words[i + 1] if i + 1 < len(words) else ""
        outcome_before = any(anchor < i for anchor in anchors) or not i
        if (
            word in ("because", "otherwise")
            or (word, after) in _LEADING
            or (word == "since" and not _dated(after))
        ):
            best = max(best, 2 * outcome_before)
        elif (
            word == "as"
            and i
            and after not in _NO_REASON
            and not (words[i - 1] == "well" or "as" in words[i + 1 : i + 4])
        ):
            best = max(best, (1 + (after in _SUBJECT)) * outcome_before)
        elif word == "so" and after != "that":
            after_it = sum(anchor > i for anchor in anchors)
            best = max(best, int(after_it > 0 and 2 * after_it >= len(anchors)))
        elif (word == "so" and after == "that") or (
            word == "to"
            and i
            and words_as_written[i + 1 : i + 2]
            and after.isalpha()
            and words_as_written[i + 1].islower()
            and not is_function(after)
        ):
            best = max(best, int(outcome_before))
    return best


def _denied(part: Part) -> bool:
    return bool(re.search(r"n['\u2019]t\b|\b(?:not|never|no|against|instead)\b", part.text, re.IGNORECASE))


def _dated(word: str) -> bool:
    return word in CALENDAR or word[:1].isdigit() or word in ("then", "last")
