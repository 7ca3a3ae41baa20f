"""`Probe`: what comes next, given a window and the start of a sentence.

Contract: a "word" here is what the model writes next: one token, without the blank before it, so a common
word whole and the beginning of a rarer one; only the words that were asked for are followed to their end. The
window is laid out as plain text, message by message, and the sentence as the beginning of the assistant's
next turn: no template adds a word of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxkit.messages import Message
from ctxkit.models.embedded.spelling import Spelling, Step
from ctxkit.models.requests import sendable

END = "(end)"
"""Stands for the token that ends a text."""


@dataclass(frozen=True)
class Probe:
    """The most likely next words.

    words: (word, probability) pairs, the likeliest first; a piece of one of the right words ends with "…" and
    has what is left of its probability. right: the words asked for, with theirs. prompt_tokens: read for
    this, of which cached_tokens had been read before.

    >>> probe = Probe((("sponges", 0.92), ("a", 0.02)), (("sponges", 0.92),), 341, 0)
    >>> probe.probability("sponges"), probe.right_wins
    (0.92, True)
    """

    words: tuple[tuple[str, float], ...]
    right: tuple[tuple[str, float], ...]
    prompt_tokens: int
    cached_tokens: int | None = None

    def probability(self, word: str) -> float:
        """The probability of a word that was asked for or is among `words`; ValueError for another."""
        for known, probability in (*self.right, *self.words):
            if known == word:
                return probability
        raise ValueError(
            f"{word!r} was not asked for and is not among the likeliest words; pass right={word!r}"
        )

    @property
    def winner(self) -> str:
        """The likeliest next word."""
        return self.words[0][0]

    @property
    def right_wins(self) -> bool:
        """Whether a right word is the likeliest."""
        return self.winner in dict(self.right)


def window_text(messages: Sequence[Message], sentence: str) -> str:
    """The prompt of a probe.

    >>> window_text([Message.user("Do dolphins use tools?")], "As said above, they carry ")
    'user: Do dolphins use tools?\\n\\nassistant: As said above, they carry'
    """
    from ctxkit.transforms.summaries.transcript import entry  # late: it stands above this step of the ladder

    return sendable("\n\n".join([*map(entry, messages), f"assistant: {sentence.rstrip()}"]))


def ranked(first: Step, right: Sequence[Spelling], count: int) -> tuple[tuple[str, float], ...]:
    """The `count` likeliest words, with the right ones whole in place of their first pieces.

    >>> from ctxkit.models.embedded.spelling import Piece
    >>> first = Step((Piece(340, " C", 0.67), Piece(411, " Cap", 0.02)))
    >>> ranked(first, [Spelling("Cydonia", " C", 3, 0.5)], 3)
    (('Cydonia', 0.5), ('C…', 0.17), ('Cap', 0.02))
    """
    table: dict[str, float] = {}
    for piece in first.pieces:
        word = piece.text.strip() or piece.text or END
        table[word] = table.get(word, 0.0) + piece.probability
    for spelling in right:
        opening = spelling.first.strip()
        if spelling.pieces > 1 and opening:
            left = table.pop(opening, table.get(f"{opening}…", 0.0)) - spelling.probability
            table[f"{opening}…"] = max(round(left, 12), 0.0)
        table[spelling.word] = spelling.probability
    return tuple(sorted(table.items(), key=lambda item: (-item[1], item[0]))[:count])
