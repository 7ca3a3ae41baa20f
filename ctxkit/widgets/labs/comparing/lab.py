"""`StrategiesLab`, the lab of lesson 9: one conversation under several strategies, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ctxkit._arguments import counter_or_none, instance_or_none, whole_number
from ctxkit.economy import Pricing, Strategy, usual_strategies
from ctxkit.economy.strategy import strategies_of
from ctxkit.messages import load_messages
from ctxkit.recall import Quiz
from ctxkit.replay import Ledger
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.widgets.lab import Lab
from ctxkit.widgets.labs.comparing.marks import MARKS
from ctxkit.widgets.labs.comparing.side_by_side import Comparison, SideBySide, enough_of
from ctxkit.widgets.labs.comparing.words import caption, columns, finding, purpose, rows, status
from ctxkit.widgets.labs.discarding import nice_step
from ctxkit.widgets.table import Table

LEAST_WINDOW = 64


class StrategiesLab(Lab[Comparison | None]):
    """Strategies compared: what a conversation costs, what of it a server reads again, what is still known.

    messages: the conversation. strategies: up to ten with different names (default `usual_strategies` of the
    window). window: tokens at first (default 2,048). quiz: facts that are asked for at each call; without
    one, what counts is how much of the talk is sent. pricing: default that of an example, where a cached
    token costs a tenth; its cached price is moved to a whole per cent. upto: index of the last message at
    first (default: the last). counter: default a shared cl100k_base counter. Raises TypeError or ValueError
    for other values.

    The offline reader is asked for facts, and makes the summaries of all strategies.

    >>> from ctxkit import load_sample
    >>> lab = StrategiesLab(load_sample("dolphins"), window=4_096)
    >>> lab.status[:53]
    'Cheapest that sends 84 % of the talk: send everything'
    """

    def __init__(
        self,
        messages: Iterable[Any],
        strategies: Sequence[Strategy] | None = None,
        *,
        window: int = 2048,
        quiz: Quiz | None = None,
        pricing: Pricing | None = None,
        upto: int | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        history = load_messages(messages)
        if not history:
            raise ValueError("messages: a lab needs at least one message")
        self._start_window = whole_number("window", window, minimum=LEAST_WINDOW)
        self._start = min(whole_number("upto", len(history) - 1 if upto is None else upto), len(history) - 1)
        self._pricing = instance_or_none("pricing", pricing, Pricing) or Pricing.of_an_example()
        self._ledger = Ledger(history, counter_or_none(counter) or shared_counter())
        own = None if strategies is None else _named(strategies)
        self._names = [one.name for one in own or usual_strategies(window, history)]
        quiz = instance_or_none("quiz", quiz, Quiz)
        if quiz is not None:
            quiz.fits(len(history))
        self._facts = bool(quiz)
        self._work = SideBySide(
            self._ledger, lambda window: own or usual_strategies(window, history), quiz or None
        )
        super().__init__("Strategies side by side", purpose(self._facts, enough_of(100)))

    def _build(self) -> tuple[Sequence[Any], Sequence[Any]]:
        from ctxkit.widgets.controls import SliderWithBox  # loads ipywidgets
        from ctxkit.widgets.labs.comparing.chart import StrategyChart

        total, last = self._ledger.total(len(self._ledger.messages)), len(self._ledger.messages) - 1
        step = max(16, nice_step(total // 60))
        most = -(-max(2 * total, self._start_window) // step) * step
        self.window = SliderWithBox(
            "Window (tokens)", self._start_window, LEAST_WINDOW, most, self.refresh, step=step
        )
        self.upto = SliderWithBox("Conversation up to message", self._start, 0, last, self.refresh)
        label = "Price of a cached token (%)"
        self.cached = SliderWithBox(label, _percent(self._pricing), 0, 100, self.refresh)
        self.chart = StrategyChart(self._names)
        self.table = Table(columns(self._facts))
        controls = [self.window.widget, self.upto.widget, self.cached.widget]
        return controls, [self.chart, self.table.widget]

    def as_text(self) -> str:
        return f"{self.status}\n{self.table.as_text()}"

    @property
    def pricing(self) -> Pricing:
        """The prices that are shown."""
        return replace(self._pricing, cached_input=self._pricing.input * self.cached.value / 100)

    def _compute(self) -> Comparison | None:
        return self._work.at(self.window.value, self.upto.value, self.pricing)

    def _paint(self, picture: Comparison | None) -> None:
        if picture is None:
            self.table.show("No call of the model yet", [])
            self._status.say(
                "ok", "No call yet.", "The conversation has not asked the model anything so far."
            )
            return
        self.chart.draw(picture, finding(picture), len(self._ledger.messages))
        self.table.show(caption(picture), rows(picture))
        self._status.say(*status(picture))


def _named(strategies: Sequence[Strategy]) -> list[Strategy]:
    given = strategies_of(strategies)
    if not 1 <= len(given) <= len(MARKS):
        raise ValueError(f"strategies: expected 1 to {len(MARKS)}, got {len(given)}")
    return given


def _percent(pricing: Pricing) -> int:
    if pricing.cached_input is None or not pricing.input:
        return 100
    return min(100, round(100 * pricing.cached_input / pricing.input))
