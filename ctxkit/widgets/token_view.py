"""`TokenView`: a text as the tokens that a model reads.

Contract: every token has a border, neighbours differ in colour, whitespace can be seen, and the id of a
token is told when it has the focus or the pointer. The whole text is counted; of a long one the beginning
is shown, and the cut is stated.
"""

from __future__ import annotations

from typing import Any

from ctxkit import _arguments
from ctxkit._arguments import counter_or_none
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.widgets.escape import short, visible
from ctxkit.widgets.palette import number, plural
from ctxkit.widgets.shown import Shown

MOST_TOKENS, MOST_CHARACTERS = 1_000, 4_000
"""How much of a text the page gets. The rest is counted, not shown."""


class TokenView(Shown):
    """The tokens of a text, and a box to type another one.

    text: what to show at first (default: nothing). counter: default a shared cl100k_base counter. Raises
    TypeError for anything but text.

    >>> TokenView("Hello  world")
    3 tokens, 12 characters
    Hello|·|·world
    """

    def __init__(self, text: str = "", counter: TokenCounter | None = None) -> None:
        _arguments.text("text", text)
        self._counter = counter_or_none(counter) or shared_counter()
        super().__init__()
        from ctxkit.widgets.pages import TokenStrip  # loads ipywidgets

        self.widget: TokenStrip = TokenStrip(text=text)
        self.widget.observe(self._typed, names="text")
        self._redraw()

    @property
    def text(self) -> str:
        """What is in the box."""
        return self.widget.text

    @text.setter
    def text(self, text: str) -> None:
        self.widget.text = _arguments.text("text", text)

    def as_text(self) -> str:
        tokens = "|".join(shown for shown, _ in self.widget.state["tokens"])
        return f"{self.widget.state['status']}\n{tokens}".rstrip("\n")

    def _typed(self, change: Any) -> None:
        try:
            self._redraw()
        except Exception as error:  # ipywidgets would hide it from the one who typed
            what = short(f"{type(error).__name__}: {error}", 300)
            self.widget.state = self.widget.state | {
                "status": f"⚠ Not counted: {what} Shown is the text before."
            }

    def _redraw(self) -> None:
        text = self.text
        tokens = self._counter.encode(text[:MOST_CHARACTERS])[:MOST_TOKENS]
        characters = sum(len(token.text) for token in tokens)
        count = self._counter.count_text(text)
        exact = self._counter.exact_for([{"role": "user", "content": text}])
        status = f"{'' if exact else '≈ '}{plural(count, 'token')}, {plural(len(text), 'character')}"
        if characters < len(text):
            status += f". Shown are the first {plural(characters, 'character')}."
        places = []
        place = 0
        for token in tokens:
            shown = visible(token.text, whitespace=True)
            places.append([shown, _about(place, count, token.ids, shown)])
            place += max(1, len(token.ids))
        self.widget.state = {"status": status, "tokens": places}


def _about(before: int, count: int, ids: tuple[int, ...], shown: str) -> str:
    """What is told of a token: its place, its text and its id; of several where one character takes
    several.

    >>> _about(1, 3, (1917,), "·world")
    'Token 2 of 3: “·world”, id 1917'
    >>> _about(1, 4, (11410, 235, 243), "·🍕")
    'Tokens 2 to 4 of 4: “·🍕”, ids 11410, 235, 243'
    """
    if len(ids) < 2:
        return f"Token {number(before + 1)} of {number(count)}: “{shown}”, id {ids[0] if ids else 'unknown'}"
    places = f"{number(before + 1)} to {number(before + len(ids))}"
    return f"Tokens {places} of {number(count)}: “{shown}”, ids {', '.join(map(str, ids))}"
