"""`Heading`: the words above a chart, which say what it shows; unlike a plot's title they wrap."""

from __future__ import annotations

from ctxkit.widgets.escape import html_text


class Heading:
    """A title and what the chart says."""

    def __init__(self) -> None:
        from ipywidgets import HTML

        self.widget = HTML()
        self.widget.add_class("ctxkit-finding")

    def say(self, title: str, finding: str) -> None:
        self.widget.value = f"<b>{html_text(title)}:</b> {html_text(finding)}"
