"""`Lab`: what every lab shares: a heading, controls, a status sentence, and panes that show one setting.

Contract: a picture is computed whole before anything is drawn. When computing fails, the status line says
so, the last picture stays and is marked as old. A lab's text is its status sentence and its table, so that
a saved notebook says what the page showed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from ctxkit.widgets.escape import html_text, short
from ctxkit.widgets.lifetime import parts
from ctxkit.widgets.shown import Shown
from ctxkit.widgets.status import StatusLine

Picture = TypeVar("Picture")


class Lab(Shown, Generic[Picture]):
    """Base of the labs. A subclass builds its parts, computes a picture of its settings, and paints it.

    title, intro: the heading, and what the lab is for.
    """

    def __init__(self, title: str, intro: str) -> None:
        super().__init__()
        from ipywidgets import HTML, GridBox, Layout, VBox

        with parts():
            self._status = StatusLine()
            controls, panes = self._build()
        heading = HTML(f"<h3>{html_text(title)}</h3><p>{html_text(intro)}</p>")
        heading.add_class("ctxkit-heading")
        bar = GridBox(controls, layout=columns(Layout, 230))
        bar.add_class("ctxkit-panel")
        self._panes = GridBox(panes, layout=columns(Layout, 520))
        self.widget = VBox([heading, bar, self._status.widget, self._panes], layout=Layout(overflow="hidden"))
        for name in ("ctxkit", "ctxkit-lab"):
            self.widget.add_class(name)
        self.refresh()

    @abstractmethod
    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        """Make the parts; give the widgets of the controls and of the panes."""

    @abstractmethod
    def _compute(self) -> Picture:
        """Work out what the present settings show."""

    @abstractmethod
    def _paint(self, picture: Picture) -> None:
        """Draw it, and say it in the status line."""

    @property
    def status(self) -> str:
        """The status sentence."""
        return self._status.as_text()

    def refresh(self, _: object = None) -> None:
        """Show the present settings."""
        self._draw(self._compute)

    def _draw(self, compute: Callable[[], Picture]) -> None:
        """Paint what `compute` gives; tell its error, or that of painting, and keep the last picture."""
        try:
            self._paint(compute())
        except KeyboardInterrupt:  # the kernel's stop button in mid-work: the controls stand elsewhere now
            self._mark_as_old("The kernel was interrupted")
            raise
        except Exception as error:  # whatever it was, the learner must see it, and ipywidgets would hide it
            self._mark_as_old(short(f"{type(error).__name__}: {error}", 300).rstrip("."))
        else:
            self._panes.remove_class("ctxkit-stale")

    def _mark_as_old(self, why: str) -> None:
        old = "The picture is that of the last setting that worked."
        self._status.say("error", "Not redrawn.", f"{why}. {old}")
        self._panes.add_class("ctxkit-stale")


def columns(layout: Any, least: int) -> Any:
    """As many columns of at least so many pixels as fit."""
    return layout(
        grid_template_columns=f"repeat(auto-fit, minmax(min(100%, {least}px), 1fr))",
        grid_gap="6px 18px",
        overflow="hidden",
    )
