"""The beginning of a text that fits a number of tokens, cut between whole characters as a reader sees them.

Contract: the result is a prefix of the text, its recount is within the limit, and it ends at a grapheme
border: no half emoji, flag or accented letter, so no U+FFFD that was not there before. Only what no script
has, a character of more than `LONGEST_CHARACTER` code points, may be cut inside. Cutting the list of tokens
instead gives `I love �` (vectorize-io/hindsight#4022). Counts are not quite monotone ("inform" and
"information" cost one token, "informa" two), so whole words are tried first, then the characters of the next
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ctxkit._arguments import whole_number

LONGEST_CHARACTER = 32
"""Code points. Unicode's Stream-Safe Text Format (UAX #15) allows a letter 30 marks; a family of four with
skin colours has 11."""

_BLANK = re.compile(r"\s")
_LONG_WORD = 200

# Two surrogates that make one character belong together too: sending them apart gives two U+FFFD.
_GRAPHEME = r"[\ud800-\udbff][\udc00-\udfff]|\X"


def truncate_text(text: str, max_tokens: int, count_text: Callable[[str], int]) -> str:
    """Cut a text to at most `max_tokens` tokens by `count_text`.

    Raises ValueError for a negative limit, TypeError for one that is no int.

    >>> from ctxkit import TokenCounter
    >>> truncate_text("I love 🍕!", 4, TokenCounter().count_text)
    'I love '
    """
    whole_number("max_tokens", max_tokens)

    def fits(end: int) -> bool:
        return count_text(text[:end]) <= max_tokens

    if fits(len(text)):
        return text
    ends = grapheme_ends(text, _enough(text, max_tokens, fits))
    word_ends = [end for end in ends if text[end : end + 1].isspace()]
    kept = _last_fitting(word_ends, fits)
    next_word = next((end for end in word_ends if end > kept), len(text))
    return text[: _last_fitting([end for end in ends if kept < end <= next_word], fits) or kept]


def _enough(text: str, max_tokens: int, fits: Callable[[int], bool]) -> int:
    """An end that is too far, found without counting the whole text again and again."""
    end = _word_end(text, 4 * max_tokens + 16)
    while end < len(text) and fits(end):
        end = _word_end(text, 2 * end)
    return end


def _word_end(text: str, start: int) -> int:
    blank = _BLANK.search(text, start, start + _LONG_WORD)
    return blank.start() if blank else min(start, len(text))


def grapheme_ends(text: str, end: int) -> list[int]:
    """Where the first `end` characters of a text may be cut so that no letter loses its accent; not at `end`.

    >>> grapheme_ends("ne\u0301e", 4)
    [1, 3]
    """
    import regex

    grapheme = regex.compile(_GRAPHEME)
    ends: list[int] = []
    start, end = 0, min(end, len(text))
    while start < end:
        # Short stretches: regex looks back to the beginning for each flag, which are pairs.
        stretch = text[start : min(start + LONGEST_CHARACTER, end)]
        found = [start + match.end() for match in grapheme.finditer(stretch)]
        if len(found) > 1 and found[-1] < end:
            found.pop()  # it may go on behind the stretch
        ends += found
        start = found[-1]
    return ends[:-1]  # the last is where all of it ends, a border or not; and all of it does not fit


def _last_fitting(ends: list[int], fits: Callable[[int], bool]) -> int:
    """The last end that fits, by bisection; 0 when none does. Whatever it gives has been counted."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(ends[middle - 1]) else (low, middle - 1)
    return ends[low - 1] if low else 0
