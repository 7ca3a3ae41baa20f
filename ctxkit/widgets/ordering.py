"""`OrderedList`: things in an order that the reader changes, each of which can be left out.

Contract: made for the keyboard. Each thing has a checkbox and two buttons with names of their own, Alt+Up and
Alt+Down move it from any of them, the focus stays with what was moved, and a live region says where it went.
One change is told once. Names are shown as text; an order that a page could not have made is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from ctxkit.widgets.escape import short
from ctxkit.widgets.pages import Page, script, style
from ctxkit.widgets.shown import Shown


class OrderBox(Page):
    """`picked` is what the reader chose: {"order": places in `content`, "on": which of these are in use}.

    It is not echoed: by then the page may hold a newer one.
    """

    _esm = script("make", "ordering")
    _css = style("ordering")
    picked = traitlets.Dict().tag(sync=True, echo_update=False)


class OrderedList(Shown):
    """Names in an order.

    label: what the list is. names: in their first order; two may be equal. on_change: called after each
    change.

    >>> stages = OrderedList("Stages", ["Clear", "Keep"], print)
    >>> stages.value
    (0, 1)
    >>> stages.value = (1,)
    (1,)
    >>> stages
    1. Keep
    -  Clear (left out)
    """

    def __init__(self, label: str, names: Sequence[str], on_change: Callable[[tuple[int, ...]], Any]) -> None:
        super().__init__()
        self._names = [short(name) for name in names]
        self._on_change = on_change
        self._order, self._on = [*range(len(names))], {*range(len(names))}
        self._notes = [""] * len(names)
        self.widget: OrderBox = OrderBox(
            content={"label": short(label), "names": self._names},
            state={"notes": self._notes},
            picked=self._picked(),
        )
        self.widget.add_class("ctxkit-row")  # among other controls it takes a row of its own
        self.widget.observe(self._chosen, names="picked")

    @property
    def value(self) -> tuple[int, ...]:
        """Places of the names that are in use, in their order."""
        return tuple(place for place in self._order if place in self._on)

    @value.setter
    def value(self, value: Sequence[int]) -> None:
        used = list(value)
        if len({*used}) != len(used) or not {*used} <= {*range(len(self._names))}:
            raise ValueError(
                f"value: expected different places from 0 to {len(self._names) - 1}, got {value}"
            )
        rest = [place for place in self._order if place not in used]
        self._take([*used, *rest], used)

    def tell(self, notes: Sequence[str]) -> None:
        """Show a line under each name, in the first order of the names; what is not in use shows none."""
        self._notes = [short(note, 300) for note in notes]
        if self.widget.state != {"notes": self._notes}:
            self.widget.state = {"notes": self._notes}

    def as_text(self) -> str:
        used, lines = 0, list[str]()
        for place in self._order:
            name, note = self._names[place], self._notes[place]
            if place in self._on:
                used += 1
                lines.append(f"{used}. {name}: {note}" if note else f"{used}. {name}")
            else:
                lines.append(f"-  {name} (left out)")
        return "\n".join(lines)

    def _picked(self) -> dict[str, Any]:
        return {"order": [*self._order], "on": [place in self._on for place in range(len(self._names))]}

    def _take(self, order: list[int], used: Sequence[int]) -> None:
        before = self.value
        self._order, self._on = order, {*used}
        self.widget.picked = self._picked()
        if self.value != before:
            self._on_change(self.value)

    def _chosen(self, change: Any) -> None:
        order, on = change["new"].get("order"), change["new"].get("on")
        count = len(self._names)
        if _all(int, order, count) and _all(bool, on, count) and {*order} == {*range(count)}:
            self._take([*order], [place for place in order if on[place]])
        else:
            self.widget.picked = self._picked()


def _all(kind: type, values: Any, count: int) -> bool:
    """Whether these are so many values of a kind."""
    return isinstance(values, list) and [type(value) for value in values] == [kind] * count  # type: ignore[misc]
