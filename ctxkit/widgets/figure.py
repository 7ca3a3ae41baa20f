"""`Figure`: a Plotly `FigureWidget` fit for a page with several of them.

Contract: however many figures a page shows, it gets Plotly's script (5 MB, sent zipped) once; a plain
`FigureWidget` sends it with every instance. A figure is a picture: the kernel draws, the page reports
nothing back. It fits the width it is given, wears the page's light or dark theme, and after a reload of the
page it is what it was. No mode bar, no logo, nothing that leaves the machine.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import plotly
import traitlets
from plotly.graph_objects import FigureWidget, Layout

from ctxkit.widgets.palette import LIMIT_COLOUR, Theme

STATIC = Path(__file__).parent / "static"
_CONFIG = {
    "displayModeBar": False,
    "displaylogo": False,
    "showSendToCloud": False,
    "doubleClick": False,
    "scrollZoom": False,
}
NO_TEMPLATE: dict[str, Any] = {}  # the default one is 6 kB of settings, sent with every figure
BASE: dict[str, Any] = {
    "width": 720,
    "dragmode": False,
    "font": {"family": "system-ui, 'DejaVu Sans', sans-serif", "size": 12},
}
"""Layout settings that every figure of the kit begins with."""
LEGEND: dict[str, Any] = {
    "orientation": "h",
    "x": 0,
    "y": 0.01,
    "yref": "container",
    "yanchor": "bottom",
    "traceorder": "normal",
}
"""A legend in a row below the figure."""
STILL_LEGEND = {"itemclick": False, "itemdoubleclick": False}
"""Added to a legend that is only to be read."""
LIMIT_LINE: dict[str, Any] = {
    "type": "line",
    "xref": "paper",
    "x0": 0,
    "x1": 1,
    "y0": 0,
    "y1": 0,
    "line": {"color": LIMIT_COLOUR, "width": 2},
}
"""A line across a figure; where it stands is set with each drawing."""
_KERNEL = uuid4().hex  # pages that waited for a kernel which is gone must not wait for this one


@cache
def zipped_bundle() -> bytes:
    """Plotly's script for widgets as its package carries it, zipped: 1.5 MB instead of 5."""
    script = Path(str(plotly.__file__)).parent / "package_data" / "widgetbundle.js"
    return gzip.compress(script.read_bytes(), compresslevel=6, mtime=0)


def title(top: float) -> dict[str, Any]:
    """Where a figure's title stands: at its left edge. top: its height as a share of the figure."""
    return {
        "x": 0.012,
        "xref": "container",
        "y": top,
        "yref": "container",
        "xanchor": "left",
        "yanchor": "top",
        "font": {"size": 14},
    }


def theme_layout(theme: Theme) -> dict[str, Any]:
    """The colours of a figure in one theme. Paper, plot and ink go together: dark text on a dark page
    comes from setting only some."""
    axes = {
        f"{axis}.{part}": theme.line
        for axis in ("xaxis", "yaxis")
        for part in ("gridcolor", "linecolor", "zerolinecolor")
    }
    return axes | {
        "paper_bgcolor": theme.paper,
        "plot_bgcolor": theme.paper,
        "font.color": theme.ink,
        "title.font.color": theme.ink,
        "hoverlabel.bgcolor": theme.soft,
        "hoverlabel.bordercolor": theme.line,
        "hoverlabel.font.color": theme.ink,
    }


class Figure(FigureWidget):
    """A `FigureWidget` that shares one script per page.

    traces, layout: as for `FigureWidget`. themes: "light" and "dark", each the layout settings (dotted
    names) that the page's theme decides. `_alt` says what the figure shows in words, for those who cannot
    see it.
    """

    _esm = (STATIC / "figure.js").read_text(encoding="utf-8")
    _css = (
        ".ctxkit-figure { min-width: 0; overflow: hidden; }"
        # A star's middle is not that of its outline: in a legend it would stand above the words.
        " .ctxkit-figure .legendpoints path.scatterpts { translate: 0 1px; }"
    )
    _bundle_version = traitlets.Unicode(plotly.__version__).tag(sync=True)
    _kernel = traitlets.Unicode(_KERNEL).tag(sync=True)
    _themes = traitlets.Dict().tag(sync=True)
    _alt = traitlets.Unicode().tag(sync=True)
    _complete = False

    def __init__(
        self, traces: Iterable[Any], layout: dict[str, Any], themes: dict[str, dict[str, Any]]
    ) -> None:
        worn = Layout(layout, template=NO_TEMPLATE)
        for name, value in themes["light"].items():
            worn[name] = value
        super().__init__(list(traces), worn)
        self._config = _CONFIG
        self._themes = themes
        self.on_msg(self._answer)
        self._complete = True

    def get_state(self, key: Any = None, drop_defaults: bool = False) -> dict[str, Any]:
        """The state a page gets; of Plotly's own it would be what the figure was made with, not what it
        shows."""
        state = super().get_state(key=key, drop_defaults=drop_defaults)
        return state | self._present() if key is None and self._complete else state

    def _present(self) -> dict[str, Any]:
        shown = self.to_dict()
        return {"_widget_data": shown["data"], "_widget_layout": shown["layout"]}

    def _answer(self, _: Any, question: Any, buffers: Any) -> None:
        about = question.get("ctxkit") if isinstance(question, dict) else None
        if about == "bundle":
            self.send({"ctxkit": "bundle"}, buffers=[zipped_bundle()])
        elif about == "state":
            self.send({"ctxkit": "state", "state": self._present()})
