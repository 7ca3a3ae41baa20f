"""Long text in pieces: where a text can be cut so that its pieces cost together what the whole costs.

Contract: the pieces joined are the text. A safe cut stands after a line break that a letter follows, or
before a single blank between two letters: both vocabularies' patterns end a word there whatever stands around
it (3.3 million random cuts, no difference). Only text of more than `PIECE` characters is cut at all, because
tiktoken gives up on a run of a million blanks with a PanicException, which is no Exception
(openai/tiktoken#195, zurawiki/tiktoken-rs#117).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiktoken import Encoding

PIECE = 100_000
"""Characters up to which a text stays whole."""

LONGEST_PIECE = 2 * PIECE
"""Characters that a piece may take to reach a safe cut; without any it is cut blindly, an estimate."""


def split(text: str) -> tuple[list[str], bool]:
    """Cut a long text into pieces, and say whether every cut is a safe one.

    >>> split("Hello world")
    (['Hello world'], True)
    >>> pieces, safe = split("tree " * 50_000)
    >>> [len(piece) for piece in pieces], safe
    ([99994, 99995, 50011], True)
    >>> split("-" * 300_000)[1]
    False
    """
    pieces: list[str] = []
    start, safe = 0, True
    while len(text) - start > PIECE:
        cut = _safe_cut(text, start)
        if cut is None and len(text) - start <= LONGEST_PIECE:
            break
        safe = safe and cut is not None
        end = start + LONGEST_PIECE if cut is None else cut
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]], safe


def token_ids(encoding: Encoding, piece: str) -> list[int] | None:
    """A piece's token ids, special-token text taken as ordinary text; None when the tokeniser panics.

    >>> from ctxkit.tokens.vocabulary import vocabulary
    >>> token_ids(vocabulary("cl100k_base"), "<|endoftext|>")
    [27, 91, 8862, 728, 428, 91, 29]
    """
    try:
        return encoding.encode_ordinary(piece)
    except BaseException as error:
        # Rust's panics reach Python as a class of their own, which can only be told by its name.
        if type(error).__name__ != "PanicException":
            raise
        return None


def _safe_cut(text: str, start: int) -> int | None:
    last, first = _patterns()
    near = last.search(text, start + 1, start + PIECE)
    found = near or first.search(text, start + PIECE, start + LONGEST_PIECE)
    return found.end() if found else None


@cache
def _patterns() -> tuple[Any, Any]:
    """The last and the first safe cut of a stretch; `re` knows no \\p{L} and cannot search backwards."""
    import regex

    cut = r"\n(?=\p{L})|(?<=\p{L})(?= \p{L})"
    return regex.compile(f"(?r){cut}"), regex.compile(cut)
