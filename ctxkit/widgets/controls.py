"""`SliderWithBox`: a number set by a slider, or typed, or stepped by the arrow keys.

Contract: slider and box agree, and one change is told once, whoever made it
(jupyter-widgets/ipywidgets#3430: without `names="value"` a page's change fires three times). ipywidgets
gives a slider no accessible name: the label belongs to the box, and `sliders.js` names the slider after it.
While a slider is dragged the page sends its newest value once the kernel is done with the last: nothing
queues up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ipywidgets import BoundedIntText, IntSlider, Layout, VBox

from ctxkit._arguments import whole_number


class SliderWithBox:
    """A labelled number box above a slider.

    label: says what is set, and its unit. value, minimum, maximum: whole numbers; a value outside is moved
    inside. step: of the slider and of the arrow keys (default 1); a typed number need not keep to it.
    on_change: called with each new value.

    The slider counts steps, not units: a page rounds a slider's value to its step and reports that back,
    which would change what was typed.
    """

    def __init__(
        self,
        label: str,
        value: int,
        minimum: int,
        maximum: int,
        on_change: Callable[[int], None],
        *,
        step: int = 1,
    ) -> None:
        self._step = whole_number("step", step, minimum=1)
        self._minimum, self._maximum = whole_number("minimum", minimum), whole_number("maximum", maximum)
        self._value = self._inside(whole_number("value", value))
        self._on_change = on_change
        self.box = BoundedIntText(
            value=self._value,
            min=minimum,
            max=maximum,
            step=step,
            description=label,
            style={"description_width": "initial"},
            layout=Layout(width="auto"),
        )
        first, last = self._notches()
        self.slider = IntSlider(
            value=self._notch(), min=first, max=last, readout=False, layout=Layout(width="auto")
        )
        self.widget = VBox([self.box, self.slider])
        self.box.observe(self._typed, names="value")
        self.slider.observe(self._moved, names="value")

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        value = self._inside(whole_number("value", value))
        if value == self._value:
            return
        self._value = self.box.value = value
        self.slider.value = self._notch()
        self._on_change(value)

    def set_range(self, minimum: int, maximum: int, value: int) -> None:
        """Set other bounds and a value within them; told as one change.

        The bounds are widened, the value set, the bounds narrowed: in any other order a value is clipped on
        the way.
        """
        self._minimum, self._maximum = whole_number("minimum", minimum), whole_number("maximum", maximum)
        first, last = self._notches()
        bounds = [(self.box, minimum, maximum), (self.slider, first, last)]
        for part, low, high in bounds:
            part.min, part.max = min(part.min, low), max(part.max, high)
        self.value = value
        for part, low, high in bounds:
            part.min, part.max = low, high

    def _typed(self, change: Any) -> None:
        self.value = change["new"]

    def _moved(self, change: Any) -> None:
        if change["new"] != self._notch():
            self.value = self._inside(change["new"] * self._step)

    def _inside(self, value: int) -> int:
        return min(max(value, self._minimum), self._maximum)

    def _notch(self) -> int:
        return round(self._value / self._step)

    def _notches(self) -> tuple[int, int]:
        return self._minimum // self._step, -(-self._maximum // self._step)
