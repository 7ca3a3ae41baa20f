"""`CodeBox`: the present settings as Python, with a button that copies it.

Contract: as of `as_code`: the text runs as it stands, and sends what the lab sends.
"""

from __future__ import annotations

from ctxkit.widgets.escape import visible
from ctxkit.widgets.labs.window.work import Setting
from ctxkit.widgets.shown import Shown


class CodeBox(Shown):
    """Code to take away."""

    def __init__(self) -> None:
        super().__init__()
        from ctxkit.widgets.labs.window.pages import CodeView  # loads ipywidgets

        self.widget: CodeView = CodeView()
        self._code = ""

    def show(self, setting: Setting, sample: str | None) -> None:
        """Show the code of a setting. sample: the name of the conversation, None for one's own."""
        self._code = setting.code(sample)
        self.widget.state = {"code": visible(self._code)}

    def as_text(self) -> str:
        return self._code
