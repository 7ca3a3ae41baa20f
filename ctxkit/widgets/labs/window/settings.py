"""`Settings`: which strategy, with which values, in what window.

Contract: the values are those that the boxes show, always within their bounds; a change is told once. A
strategy keeps its values while others are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ctxkit.tokens import TokenCounter
from ctxkit.widgets.labs.window.choices import CHOICES, NAMES, Choice, Values, choice
from ctxkit.widgets.labs.window.work import Setting

if TYPE_CHECKING:
    from ctxkit.widgets.controls import SliderWithBox

STEP = 64
"""Tokens between two notches of the window's slider."""
ROOM = 64
"""Tokens that a window leaves for the prompt at least."""


class Settings:
    """The tabs of the strategies, and sliders for their values and the window.

    strategy, window, reserve: at first. counter: default a shared cl100k_base counter. changed: called after
    each change.
    """

    def __init__(
        self,
        strategy: str,
        window: int,
        reserve: int,
        counter: TokenCounter | None,
        changed: Callable[[], None],
    ) -> None:
        from ipywidgets import Label, Layout, ToggleButtons

        from ctxkit.widgets.controls import SliderWithBox

        self._first = (strategy, window)
        self._reserve, self._counter = reserve, counter
        self._changed, self._quiet = changed, False
        self._messages = self._tokens = 0
        self.tabs = ToggleButtons(
            options=list(NAMES),
            value=strategy,
            description="Strategy",
            style={"button_width": "auto"},
            layout=Layout(width="auto"),
        )
        self.tabs.add_class("ctxkit-tabs")
        self.about = Label("", layout=Layout(width="auto"))
        self.about.add_class("ctxkit-about")
        self.window = SliderWithBox("Window (tokens)", window, 0, max(window, 1), self._tell, step=STEP)
        self.dials: dict[str, list[SliderWithBox]] = {
            one.name: [
                SliderWithBox(
                    dial.label,
                    dial.start,
                    dial.least,
                    max(dial.start, dial.least),
                    self._tell,
                    step=dial.step,
                )
                for dial in one.dials
            ]
            for one in CHOICES
        }
        self.tabs.observe(self._tell, names="value")

    @property
    def widgets(self) -> list[Any]:
        """Tabs, a line about the strategy, and the sliders in the order of the strategies."""
        dials = [dial.widget for name in NAMES for dial in self.dials[name]]
        return [self.tabs, self.about, self.window.widget, *dials]

    @property
    def strategy(self) -> str:
        return str(self.tabs.value)

    @property
    def setting(self) -> Setting:
        return self.of(self.strategy)

    def of(self, name: str) -> Setting:
        """What a strategy would be with its own values in the present window."""
        one = choice(name)
        window = one.window(self.window.value, self._reserve, self._counter)
        return Setting(name, one.settled(self._values(one), window, self._messages), window)

    def fit(self, messages: int, tokens: int) -> None:
        """Take a conversation of so many messages and tokens: bounds move, and values that they meet."""
        self._messages, self._tokens = messages, tokens
        with self._silently():
            least = min(self._reserve + ROOM, self._first[1])  # the lab's own window is always one of them
            most = max(8_192, self._first[1], -(-5 * tokens // (4 * STEP)) * STEP)
            self.window.set_range(least, most, min(max(self.window.value, least), most))
            self._settle()

    def take(self, strategy: str, window: int, values: Mapping[str, Values]) -> None:
        """Set all at once, without telling; what is out of bounds is moved inside."""
        with self._silently():
            self.tabs.value = strategy
            self.window.value = window
            for name, numbers in values.items():
                for dial, number in zip(self.dials[name], numbers, strict=True):
                    dial.set_range(min(dial.box.min, number), max(dial.box.max, number), number)
            self._settle()

    def reset(self) -> None:
        """As the lab was made, without telling."""
        self.take(*self._first, {one.name: one.start for one in CHOICES})

    def kept(self) -> tuple[str, int, dict[str, Values]]:
        """What `take` takes to come back here."""
        return self.strategy, self.window.value, {one.name: self._values(one) for one in CHOICES}

    def _tell(self, _: object) -> None:
        if self._quiet:
            return
        with self._silently():
            self._settle()
        self._changed()

    def _settle(self) -> None:
        """Bounds of the chosen strategy's dials, and only these dials shown."""
        setting = self.setting
        one = choice(setting.strategy)
        bounds = one.bounds(setting.values, setting.window, self._messages)
        for dial, (low, high), value in zip(self.dials[one.name], bounds, setting.values, strict=True):
            dial.set_range(low, high, value)
        self.about.value = one.about(setting.values)
        for name, dials in self.dials.items():
            for dial in dials:
                dial.widget.layout.display = None if name == one.name else "none"

    def _values(self, one: Choice) -> Values:
        return tuple(dial.value for dial in self.dials[one.name])

    @contextmanager
    def _silently(self) -> Generator[None]:
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before
