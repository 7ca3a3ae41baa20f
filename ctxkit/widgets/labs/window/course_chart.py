"""`CourseChart`: prompt tokens at each call, beside what sending everything would take.

Contract: one line for the strategy, a dashed one for sending everything, a line at the limit, a dotted one at
the budget where room is kept for the reply, a mark where a summary was made, where a call was refused, and at
the present call; each is named where it is drawn. `says` is the finding, for the words above it. One update a
drawing; of long conversations the calls that shape the lines are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ctxkit.economy import Turn
from ctxkit.widgets.escape import plot_text
from ctxkit.widgets.figure import BASE, LIMIT_LINE, Figure, theme_layout
from ctxkit.widgets.labs.window.work import View
from ctxkit.widgets.palette import DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, Theme, number, plural

MOST_POINTS = 240
APART = 0.5
"""Share of the conversation between two summaries that are both named beside their mark."""
NEAR = 0.15
"""Share of the conversation before the present call where the name of a summary would meet that of a line."""
HEIGHT, TOP, BOTTOM = 268, 12, 46
GAP = 15
"""Pixels between two names at the ends of lines."""

_NAMES = {"light": ("#0068a3", "#a0527f", "#57606a"), "dark": ("#62b5ea", "#e6a6cb", "#a9b4bf")}
# The strategy's line, summaries, everything: hues of the marks, fit to be read on each paper.


class CourseChart(Figure):
    """The course of a conversation under a strategy. title, says: what is drawn, and its finding."""

    title, says = "Prompt tokens at each call", ""

    def __init__(self) -> None:
        super().__init__(
            _traces(), _layout(), {"light": _themed("light", LIGHT), "dark": _themed("dark", DARK)}
        )

    def draw(self, view: View) -> None:
        """Draw the calls of a view."""
        turns = thinned(view.turns, MOST_POINTS)
        everything = thinned(view.everything, MOST_POINTS)
        made = thinned([turn for turn in view.turns if turn.summary_calls], MOST_POINTS)
        refused = thinned([turn for turn in view.turns if not turn.fits], MOST_POINTS)
        top = 1.12 * max(view.limit, *(_height(turn) for turn in (*view.turns, *view.everything)))
        lines = [everything, turns, made, refused, [view.now]]
        same = [_height(turn) for turn in turns] == [_height(turn) for turn in everything]
        self.says = finding(view)
        window, traces = view.setting.window, cast("Any", self.data)
        with self.batch_update():
            for trace, points in zip(traces, lines, strict=True):
                trace.x = [turn.upto - 1 for turn in points]
                trace.y = [_height(turn) for turn in points]
            places = [turn.upto for turn in made]
            traces[2].text = _named(places, view.messages)
            traces[2].textposition = _beside(places, view.now.upto, view.messages)
            layout: Any = self.layout
            layout.xaxis.range = [-0.02 * view.messages, max(1.01 * view.messages, 2)]
            layout.yaxis.range = [0, top]
            limit, budget = layout.shapes
            limit.y0 = limit.y1 = view.limit
            budget.y0 = budget.y1 = window.budget
            budget.visible = window.reserve > 0
            names = [
                (f"window {number(view.limit)}", view.limit),
                ("" if same else "send everything", _height(view.everything[-1])),
                (view.setting.strategy.lower(), _height(view.now)),
                (f"budget {number(window.budget)}" if window.reserve else "", window.budget),
            ]
            shifts = _apart([height for _, height in names], [bool(name) for name, _ in names], top)
            for note, (name, height), shift in zip(layout.annotations, names, shifts, strict=True):
                note.text, note.y, note.yshift = plot_text(name), height, shift
            layout.annotations[1].x = layout.annotations[2].x = view.now.upto - 1
        self._alt = f"{self.title}: {self.says}"


def finding(view: View) -> str:
    """What the chart says, in a few words."""
    refused = [turn for turn in view.turns if not turn.fits]
    if refused:
        if refused == [*view.turns[-len(refused) :]]:
            since = f"from message {number(refused[0].upto - 1)} on"
            return f"{plural(len(refused), 'call')} refused, {since}"
        return f"{number(len(refused))} of {plural(len(view.turns), 'call')} refused"
    highest = max(turn.prompt for turn in view.turns)
    summaries = sum(turn.summary_calls for turn in view.turns)
    most = f"never more than {number(highest)} of {number(view.setting.window.budget)}"
    return f"{most}, with {plural(summaries, 'summary call')}" if summaries else most


def thinned(turns: Sequence[Turn], limit: int) -> list[Turn]:
    """At most so many of the turns, and of each stretch the lowest and the highest, so that a saw keeps its
    teeth; the first and the last are always there."""
    if len(turns) <= limit:
        return [*turns]
    stretches = limit // 2 - 1
    kept = {0, len(turns) - 1}
    for place in range(stretches):
        stretch = range(place * len(turns) // stretches, (place + 1) * len(turns) // stretches)
        kept |= {pick(stretch, key=lambda i: _height(turns[i])) for pick in (min, max)}
    return [turns[i] for i in sorted(kept)]


def _height(turn: Turn) -> int:
    """Where a call stands: what it sends, or what it would have to send."""
    return turn.call.total if turn.call.required is None else turn.call.required


def _named(places: Sequence[int], messages: int) -> list[str]:
    """Words beside the marks of summaries: the last has some, and the first where it is far enough."""
    named = {places[-1]} if places else set[int]()
    if places and places[-1] - places[0] >= APART * messages:
        named.add(places[0])
    return ["summary made" if place in named else "" for place in places]


def _beside(places: Sequence[int], now: int, messages: int) -> list[str]:
    """Where those words stand: below their mark, and near the present call left of it, for there the lines
    are named."""
    return [f"bottom {'left' if now - place < NEAR * messages else 'center'}" for place in places]


def _apart(heights: Sequence[float], there: Sequence[bool], top: float) -> list[float]:
    """Pixels to move each name up, so that none stands on another."""
    pixels = [height / top * (HEIGHT - TOP - BOTTOM) for height in heights]
    order = sorted((i for i in range(len(pixels)) if there[i]), key=lambda i: pixels[i])
    shifts = [0.0] * len(pixels)
    below = float("-inf")
    for i in order:
        at = max(pixels[i], below + GAP)
        shifts[i], below = round(at - pixels[i], 1), at
    return shifts


def _traces() -> list[dict[str, Any]]:
    everything = _line("send everything", {"color": "#8c959f", "width": 2, "dash": "dash"})
    chosen = _line("sent", {"color": ROLE_COLOURS["user"], "width": 2.5})
    made = _marks("summary made", {"symbol": "circle", "size": 9, "color": ROLE_COLOURS["summary"]})
    refused = _marks("refused", {"symbol": "x", "size": 7, "color": LIMIT_COLOUR})
    now = _marks(
        "now", {"symbol": "circle-open", "size": 13, "color": ROLE_COLOURS["user"], "line": {"width": 2}}
    )
    made |= {"mode": "markers+text"}
    return [everything, chosen, made, refused, now]


def _line(name: str, line: dict[str, Any]) -> dict[str, Any]:
    hover = f"{name}: %{{y:,}}<extra></extra>"
    return {"type": "scatter", "mode": "lines", "name": name, "line": line, "hovertemplate": hover}


def _marks(name: str, marker: dict[str, Any]) -> dict[str, Any]:
    hover = f"{name}<extra></extra>"
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "marker": marker,
        "hovertemplate": hover,
        "cliponaxis": False,
    }


def _layout() -> dict[str, Any]:
    name = {
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "middle",
        "xshift": 10,
        "x": 0,
        "y": 0,
        "text": "",
    }
    at_the_edge = name | {"xref": "paper", "x": 1, "xshift": 6}
    return BASE | {
        "height": HEIGHT,
        "margin": {"l": 60, "r": 122, "t": TOP, "b": BOTTOM},
        "showlegend": False,
        "hovermode": "x unified",
        "xaxis": {
            "title": {"text": "message that the call follows", "standoff": 6, "font": {"size": 12}},
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "tickformat": ",d",
            "tickangle": 0,
            "unifiedhovertitle": {"text": "after message %{x:,}"},
        },
        "yaxis": {"fixedrange": True, "tickformat": ",d", "nticks": 6, "zeroline": True},
        "shapes": [LIMIT_LINE, LIMIT_LINE | {"line": {"color": LIMIT_COLOUR, "width": 1, "dash": "dot"}}],
        "annotations": [at_the_edge, name, name, at_the_edge],
    }


def _themed(name: str, theme: Theme) -> dict[str, Any]:
    strategy, _, everything = _NAMES[name]
    return theme_layout(theme) | {
        "annotations[0].font.color": theme.limit,
        "annotations[1].font.color": everything,
        "annotations[2].font.color": strategy,
        "annotations[3].font.color": theme.limit,
    }
