"""`Shown`: something that a notebook shows as a widget, and the same facts as text.

Contract: a saved notebook, a terminal and a page without a kernel show the text, whole (ipywidgets would
cut it at 110 characters), and the widget takes over where there is one. Building one closes what an earlier
run of the same cell had built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any

from ctxkit.widgets.lifetime import claim, close_tree

NEEDED = ("ipywidgets", "plotly", "anywidget")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Shown(ABC):
    """Base of charts, tables and labs. `widget` is the ipywidgets widget, to place among others."""

    widget: Any = None

    def __init__(self) -> None:
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:  # plotly names anywidget whatever is missing (plotly/plotly.py#5027)
            raise ImportError(
                f"Widgets need {', '.join(missing)}: python -m pip install {' '.join(missing)}, "
                "then restart the kernel and reload the page."
            )
        claim(self)

    @abstractmethod
    def as_text(self) -> str:
        """What the widget shows, in words."""

    def close(self) -> None:
        """Take the widget off the page and free it with all its parts."""
        if self.widget is not None:
            close_tree(self.widget)

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": self.as_text()}
        if self.widget.comm is not None:
            bundle[WIDGET_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        return bundle
