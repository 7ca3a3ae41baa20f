"""`SideBySide`: a conversation under several strategies, worked out once for each window and kept.

Contract: the figures are those of `Running`, which `simulate` has too, so that one setting always gives one
comparison, whatever was looked at before. Prices are no part of the work: other prices only cost a sum.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ctxkit._sync import run
from ctxkit.economy import Course, Pricing, Strategy, Turn, send_everything
from ctxkit.economy.running import Running
from ctxkit.models.offline import OfflineModel
from ctxkit.models.remembered import Remembered
from ctxkit.recall import Quiz, Recall
from ctxkit.replay import Ledger, call_points
from ctxkit.window import ContextWindow

KEPT_WINDOWS = 32
"""Windows whose figures are remembered; the one not looked at for longest goes first."""
NO_LIMIT = 10**12
ENOUGH = 10, 12
"""A strategy keeps enough when it keeps at least so many of so many facts, or of what was said."""

Strategies = Callable[[int], Sequence[Strategy]]
"""The strategies in a window of so many tokens."""


@dataclass(frozen=True)
class Rival:
    """A strategy's course up to some place, in tokens and in money.

    course: its calls. money: of each call. knows: at each call, facts that were answered or, without a quiz,
    the share of the conversation's tokens that was sent, in per cent.
    """

    course: Course
    money: Sequence[float]
    knows: Sequence[int]

    @property
    def name(self) -> str:
        return self.course.strategy

    @property
    def turns(self) -> Sequence[Turn]:
        return self.course.turns

    @property
    def heights(self) -> list[int]:
        """Prompt tokens at each call; of one that was refused, what it would have been."""
        return [t.call.total if t.call.required is None else t.call.required for t in self.turns]

    @property
    def cost(self) -> float:
        return sum(self.money)

    @property
    def costs(self) -> list[float]:
        """Money so far, at each call."""
        return [*accumulate(self.money)]

    @property
    def reuses(self) -> list[float]:
        """Share of the prompt tokens so far that came from the prefix cache, in per cent, at each call."""
        prompts = accumulate(turn.prompt for turn in self.turns)
        cached = accumulate(turn.cached for turn in self.turns)
        return [100 * c / p if p else 0.0 for p, c in zip(prompts, cached, strict=True)]


@dataclass(frozen=True)
class Comparison:
    """All strategies at one setting.

    rivals: in the order of the strategies. everything: the money for sending all in a window without limit.
    upto: index of the last message. most: what `Rival.knows` may reach. facts: whether that counts facts.
    """

    rivals: Sequence[Rival]
    everything: float
    window: int
    upto: int
    pricing: Pricing
    most: int
    facts: bool

    @property
    def calls(self) -> int:
        return len(self.rivals[0].turns)

    @property
    def enough(self) -> int:
        """What a strategy must know to keep enough."""
        return enough_of(self.most)

    @property
    def good(self) -> list[Rival]:
        """Those that keep enough and answer the last call, the cheapest first."""
        kept = [r for r in self.rivals if r.turns[-1].fits and r.knows[-1] >= self.enough]
        return sorted(kept, key=lambda rival: rival.cost)


def enough_of(most: int) -> int:
    """What is enough of so much: ten of twelve, and as large a share of another number, rounded up.

    >>> enough_of(12), enough_of(100)
    (10, 84)
    """
    return -(-most * ENOUGH[0] // ENOUGH[1])


class SideBySide:
    """The comparisons of one conversation.

    ledger: the conversation. strategies: for a window. quiz: facts that are asked for at each call, or None.
    Summaries are made by the offline reader, whatever model a strategy brings: a lab asks nobody else while a
    slider moves.
    """

    def __init__(self, ledger: Ledger, strategies: Strategies, quiz: Quiz | None) -> None:
        self._ledger, self._strategies, self._quiz = ledger, strategies, quiz
        self._points = call_points(ledger.messages)
        self._reader = Remembered(OfflineModel())
        self._windows: OrderedDict[int, list[Running]] = OrderedDict()
        self._everything = self._running(send_everything(), NO_LIMIT, None)

    def at(self, window: int, upto: int, pricing: Pricing) -> Comparison | None:
        """The comparison in a window when the last message is `upto`; None before the first call."""
        calls = bisect_right(self._points, upto + 1)
        if not calls:
            return None
        names = [strategy.name for strategy in self._strategies(window)]
        rivals = [
            self._rival(Course(name, self._turns(running, calls)), pricing)
            for name, running in zip(names, self._in(window), strict=True)
        ]
        everything = sum(turn.cost(pricing) for turn in self._turns(self._everything, calls))
        most = rivals[0].turns[-1].told if self._quiz else 100
        return Comparison(rivals, everything, window, upto, pricing, most, bool(self._quiz))

    def _rival(self, course: Course, pricing: Pricing) -> Rival:
        knows = [turn.facts if self._quiz else _sent(turn) for turn in course.turns]
        return Rival(course, [turn.cost(pricing) for turn in course.turns], knows)

    @staticmethod
    def _turns(running: Running, calls: int) -> list[Turn]:
        return run(_first(running, calls))

    def _in(self, window: int) -> list[Running]:
        if window not in self._windows:
            strategies = self._strategies(window)
            self._windows[window] = [self._running(one, window, self._quiz) for one in strategies]
            if len(self._windows) > KEPT_WINDOWS:
                self._windows.popitem(last=False)
        self._windows.move_to_end(window)
        return self._windows[window]

    def _running(self, strategy: Strategy, window: int, quiz: Quiz | None) -> Running:
        recall = Recall(quiz, self._reader) if quiz else None
        offline = strategy.asking(self._reader, self._ledger.counter)
        return Running(offline, self._ledger, self._points, ContextWindow(window), None, recall, lean=True)


async def _first(running: Running, calls: int) -> list[Turn]:
    return [await running.turn(place) for place in range(calls)]


def _sent(turn: Turn) -> int:
    if not turn.fits:
        return 0
    whole = turn.call.total + turn.call.not_sent
    return round(100 * turn.call.total / whole)
