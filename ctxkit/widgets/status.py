"""`StatusLine`: one sentence that says how things stand, read aloud when it changes.

Word, icon and colour say the same; the sentence alone is enough.
"""

from __future__ import annotations

from typing import Literal

from ctxkit.widgets.escape import visible
from ctxkit.widgets.shown import Shown

Kind = Literal["ok", "nearly", "over", "error"]

ICONS: dict[Kind, str] = {"ok": "✓", "nearly": "△", "over": "▲", "error": "⚠"}


class StatusLine(Shown):
    """A status sentence: a first word or two that says the verdict, then the facts.

    >>> line = StatusLine()
    >>> line.say("ok", "Fits.", "3 of 3 messages are sent.")
    >>> line
    Fits. 3 of 3 messages are sent.
    """

    def __init__(self) -> None:
        super().__init__()
        from ctxkit.widgets.pages import StatusBox  # loads ipywidgets

        self.widget: StatusBox = StatusBox()
        self.say("ok", "Ready.", "")

    def say(self, kind: Kind, verdict: str, facts: str) -> None:
        """Show another sentence; `facts` may hold foreign text, an error's for example."""
        state = {"kind": kind, "icon": ICONS[kind], "lead": visible(verdict), "text": visible(facts)}
        self.widget.state = state

    def as_text(self) -> str:
        return f"{self.widget.state['lead']} {self.widget.state['text']}".rstrip()
