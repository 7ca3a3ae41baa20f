"""`CallBars`: the Plotly figure behind `TokenUsageChart`.

Contract: a fixed number of traces, one update a drawing, and only what changed goes to the page
(plotly/plotly.py#2689). Bars stand at index positions with tick text: as categories, equal labels would
fall into one bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.replay.calls import FRAME, PARTS, Call
from ctxkit.widgets.escape import plot_text
from ctxkit.widgets.figure import BASE, LEGEND, LIMIT_LINE, Figure, theme_layout, title
from ctxkit.widgets.palette import DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, Theme, number

NOT_SENT = "not sent"
CANNOT_FIT = "cannot fit"
SUMMARY_MADE = "summary made"
MOST_LABELS = 11
_EDGE = "#7d8590"  # of what is not sent: 3 to 1 and more on the light and on the dark page
_STAR = "#b5588c"  # the summary's hue, darkened to 3 to 1 on the light and on the dark page
_COLOURS = {FRAME: "#8c959f"} | ROLE_COLOURS


class CallBars(Figure):
    """Stacked bars of `Call`s with a limit line."""

    def __init__(self) -> None:
        super().__init__(_traces(), _layout(), {"light": _themed(LIGHT), "dark": _themed(DARK)})

    def draw(
        self, calls: Sequence[Call], limit: int | None, places: int, name: str | None, finding: str
    ) -> None:
        """Draw these calls, the first `len(calls)` of so many places, under a title of name and finding."""
        blank = [None] * (places - len(calls))
        labels = [f"{'' if call.exact else '≈ '}{call.upto - 1}" for call in calls]
        rows = {part: [call.sent.get(part) or None for call in calls] for part in PARTS}
        rows[NOT_SENT] = [call.not_sent or None for call in calls]
        rows[CANNOT_FIT] = [call.required for call in calls]
        heading = f"{plot_text(name)}: {plot_text(finding)}" if name else plot_text(finding)
        highest = max((max(call.total + call.not_sent, call.required or 0) for call in calls), default=0)
        top = 1.12 * max(highest, limit or 0, 1)
        # Above what is sent, by about the size of a star.
        rows[SUMMARY_MADE] = [call.total + round(0.05 * top) if call.summarised else None for call in calls]
        traces: Any = self.data
        with self.batch_update():
            for trace in traces:
                trace.x = list(range(places))
                trace.y = rows[trace.name] + blank
                trace.customdata = labels + blank
                trace.showlegend = trace.name != FRAME and any(rows[trace.name])
            layout: Any = self.layout
            layout.title.text = f"<b>{heading}</b>"
            layout.xaxis.range = [-0.6, max(places, 8) - 0.4]
            layout.xaxis.tickvals, layout.xaxis.ticktext = _ticks(labels)
            layout.yaxis.range = [0, top]
            layout.yaxis.title.text = (
                "prompt tokens" if all(call.exact for call in calls) else "prompt tokens (≈ estimated)"
            )
            line: Any = layout.shapes[0]
            line.visible = limit is not None
            line.y0 = line.y1 = limit or 0
            line.label.text = f"window {number(limit)}" if limit is not None else ""
        self._alt = f"{name or 'Prompt tokens at each model call'}: {finding}"


def _traces() -> list[dict[str, Any]]:
    bars = [_bar(part, {"color": _COLOURS[part]}) for part in PARTS]
    bars[0]["hovertemplate"] = f"after message %{{customdata}}<br>{FRAME}: %{{y:,}}<extra></extra>"
    summary = bars[PARTS.index("summary")]
    summary["marker"]["pattern"] = {
        "shape": "/",
        "fgcolor": "#ffffff",
        "bgcolor": ROLE_COLOURS["summary"],
        "size": 6,
        "solidity": 0.3,
    }
    outline = _bar(NOT_SENT, {"color": "rgba(0, 0, 0, 0)", "line": {"width": 1, "color": _EDGE}})
    mark = {"symbol": "x", "size": 9, "color": LIMIT_COLOUR}
    cannot = _bar(CANNOT_FIT, mark) | {
        "type": "scatter",
        "mode": "markers",
        "hovertemplate": f"after message %{{customdata}}<br>{CANNOT_FIT}: %{{y:,}}<extra></extra>",
    }
    star = {"symbol": "star", "size": 12, "color": _STAR}
    made = cannot | {"name": SUMMARY_MADE, "marker": star, "hovertemplate": f"{SUMMARY_MADE}<extra></extra>"}
    return [*bars, outline, cannot, made]


def _bar(name: str, marker: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "marker": marker,
        "hovertemplate": f"{name}: %{{y:,}}<extra></extra>",
    }


def _layout() -> dict[str, Any]:
    return BASE | {
        "height": 380,
        "margin": {"l": 72, "r": 14, "t": 44, "b": 126},  # four rows of the legend on a narrow page
        "barmode": "stack",
        "bargap": 0.18,
        "hovermode": "x unified",
        "title": title(0.97),
        "legend": LEGEND,
        "xaxis": {
            "title": {"text": "call after message", "standoff": 6},
            "fixedrange": True,
            "tickmode": "array",
            "showgrid": False,
            "zeroline": False,
            "unifiedhovertitle": {"text": "tokens of one call"},
        },
        "yaxis": {"title": {"standoff": 8}, "fixedrange": True, "tickformat": ",d", "nticks": 6},
        "shapes": [LIMIT_LINE | {"label": {"textposition": "start", "yanchor": "bottom", "padding": 3}}],
    }


def _themed(theme: Theme) -> dict[str, Any]:
    return theme_layout(theme) | {"shapes[0].label.font.color": theme.limit, "legend.font.color": theme.ink}


def _ticks(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Places that get a label: evenly spread, the last always among them."""
    step = -(-len(labels) // MOST_LABELS) or 1
    places = sorted({len(labels) - 1 - back for back in range(0, len(labels), step)})
    return places, [labels[place] for place in places]
