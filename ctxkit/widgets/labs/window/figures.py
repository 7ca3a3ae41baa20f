"""`Figures`: the key figures of a view as cards.

Contract: four cards beside or below one another, whatever the width; the same as text, one line a card.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.widgets.escape import visible
from ctxkit.widgets.labs.window.words import Card
from ctxkit.widgets.shown import Shown


class Figures(Shown):
    """Cards with a figure each.

    >>> figures = Figures()
    >>> figures.show([Card("Prompt now", "1,304", "of 2,048 tokens", "744 free")])
    >>> figures
    Prompt now: 1,304 of 2,048 tokens (744 free)
    """

    def __init__(self) -> None:
        super().__init__()
        from ctxkit.widgets.labs.window.pages import FigureCards  # loads ipywidgets

        self.widget: FigureCards = FigureCards()
        self._cards: Sequence[Card] = ()

    def show(self, cards: Sequence[Card]) -> None:
        self._cards = cards
        shown = [[visible(part) for part in (c.label, c.figure, c.note, c.more)] for c in cards]
        self.widget.state = {"cards": shown}

    def as_text(self) -> str:
        return "\n".join(map(str, self._cards))
