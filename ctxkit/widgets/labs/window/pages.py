"""The parts of the window lab that a script of our own draws, and boxes to type in.

Contract: as in `ctxkit.widgets.pages`, all text is written as text. What is typed is not echoed, because by
then the page may hold newer text, and never goes back to a page unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import traitlets
from ipywidgets import Combobox, Text, Textarea

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


class ShortText(Text):
    value = _typed()


class Question(Combobox):
    value = _typed()


class Enter(Page):
    """Stands in a row with one text box, and does something when Enter is pressed there."""

    _esm = script("enter")

    def __init__(self, box: Text, does: Callable[[], None]) -> None:
        super().__init__()

        def hear(_: Any, content: Any, __: Any) -> None:
            text = cast("dict[str, Any]", content).get("text") if isinstance(content, dict) else None
            if isinstance(text, str):
                box.value = text
                does()

        self.on_msg(hear)
