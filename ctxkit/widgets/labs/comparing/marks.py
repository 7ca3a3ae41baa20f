"""The marks of strategies, the same in the chart and in the table: shape and colour together, and a dash."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """A strategy's mark. shape: of the chart's mark. icon: the same as a character. dash: of its lines."""

    shape: str
    icon: str
    colour: str
    dash: str


# Each colour reaches a contrast of 3 to 1 on the light and on the dark page (WCAG 2.2, 1.4.11).
MARKS = (
    Mark("circle", "●", "#7d8590", "dash"),
    Mark("square", "■", "#0072b2", "solid"),
    Mark("diamond", "◆", "#009e73", "solid"),
    Mark("triangle-up", "▲", "#2a93d5", "dot"),
    Mark("star", "★", "#c65b8f", "solid"),
    Mark("x", "✖", "#8a63d2", "dashdot"),
    Mark("triangle-down", "▼", "#b58900", "solid"),
    Mark("pentagon", "⬟", "#d55e00", "longdash"),
    Mark("cross", "✚", "#6f8f00", "solid"),
    Mark("hexagon", "⬢", "#a6761d", "dot"),
)
