"""How likely a word is: the product of its pieces' probabilities, each given those before it.

Contract: a model goes on token by token. A common word is one token, a rare one several: " hemocyanin" is
" hem", "ocyan", "in". Of the ways to spell a word the whole one is taken where there is one, else the
likeliest piece at each step, which is the model's own way save for words that it would hardly write.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A token that may come next. token: its number. text: with the blank before it. probability: 0 to 1."""

    token: int
    text: str
    probability: float


@dataclass(frozen=True)
class Step:
    """What may come next, the likeliest first; the least likely tokens of the vocabulary are not listed."""

    pieces: tuple[Piece, ...]


NextStep = Callable[[tuple[int, ...]], Awaitable[Step]]
"""What may come after these further tokens."""


@dataclass(frozen=True)
class Spelling:
    """word: as it was asked for. first: the text of its first piece, "" where no listed piece begins it.
    pieces: how many it takes. probability: that the model writes it now, at most."""

    word: str
    first: str
    pieces: int
    probability: float


async def spell(word: str, first: Step, next_step: NextStep) -> Spelling:
    """Find out how likely a word is, at one step of the model for each piece after the first.

    first: what may come next. Where no listed piece fits, the least likely listed one stands in, so that the
    probability is an upper bound and never 0.

    >>> from ctxkit import run
    >>> first = Step((Piece(8367, " hem", 0.9), Piece(260, " the", 0.1)))
    >>> after = {(8367,): Piece(34263, "ocyan", 1.0), (8367, 34263): Piece(254, "in", 0.98)}
    >>> async def next_step(tokens):
    ...     return Step((after[tokens],))
    >>> spelling = run(spell("hemocyanin", first, next_step))
    >>> spelling.first, spelling.pieces, round(spelling.probability, 3)
    (' hem', 3, 0.882)
    """
    rest, step, probability = f" {word}", first, 1.0
    taken: list[Piece] = []
    while True:
        piece = _best(rest, step)
        probability *= (piece or step.pieces[-1]).probability
        if piece is None:
            break
        taken.append(piece)
        rest = rest[len(piece.text) :]
        if not rest:
            break
        step = await next_step(tuple(piece.token for piece in taken))
    return Spelling(word, taken[0].text if taken else "", len(taken), probability)


def _best(rest: str, step: Step) -> Piece | None:
    fitting = [piece for piece in step.pieces if piece.text and rest.startswith(piece.text)]
    return max(fitting, key=lambda piece: (piece.text == rest, piece.probability), default=None)
