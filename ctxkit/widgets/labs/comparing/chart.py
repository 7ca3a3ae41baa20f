"""`StrategyChart`: cost against recall, and under it what each strategy took, call by call.

Contract: one mark for each strategy above, named where it stands; four small panels below with a line each,
ending in the same mark. Shape, colour and name go together, never colour alone. The title says the finding.
One update a drawing; of long conversations an even choice of calls is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ctxkit.replay.calls import sampled
from ctxkit.widgets.escape import plot_text, short
from ctxkit.widgets.figure import Figure
from ctxkit.widgets.labs.comparing.frame import BOTTOM, HEIGHT, MAP, PANELS, TOP, layout, themed, traces
from ctxkit.widgets.labs.comparing.label_places import place_labels
from ctxkit.widgets.labs.comparing.side_by_side import Comparison, Rival
from ctxkit.widgets.palette import DARK, LIGHT, number, plural

MOST_POINTS = 60
NAME_CHARACTERS = 28


class StrategyChart(Figure):
    """Several strategies side by side.

    names: of the strategies, in the order in which they are drawn.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [plot_text(short(name, NAME_CHARACTERS)) for name in names]
        themes = {"light": themed(LIGHT, len(names)), "dark": themed(DARK, len(names))}
        super().__init__(traces(self._names), layout(len(names)), themes)

    def draw(self, comparison: Comparison, finding: Sequence[str], messages: int) -> None:
        """Draw a comparison under a title that says what it shows.

        finding: the lines of the title. messages: of the whole conversation.
        """
        rivals = comparison.rivals
        places = sampled(range(comparison.calls), MOST_POINTS)
        panels = [[rival.heights, rival.costs, rival.reuses, rival.knows] for rival in rivals]
        drawn: Any = self.data
        frame: Any = self.layout
        with self.batch_update():
            for at, rival in enumerate(rivals):
                drawn[at].x, drawn[at].y = [rival.cost], [rival.knows[-1]]
                ends = [rival.turns[place].upto - 1 for place in places]
                for panel, line in enumerate(panels[at]):
                    trace = drawn[len(rivals) * (panel + 1) + at]
                    trace.x, trace.y = ends, [line[place] for place in places]
                    trace.selectedpoints = [len(places) - 1]
            frame.title.text = "<br>".join(f"<b>{plot_text(line)}</b>" for line in finding)
            self._scale(frame, comparison, messages)
            self._name(frame, comparison)
        self._alt = f"Cost against recall: {' '.join(finding)}"

    def _scale(self, frame: Any, comparison: Comparison, messages: int) -> None:
        rivals, window = comparison.rivals, comparison.window
        dearest, highest = _dearest(comparison), max(window, *(max(rival.heights) for rival in rivals))
        words = _WORDS[comparison.facts]
        frame.xaxis.range, frame.yaxis.range = [0, _WIDER * dearest], _knows_range(comparison)
        frame.xaxis.title.text = f"money so far ({plot_text(short(comparison.pricing.currency, 8))})"
        frame.yaxis.title.text = words.axis
        frame.yaxis2.range, frame.yaxis3.range = [0, 1.25 * highest], [0, 1.1 * dearest]
        frame.yaxis5.range = _knows_range(comparison)
        frame.annotations[len(PANELS) - 1].text = f"<b>{words.panel}</b>"
        for _, axis, _, _ in PANELS:
            frame[f"xaxis{axis}"].range = [-0.03 * messages, 1.03 * max(messages - 1, 1)]
        enough, limit, *now = frame.shapes
        enough.y0 = enough.y1 = comparison.enough
        much = comparison.enough
        enough.label.text = f"enough: {plural(much, 'fact') if comparison.facts else f'{much} % of the talk'}"
        limit.y0 = limit.y1 = window
        limit.label.text = f"window {number(window)}"
        for line in now:
            line.x0 = line.x1 = comparison.upto

    def _name(self, frame: Any, comparison: Comparison) -> None:
        """Name each mark where it stands, with a thin line to it where names would fall on one another."""
        right, (low, high) = _WIDER * _dearest(comparison), _knows_range(comparison)
        marks = [(rival.cost, rival.knows[-1]) for rival in comparison.rivals]
        spots = [(cost / right, (knows - low) / (high - low)) for cost, knows in marks]
        texts = [_label(name, rival) for name, rival in zip(self._names, comparison.rivals, strict=True)]
        tall = (MAP[1] - MAP[0]) * (HEIGHT - TOP - BOTTOM)
        places = place_labels(spots, [len(text) for text in texts], tall)
        notes = frame.annotations[len(PANELS) :]
        for note, text, mark, place in zip(notes, texts, marks, places, strict=True):
            note.text, (note.x, note.y) = text, mark
            note.ax, note.ay = place.right, -place.up
            note.xanchor = "left" if place.right > 0 else "right"


@dataclass(frozen=True)
class _Words:
    axis: str
    panel: str


_WORDS = {
    True: _Words("facts known at the last call", "Facts known"),
    False: _Words("% of the talk sent at the last call", "Talk sent, in %"),
}
_WIDER = 1.2
"""The map is so much wider than its dearest mark, which leaves room for names."""


def _dearest(comparison: Comparison) -> float:
    return max(rival.cost for rival in comparison.rivals) or 1e-6


def _label(name: str, rival: Rival) -> str:
    refused = rival.course.refused
    return f"{name} ({number(refused)} refused)" if refused else name


def _knows_range(comparison: Comparison) -> list[float]:
    return [-0.08 * max(comparison.most, 1), 1.12 * max(comparison.most, 1)]
