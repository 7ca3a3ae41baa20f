"""The parts of the window lab that a script of our own draws, and boxes to type in.

Contract: as in `ctxkit.widgets.pages`, all text is written as text. What is typed is not echoed, because by
then the page may hold newer text, and never goes back to a page unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import traitlets
from ipywidgets import Combobox, DOMWidget, Text, Textarea

from ctxkit.widgets.escape import visible
from ctxkit.widgets.pages import Page, script, style


class FigureCards(Page):
    _esm = script("figure_cards")
    _css = style("window")


class CodeView(Page):
    _esm = script("code_view")
    _css = style("window")


class AnswerView(Page):
    _esm = script("answers")
    _css = style("window")


class StepButtons(Page):
    """`at` is the index of the message that the page asks for; `state` says where the lab has drawn."""

    _esm = script("stepper")
    _css = style("window")
    at = traitlets.Int().tag(sync=True)


def _seen(text: str, widget: Any) -> str:
    return visible(text)


def _typed() -> Any:
    return traitlets.Unicode().tag(sync=True, echo_update=False, to_json=_seen)


class LongText(Textarea):
    value = _typed()


class _Line(DOMWidget):
    """A line of text that can be finished by Enter."""

    def on_enter(self, does: Callable[[], None]) -> None:
        """Call this when Enter is pressed. (`Text.on_submit` does the same and is deprecated.)"""

        def hear(_: Any, content: Any, __: Any) -> None:
            if isinstance(content, dict) and cast("dict[str, Any]", content).get("event") == "submit":
                does()

        self.on_msg(hear)


class ShortText(_Line, Text):
    value = _typed()


class Question(_Line, Combobox):
    value = _typed()
