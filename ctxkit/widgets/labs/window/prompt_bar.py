"""`PromptBar`: what is sent now, message after message, as one bar as long as the window.

Contract: each message is a piece in the colour of its role, in the order in which they are sent; summaries
are hatched. What is free and what is kept for the reply are outlines, and a line stands where the window
ends. Of very many messages, neighbours are drawn as one piece for each role, so that lengths stay true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.messages.text import display_role
from ctxkit.replay.calls import FRAME, PARTS
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import Outcome
from ctxkit.widgets.figure import BASE, LEGEND, Figure, theme_layout
from ctxkit.widgets.labs.window.work import View
from ctxkit.widgets.palette import DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, Theme, number, plural

MOST_PIECES = 150
_COLOURS = {FRAME: "#8c959f"} | ROLE_COLOURS
_EDGE = "#7d8590"

Piece = tuple[str, int, str]
"""Role, tokens, and what it is called."""


class PromptBar(Figure):
    """A prompt as a bar. title, says: what is drawn, and its finding."""

    title = says = ""

    def __init__(self) -> None:
        super().__init__(_traces(), _layout(), {"light": _themed(LIGHT), "dark": _themed(DARK)})

    def draw(self, view: View, counter: TokenCounter) -> None:
        """Draw what is sent at a view."""
        window, call = view.setting.window, view.now.call
        pieces = grouped(_pieces(view, counter), MOST_PIECES)
        rows: dict[str, list[tuple[int, int, str]]] = {part: [] for part in PARTS}
        end = 0
        for role, tokens, name in pieces:
            rows[role].append((end, tokens, name))
            end += tokens
        needed = call.required or end
        self.title, self.says = _finding(view)
        traces: Any = self.data
        with self.batch_update():
            for trace in traces:
                row = rows[trace.name]
                trace.base = [start for start, _, _ in row]
                trace.x = [tokens for _, tokens, _ in row]
                trace.y = [0] * len(row)
                trace.customdata = [name for _, _, name in row]
                trace.showlegend = bool(row) and trace.name != FRAME
            layout: Any = self.layout
            layout.xaxis.range = [0, 1.01 * max(window.limit, needed)]
            free, reply, limit = layout.shapes
            full = 1.01 * max(window.limit, needed)
            for shape, start, stop, name in (
                (free, end, window.budget, "free"),
                (reply, max(end, window.budget), window.limit, "reply"),
            ):
                shape.visible = stop > start
                shape.x0, shape.x1 = start, max(stop, start)
                room = (stop - start) / full
                shape.label.text = f"{name} {number(stop - start)}" if room > 0.09 else ""
            limit.x0 = limit.x1 = window.limit
        self._alt = f"{self.title}: {self.says}"


def _finding(view: View) -> tuple[str, str]:
    """What is drawn, and what it says."""
    call, window = view.now.call, view.setting.window
    if call.required is not None:
        return "Nothing is sent", f"at least {plural(call.required, 'token')} would have to be"
    mark = "" if call.exact else "≈ "
    free, reply = window.budget - call.total, window.reserve
    tokens = f"{mark}{plural(call.total, 'token')}"
    if free < 0:
        return "What would be sent now", f"{tokens}, {number(-free)} too many"
    kept = f", {number(reply)} kept for the reply" if reply else ""
    return "What the model is sent now", f"{tokens}, {number(free)} free{kept}"


def _pieces(view: View, counter: TokenCounter) -> list[Piece]:
    made = view.now.made
    if not isinstance(made, Outcome):
        return []
    pieces: list[Piece] = [(FRAME, view.now.call.sent.get(FRAME, 0), FRAME)]
    for message, source in zip(made.messages, made.sources, strict=True):
        role = display_role(message)
        name = f"{role}, by the kit" if source is None else f"message {number(source)}, {role}"
        pieces.append((role, counter.count(message), name))
    return pieces


def grouped(pieces: Sequence[Piece], limit: int) -> list[Piece]:
    """The pieces, neighbours put together by role where there are more than so many.

    >>> grouped([("user", 5, "a"), ("assistant", 9, "b"), ("user", 6, "c"), ("assistant", 1, "d")], limit=2)
    [('user', 11, '2 messages, user'), ('assistant', 10, '2 messages, assistant')]
    """
    if len(pieces) <= limit:
        return [*pieces]
    size = -(-len(pieces) * len(PARTS) // (2 * limit))
    found: list[Piece] = []
    for start in range(0, len(pieces), size):
        group = pieces[start : start + size]
        for role in dict.fromkeys(piece[0] for piece in group):
            of_role = [piece for piece in group if piece[0] == role]
            name = of_role[0][2] if len(of_role) == 1 else f"{number(len(of_role))} messages, {role}"
            found.append((role, sum(tokens for _, tokens, _ in of_role), name))
    return found


def _traces() -> list[dict[str, Any]]:
    traces = [_bar(part) for part in PARTS]
    traces[PARTS.index("summary")]["marker"]["pattern"] = {
        "shape": "/",
        "fgcolor": "#ffffff",
        "bgcolor": ROLE_COLOURS["summary"],
        "size": 6,
        "solidity": 0.3,
    }
    return traces


def _bar(part: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": part,
        "width": 1,
        "marker": {"color": _COLOURS[part], "line": {"width": 0.5}},
        "hovertemplate": "%{customdata}: %{x:,} tokens<extra></extra>",
    }


def _layout() -> dict[str, Any]:
    room = {
        "type": "rect",
        "y0": -0.5,
        "y1": 0.5,
        "x0": 0,
        "x1": 0,
        "line": {"color": _EDGE, "width": 1, "dash": "dash"},
        "label": {"textposition": "middle left", "padding": 6, "text": ""},
    }
    limit = {
        "type": "line",
        "x0": 0,
        "x1": 0,
        "y0": -0.75,
        "y1": 0.75,
        "line": {"color": LIMIT_COLOUR, "width": 3},
    }
    return BASE | {
        "height": 92,
        "margin": {"l": 12, "r": 12, "t": 4, "b": 38},
        "barmode": "overlay",
        "hovermode": "closest",
        "legend": LEGEND,
        "xaxis": {"fixedrange": True, "visible": False},
        "yaxis": {"fixedrange": True, "visible": False, "range": [-0.75, 0.75]},
        "shapes": [room, room | {"line": {"color": _EDGE, "width": 1}}, limit],
    }


def _themed(theme: Theme) -> dict[str, Any]:
    return theme_layout(theme) | {
        "shapes[0].label.font.color": theme.muted,
        "shapes[1].label.font.color": theme.muted,
        "shapes[1].fillcolor": theme.soft,
        "legend.font.color": theme.ink,
    }
