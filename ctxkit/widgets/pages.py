"""The parts of the kit that are drawn by a script of our own on the page: status line, message table, token
strip.

Contract: `content` goes to the page once, `state` at each step; both hold plain text that `escape.visible`
has made fit to show, and the page writes it as text, never as markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ctxkit.widgets import palette
from ctxkit.widgets.escape import visible
from ctxkit.widgets.token_view import MOST_CHARACTERS

STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """Scripts as one, for a page part brings all it needs with it: the last of them draws."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)


def style(name: str) -> str:
    files = (STATIC / f"{part}.css" for part in ("common", "status", name))
    return palette.css() + "".join(path.read_text(encoding="utf-8") for path in dict.fromkeys(files))


class Page(anywidget.AnyWidget):
    """Something that a script in `static/` draws."""

    content = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)


class StatusBox(Page):
    _esm = script("sliders", "tabs", "status")
    _css = style("status")


class MessageTable(Page):
    _esm = script("make", "message_list")
    _css = style("message_list")


class FactsTable(Page):
    _esm = script("make", "table")
    _css = style("table")


def _for_page(text: str, widget: Any) -> str:
    return visible(text[:MOST_CHARACTERS])


class TokenStrip(Page):
    """`text` is what was typed. It is not echoed: by then the page may hold a newer one."""

    _esm = script("token_view")
    _css = style("token_view")
    text = traitlets.Unicode().tag(sync=True, echo_update=False, to_json=_for_page)
