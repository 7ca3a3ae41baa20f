"""`TierStrip`: the Plotly figure that shows in which tier of a memory each turn lives.

Contract: one row a memory, one cell a turn; a fixed number of traces, one for each tier, and one update a
drawing. Tiers differ by colour and by filling, and the legend names those that are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxkit.widgets.escape import plot_text
from ctxkit.widgets.figure import BASE, LEGEND, STILL_LEGEND, Figure, theme_layout, title
from ctxkit.widgets.palette import DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, Theme

TIERS: dict[str, dict[str, Any]] = {
    "summary": {
        "color": ROLE_COLOURS["summary"],
        "pattern": {
            "shape": "/",
            "fgcolor": "#ffffff",
            "bgcolor": ROLE_COLOURS["summary"],
            "size": 6,
            "solidity": 0.3,
        },
    },
    "pending": {
        "color": ROLE_COLOURS["user"],
        "pattern": {
            "shape": ".",
            "fgcolor": "#ffffff",
            "bgcolor": ROLE_COLOURS["user"],
            "size": 5,
            "solidity": 0.4,
        },
    },
    "recent": {"color": ROLE_COLOURS["user"]},
    "lost": {"color": "rgba(0, 0, 0, 0)", "line": {"width": 1.5, "color": LIMIT_COLOUR}},
}
"""The tiers from the oldest on, and what fills their cells. What is lost is an outline, as all that is not
sent."""

_CELL = 0.62


class TierStrip(Figure):
    """Rows of cells, one for each turn."""

    def __init__(self) -> None:
        super().__init__(_traces(), _layout(), {"light": _themed(LIGHT), "dark": _themed(DARK)})

    def draw(self, rows: Mapping[str, Sequence[str]], places: int, finding: str) -> None:
        """Draw these rows from the top down: their names, and the tier of each turn in them.

        places: turns that there will be, so that cells stay where they are while a talk is stepped through.
        finding: the title.
        """
        height = {name: len(rows) - 1 - place for place, name in enumerate(rows)}
        cells: dict[str, list[tuple[int, float]]] = {tier: [] for tier in TIERS}
        for name, tiers in rows.items():
            for turn, tier in enumerate(tiers):
                cells[tier].append((turn, height[name] - _CELL / 2))
        traces: Any = self.data
        with self.batch_update():
            for trace in traces:
                found = cells[trace.name]
                trace.x = [turn for turn, _ in found]
                trace.base = [base for _, base in found]
                trace.y = [_CELL] * len(found)
            layout: Any = self.layout
            layout.title.text = f"<b>{plot_text(finding)}</b>"
            layout.xaxis.range = [-0.7, max(places, 8) - 0.3]
            layout.yaxis.range = [-0.5, len(rows) - 0.5]
            layout.yaxis.tickvals = list(height.values())
            layout.yaxis.ticktext = [plot_text(name) for name in height]
        self._alt = f"Where each turn lives: {finding}"


def _traces() -> list[dict[str, Any]]:
    return [
        {
            "type": "bar",
            "name": tier,
            "marker": marker,
            "hovertemplate": f"turn %{{x}}: {tier}<extra></extra>",
        }
        for tier, marker in TIERS.items()
    ]


def _layout() -> dict[str, Any]:
    return BASE | {
        "height": 248,
        "margin": {"l": 96, "r": 14, "t": 44, "b": 84},
        "barmode": "overlay",
        "bargap": 0.12,
        "hovermode": "closest",
        "title": title(0.96),
        "legend": LEGEND | STILL_LEGEND,
        "xaxis": {
            "title": {"text": "turn, from 0", "standoff": 6},
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {"fixedrange": True, "showgrid": False, "zeroline": False, "tickmode": "array"},
    }


def _themed(theme: Theme) -> dict[str, Any]:
    return theme_layout(theme) | {"legend.font.color": theme.ink}
