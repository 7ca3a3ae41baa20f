"""The bars of `ProbeBar`, drawn by a script of our own on the page, like the parts in `pages`."""

from __future__ import annotations

from ctxkit.widgets.pages import Page, script, style


class ProbeRows(Page):
    """content: the sentence. state: rows, whether they are of an older window, a title."""

    _esm = script("make", "probe_bar")
    _css = style("probe_bar")
