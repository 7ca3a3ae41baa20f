"""What `StrategyChart` draws into: its panels, a trace for each strategy in each, lines and names to be set.

Contract: a fixed number of traces, shapes and notes, so that a step sends numbers and words only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.widgets.figure import BASE, theme_layout, title
from ctxkit.widgets.labs.comparing.marks import MARKS
from ctxkit.widgets.palette import LIMIT_COLOUR, Theme

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 740, 58, 16, 66, 40
MAP = (0.56, 1.0)  # where the map of cost against recall stands, from the bottom up
PANELS = (  # title, axis, columns and rows
    ("Tokens at each call", 2, (0, 0.43), (0.255, 0.42)),
    ("Money so far", 3, (0.57, 1), (0.255, 0.42)),
    ("Reused so far, in %", 4, (0, 0.43), (0, 0.165)),
    ("", 5, (0.57, 1), (0, 0.165)),
)


def traces(names: Sequence[str]) -> list[dict[str, Any]]:
    """A mark for each strategy, then a line for each in every panel."""
    marks = [_mark(at, name) for at, name in enumerate(names)]
    return [*marks, *(_line(at, name, panel[1]) for panel in PANELS for at, name in enumerate(names))]


def _mark(at: int, name: str) -> dict[str, Any]:
    mark = MARKS[at]
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": {"symbol": mark.shape, "size": 12, "color": mark.colour},
        "hovertemplate": f"{name}: %{{x:.4f}}, %{{y}}<extra></extra>",
    }


def _line(at: int, name: str, axis: int) -> dict[str, Any]:
    mark = MARKS[at]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": mark.colour, "width": 1.8, "dash": mark.dash},
        "marker": {"symbol": mark.shape, "size": 8, "color": mark.colour},
        # Only the last point is selected, so that a line ends in its mark.
        "unselected": {"marker": {"opacity": 0}},
        "selected": {"marker": {"opacity": 1}},
        "hovertemplate": f"{name}<br>after message %{{x:,}}: %{{y:,.4~f}}<extra></extra>",
    }


def layout(strategies: int) -> dict[str, Any]:
    """Axes, title, lines across, headings of the panels, and a name for each strategy."""
    still = {"fixedrange": True, "zeroline": False}
    plain = still | {"exponentformat": "none", "separatethousands": True}
    axes: dict[str, Any] = {
        "xaxis": plain
        | {"domain": [0, 1], "anchor": "y", "nticks": 8, "title": {"standoff": 6, "font": {"size": 12}}},
        "yaxis": still
        | {"domain": [*MAP], "anchor": "x", "nticks": 7, "title": {"standoff": 8, "font": {"size": 12}}},
    }
    for _, axis, columns, rows in PANELS:
        below = (
            {"title": {"text": "call after message", "standoff": 4, "font": {"size": 12}}}
            if rows[0] == 0
            else {}
        )
        axes[f"xaxis{axis}"] = still | below | {"domain": [*columns], "anchor": f"y{axis}", "nticks": 6}
        axes[f"yaxis{axis}"] = plain | {"domain": [*rows], "anchor": f"x{axis}", "nticks": 4}
    axes["yaxis2"] |= {"tickformat": ",d"}
    axes["yaxis4"] |= {"range": [-6, 106]}
    return (
        BASE
        | axes
        | {
            "height": HEIGHT,
            "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
            "showlegend": False,
            "hovermode": "closest",
            "title": title(0.98),
            "shapes": _shapes(),
            "annotations": [
                *map(_heading, PANELS),
                *(
                    {
                        "arrowhead": 0,
                        "arrowwidth": 1,
                        "arrowcolor": "#7d8590",
                        "standoff": 7,
                        "x": 0,
                        "y": 0,
                        "text": "",
                        "yanchor": "middle",
                    }
                    for _ in range(strategies)
                ),
            ],
        }
    )


def _shapes() -> list[dict[str, Any]]:
    across = {"type": "line", "x0": 0, "x1": 1, "y0": 0, "y1": 0}
    named = {"label": {"text": "", "textposition": "end", "yanchor": "bottom", "padding": 2}}
    enough = (
        across
        | named
        | {"xref": "x domain", "yref": "y", "line": {"color": "#7d8590", "width": 1, "dash": "dot"}}
    )
    limit = across | named | {"xref": "x2 domain", "yref": "y2", "line": {"color": LIMIT_COLOUR, "width": 2}}
    limit["label"] = named["label"] | {"textposition": "start"}
    now = [
        across
        | {"xref": f"x{axis}", "yref": f"y{axis} domain", "y1": 1, "line": {"color": "#7d8590", "width": 1}}
        for _, axis, _, _ in PANELS
    ]
    return [enough, limit, *now]


def _heading(panel: tuple[str, int, tuple[float, float], tuple[float, float]]) -> dict[str, Any]:
    title, _, columns, rows = panel
    return {
        "text": f"<b>{title}</b>",
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": columns[0],
        "y": rows[1],
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 5,
    }


def themed(theme: Theme, strategies: int) -> dict[str, Any]:
    """What the page's theme decides."""
    grids = {
        f"{axis}axis{panel[1]}.{part}": theme.line
        for panel in PANELS
        for axis in "xy"
        for part in ("gridcolor", "linecolor", "zerolinecolor")
    }
    inks = {f"annotations[{at}].font.color": theme.ink for at in range(len(PANELS) + strategies)}
    lines = {"shapes[0].label.font.color": theme.muted, "shapes[1].label.font.color": theme.limit}
    return theme_layout(theme) | grids | inks | lines
