"""A text as its tokens, for showing: `TextToken`.

Contract: no character is ever shown in halves. Where a vocabulary spends several tokens on one character,
they stand together, so that the texts joined are the text that was counted (a lone surrogate is counted as
U+FFFD, and shown so).
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding


@dataclass(frozen=True)
class TextToken:
    """A stretch of text and the ids of its tokens: one, or several where a character takes more than one
    token.

    No ids at all means that no vocabulary could be read.

    >>> TextToken(" world", (1917,))
    TextToken(text=' world', ids=(1917,))
    """

    text: str
    ids: tuple[int, ...]


def text_tokens(encoding: Encoding, ids: Iterable[int]) -> Iterator[TextToken]:
    """Pair token ids with the text they stand for, joining those that only together make whole characters.

    >>> from ctxkit.tokens.vocabulary import vocabulary
    >>> [token.text for token in text_tokens(vocabulary("cl100k_base"), [40, 3021, 11410, 235, 243])]
    ['I', ' love', ' 🍕']
    """
    decoder = getincrementaldecoder("utf-8")()
    text, waiting = "", []
    for token in ids:
        text += decoder.decode(encoding.decode_single_token_bytes(token))
        waiting.append(token)
        unfinished, _ = decoder.getstate()
        if not unfinished:
            yield TextToken(text, tuple(waiting))
            text, waiting = "", []
