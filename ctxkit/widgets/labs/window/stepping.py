"""`Stepper`: where in the conversation the lab stands: buttons, playing, and a slider to drag through it.

Contract: buttons, slider and number box agree, and one move is told once. Playing happens on the page, one
step after the other has been drawn; it ends at the last message and with the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Stepper:
    """Moves through a conversation.

    messages: how many there are. moved: called after each move.
    """

    def __init__(self, messages: int, moved: Callable[[], None]) -> None:
        from ctxkit.widgets.controls import SliderWithBox
        from ctxkit.widgets.labs.window.pages import StepButtons

        last = messages - 1
        self._moved = moved
        self._quiet = False
        self.slider = SliderWithBox("Conversation up to message", last, 0, last, self._dragged)
        self.buttons = StepButtons(at=last)
        self.buttons.observe(self._asked, names="at")

    @property
    def at(self) -> int:
        """The index of the last message that there is."""
        return self.slider.value

    def go(self, at: int) -> None:
        """Move to a message; a place outside is moved inside."""
        self.slider.value = max(at, 0)

    def resize(self, messages: int, at: int) -> None:
        """Take a conversation of another length, without telling."""
        self._quiet = True
        try:
            self.slider.set_range(0, messages - 1, min(at, messages - 1))
        finally:
            self._quiet = False

    def drawn(self) -> None:
        """Let the buttons know that this place has been drawn, so that playing goes on."""
        with self.buttons.hold_sync():
            self.buttons.at = self.at
            self.buttons.state = {"at": self.at, "last": self.slider.box.max}

    def _dragged(self, _: int) -> None:
        if not self._quiet:
            self._moved()

    def _asked(self, change: Any) -> None:
        self.go(change["new"])
        if self.buttons.at != self.at:  # the page asked for a place that is not there
            self.drawn()
