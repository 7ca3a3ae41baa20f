"""`ThreadPicture`: the Plotly figure of a thread: its graph, and below it the messages in the state.

Contract: a node of the graph that the present exchange passed through has a thick border, a filled dot and a
word on what happened there; the others are dotted outlines with an empty dot. Below is a bar for each
exchange: what stays in the state, and as an outline what was removed. A fixed number of traces, arrows and
labels, and one update a drawing.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.widgets.call_bars import _EDGE, _STAR, SUMMARY_MADE
from ctxkit.widgets.escape import plot_text
from ctxkit.widgets.figure import BASE, LEGEND, LIMIT_LINE, STILL_LEGEND, Figure, theme_layout, title
from ctxkit.widgets.palette import DARK, LIGHT, LIMIT_COLOUR, ROLE_COLOURS, Theme

STAY, REMOVED = "stay", "removed"
MOST_TICKS = 14


class Box(NamedTuple):
    """A node: where its middle is, how large it is, its colour, and whether it is drawn as a diamond."""

    x: float
    y: float
    wide: float
    high: float
    colour: str
    diamond: bool = False

    def outline(self) -> tuple[list[float], list[float]]:
        """The corners, the first of them once more at the end."""
        right, top = self.wide / 2, self.high / 2
        sides = [(-right, -top), (-right, top), (right, top), (right, -top)]
        if self.diamond:
            sides = [(-right, 0.0), (0.0, top), (right, 0.0), (0.0, -top)]
        corners = [*sides, sides[0]]
        return [self.x + dx for dx, _ in corners], [self.y + dy for _, dy in corners]


_YOURS, _MODEL, _TOOLS = ROLE_COLOURS["user"], ROLE_COLOURS["assistant"], ROLE_COLOURS["tool"]
NODES = {
    "START": Box(0.9, 3, 1.7, 1, _YOURS),
    "conversation": Box(3.5, 3, 2.8, 1, _MODEL),
    "tools": Box(3.3, 1, 2.4, 1, _TOOLS),
    "condition": Box(6.5, 3, 2.6, 1.7, LIMIT_COLOUR, diamond=True),
    "summarise": Box(6.5, 1, 3.1, 1, ROLE_COLOURS["summary"]),
    "END": Box(9.25, 3, 1.4, 1, _YOURS),
}
# From, to, the label, then where the arrow begins and ends.
_EDGES: tuple[tuple[str, str, str, tuple[float, float], tuple[float, float]], ...] = (
    ("START", "conversation", "", (1.75, 3), (2.1, 3)),
    ("conversation", "tools", "calls", (2.9, 2.5), (2.9, 1.5)),
    ("tools", "conversation", "results", (3.7, 1.5), (3.7, 2.5)),
    ("conversation", "condition", "", (4.9, 3), (5.2, 3)),
    ("condition", "summarise", "yes", (6.5, 2.15), (6.5, 1.5)),
    ("condition", "END", "no", (7.8, 3), (8.55, 3)),
    ("summarise", "END", "", (8.05, 1), (9.2, 2.5)),
)
_LABELS = {
    "calls": (2.85, 2.0, "right"),
    "results": (3.75, 2.0, "left"),
    "yes": (6.6, 1.85, "left"),
    "no": (8.15, 3.2, "center"),
}


class Bar(NamedTuple):
    """An exchange: messages that stay in the state after it, and messages that were removed."""

    stay: int
    removed: int


class ThreadPicture(Figure):
    """A graph above, bars below. use_tools: whether the graph has the node "tools"."""

    def __init__(self, use_tools: bool) -> None:
        self._nodes = [node for node in NODES if use_tools or node != "tools"]
        self._edges = [edge for edge in _EDGES if {*edge[:2]} <= {*self._nodes}]
        self._lit: dict[Hashable, bool] = {}  # setting what is set already takes most of a step
        super().__init__(
            _traces(self._nodes),
            _layout(self._nodes, self._edges),
            {"light": _themed(LIGHT), "dark": _themed(DARK)},
        )

    def draw(
        self,
        passed: Mapping[str, str],
        arrows: Collection[tuple[str, str]],
        bars: Sequence[Bar],
        places: int,
        most: int,
        finding: str,
    ) -> None:
        """Draw one exchange.

        passed: the nodes that it passed through, with what happened there. arrows: the pairs of nodes that it
        went along. bars: one for each exchange so far. places: exchanges that there will be, so that bars
        stay where they are. most: messages that are not too many, drawn as a line. finding: the title.
        """
        rows: dict[str, list[int | None]] = {
            STAY: [bar.stay for bar in bars],
            REMOVED: [bar.removed or None for bar in bars],
        }
        top = 1.25 * max([most, *(bar.stay + bar.removed for bar in bars)])
        star = round(0.07 * top, 2)
        stars = [bar.stay + bar.removed + star if bar.removed else None for bar in bars]
        traces: Any = self.data
        layout: Any = self.layout
        with self.batch_update():
            for trace in traces:
                if trace.name in NODES:
                    if self._lit.get(trace.name) != (trace.name in passed):
                        _wear(trace, trace.name in passed)
                    continue
                trace.x = list(range(1, places + 1))
                row = stars if trace.name == SUMMARY_MADE else rows[trace.name]
                trace.y = [*row, *[None] * (places - len(bars))]
            for note, node in zip(layout.annotations, self._nodes, strict=False):
                text = _label(node, passed.get(node))
                if note.text != text:
                    note.text = text
            for arrow, edge in zip(layout.annotations[len(self._nodes) :], self._edges, strict=False):
                lit = edge[:2] in arrows
                if self._lit.get(edge[:2]) != lit:
                    arrow.arrowcolor, arrow.arrowwidth = (_lit_edge(edge[1]), 2.5) if lit else (_EDGE, 1)
            self._lit = {one: one in passed for one in self._nodes}
            self._lit |= {edge[:2]: edge[:2] in arrows for edge in self._edges}
            layout.title.text = f"<b>{plot_text(finding)}</b>"
            layout.xaxis.range = [0.3, max(places, 6) + 0.7]
            layout.xaxis.dtick = -(-places // MOST_TICKS)
            layout.yaxis.range = [0, top]
            line: Any = layout.shapes[0]
            line.y0 = line.y1 = most
            line.label.text = f"max_messages {most}"
        self._alt = f"The graph of a thread, and the messages in its state: {finding}"


def _wear(trace: Any, lit: bool) -> None:
    colour = NODES[trace.name].colour
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    trace.fillcolor = f"rgba({red}, {green}, {blue}, {0.16 if lit else 0})"
    trace.line.color, trace.line.width = (colour, 3) if lit else (_EDGE, 1)
    trace.line.dash = "solid" if lit else "dot"


def _label(node: str, happened: str | None) -> str:
    if happened is None:
        return f"○ {node}"
    below = f"<br>{plot_text(happened)}" if happened else ""
    return f"● {node}{below}"


def _lit_edge(end: str) -> str:
    return _STAR if end == "summarise" else NODES[end].colour


def _traces(nodes: Sequence[str]) -> list[dict[str, Any]]:
    graph = [
        dict(zip(("x", "y"), NODES[node].outline(), strict=True))
        | {"type": "scatter", "name": node, "mode": "lines", "fill": "toself", "hoverinfo": "skip"}
        | {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
        for node in nodes
    ]
    stay = {"type": "bar", "name": STAY, "marker": {"color": _YOURS}}
    outline = {"color": "rgba(0, 0, 0, 0)", "line": {"width": 1, "color": _EDGE}}
    removed = {"type": "bar", "name": REMOVED, "marker": outline}
    for bar in (stay, removed):
        bar["hovertemplate"] = f"exchange %{{x}}: %{{y}} {bar['name']}<extra></extra>"
    star = {"type": "scatter", "name": SUMMARY_MADE, "mode": "markers", "cliponaxis": False}
    star |= {"marker": {"symbol": "star", "size": 12, "color": _STAR}}
    star |= {"hovertemplate": f"exchange %{{x}}: {SUMMARY_MADE}<extra></extra>"}
    return [*graph, stay, removed, star]


def _layout(nodes: Sequence[str], edges: Sequence[Any]) -> dict[str, Any]:
    on_graph = {"xref": "x2", "yref": "y2"}
    small = {"showarrow": False, "font": {"size": 11}} | on_graph  # so that it fits a narrow page
    names = [{"x": NODES[node].x, "y": NODES[node].y} | small for node in nodes]
    arrows = [
        {"text": "", "x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "arrowhead": 2}
        | {"axref": "x2", "ayref": "y2", "showarrow": True}
        | on_graph
        for _, _, _, start, end in edges
    ]
    words = [
        {"text": word, "x": _LABELS[word][0], "y": _LABELS[word][1], "xanchor": _LABELS[word][2]} | small
        for _, _, word, _, _ in edges
        if word
    ]
    hidden = {"visible": False, "fixedrange": True}
    return BASE | {
        "height": 470,
        "margin": {"l": 52, "r": 14, "t": 44, "b": 84},
        "barmode": "stack",
        "bargap": 0.25,
        "hovermode": "closest",
        "title": title(0.97),
        "legend": LEGEND | STILL_LEGEND,
        "xaxis": {"title": {"text": "exchange", "standoff": 6}, "fixedrange": True, "tick0": 1}
        | {"showgrid": False, "zeroline": False},
        "yaxis": {"title": {"text": "messages", "standoff": 8}, "fixedrange": True, "nticks": 5}
        | {"domain": [0, 0.38], "rangemode": "tozero"},
        "xaxis2": hidden | {"range": [0, 10], "anchor": "y2"},
        "yaxis2": hidden | {"range": [0.4, 4], "domain": [0.44, 1], "anchor": "x2"},
        "annotations": [*names, *arrows, *words],
        "shapes": [LIMIT_LINE | {"label": {"textposition": "start", "yanchor": "bottom", "padding": 3}}],
    }


def _themed(theme: Theme) -> dict[str, Any]:
    return theme_layout(theme) | {"shapes[0].label.font.color": theme.limit, "legend.font.color": theme.ink}
