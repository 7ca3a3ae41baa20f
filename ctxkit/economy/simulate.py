"""`simulate`: a conversation replayed turn by turn under each strategy.

Contract: every strategy is replayed from the first message with fresh transforms, so that one setting always
gives the same figures. The conversation's own replies are taken as they are: a strategy changes what is sent,
not what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ctxkit._arguments import counter_or_none
from ctxkit.economy.metered import Metered
from ctxkit.economy.pricing import Pricing
from ctxkit.economy.reuse import prefix_reuse
from ctxkit.economy.simulation import Course, Simulation, Turn
from ctxkit.economy.strategy import Strategy
from ctxkit.messages import Message, load_messages
from ctxkit.models.base import ChatModel
from ctxkit.recall import Quiz, Recall
from ctxkit.replay import Ledger, Replayed, call_points
from ctxkit.tokens import TokenCounter, shared_counter
from ctxkit.transforms import Outcome, SummaryCache
from ctxkit.window import ContextWindow


async def simulate(
    messages: Iterable[Any],
    strategies: Sequence[Strategy],
    window: ContextWindow | int,
    pricing: Pricing | None = None,
    quiz: Quiz | None = None,
    *,
    reader: ChatModel | None = None,
    tools: Sequence[Any] = (),
    counter: TokenCounter | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """What a conversation costs under each strategy, and what the model still knows, call by call.

    messages: the conversation. strategies: with different names. window: what a prompt and its reserve must
    fit into, or its limit in tokens. pricing: default None, no money. quiz: facts that are asked for at each
    call (default None). reader: who is asked, default `OfflineModel`. tools: schemas that every call carries.
    counter: default the window's, else a shared cl100k_base counter. progress: called with the calls done and
    the calls in all. Raises TypeError or ValueError for other values, a fact beyond the end among them.

    >>> from ctxkit import KeepRecentMessages, load_sample, run
    >>> few = Strategy("the last four", [KeepRecentMessages(4)])
    >>> both = run(simulate(load_sample("dolphins"), [Strategy("everything"), few], window=4_096))
    >>> [(course.strategy, course.prompt, f"{course.reuse:.0%}") for course in both.courses]
    [('everything', 28589, '90%'), ('the last four', 5362, '0%')]
    """
    history = load_messages(messages)
    window = window if isinstance(window, ContextWindow) else ContextWindow(window)
    own: TokenCounter | None = counter_or_none(counter)
    counts = own or window.counter or shared_counter()
    names = [strategy.name for strategy in strategies]
    if len({*names}) < len(names):
        raise ValueError(f"strategies: two are called {next(n for n in names if names.count(n) > 1)!r}")
    for i, fact in enumerate(quiz or ()):
        if max(fact.messages) >= len(history):
            raise ValueError(f"quiz.facts[{i}]: message {max(fact.messages)} of {len(history)} is not there")
    ledger, points = Ledger(history, counts, tools), call_points(history)
    courses: list[Course] = []
    for strategy in strategies:
        one = _OneCourse(strategy, ledger, points, window, pricing, tools)
        recall = Recall(quiz, reader) if quiz is not None else None
        for place in range(len(points)):
            await one.turn(place, recall)
            if progress is not None:
                progress(len(courses) * len(points) + len(one.turns), len(strategies) * len(points))
        courses.append(Course(strategy.name, one.turns))
    return Simulation(courses, window, pricing)


class _OneCourse:
    """A conversation under one strategy, as far as it has come."""

    def __init__(
        self,
        strategy: Strategy,
        ledger: Ledger,
        points: Sequence[int],
        window: ContextWindow,
        pricing: Pricing | None,
        tools: Sequence[Any],
    ) -> None:
        self.turns: list[Turn] = []
        self._ledger, self._window, self._pricing = ledger, window, pricing
        self._meters: list[Metered] = []
        self._replayed = Replayed(ledger, points, lambda cache: self._fresh(strategy, cache), tools)
        self._before: list[Message] = []

    def _fresh(self, strategy: Strategy, cache: SummaryCache) -> Any:
        return strategy.fresh(self._ledger.counter, cache, self._metered)

    def _metered(self, model: ChatModel) -> ChatModel:
        self._meters.append(Metered(model, self._ledger.counter))
        return self._meters[-1]

    def _meter(self) -> tuple[int, int, int]:
        meters = self._meters
        return (
            sum(meter.calls for meter in meters),
            sum(meter.prompt_tokens for meter in meters),
            sum(meter.completion_tokens for meter in meters),
        )

    async def turn(self, place: int, recall: Recall | None) -> None:
        history, counter = self._ledger.messages, self._ledger.counter
        before = self._meter()
        step = await self._replayed.step(place)
        calls, prompt, answer = (now - then for now, then in zip(self._meter(), before, strict=True))
        made, call, point = step.made, step.call, step.call.upto
        fits = isinstance(made, Outcome) and call.total <= self._window.budget
        sent = made.messages if isinstance(made, Outcome) and fits else []
        cached = prefix_reuse(self._before, sent, counter)
        reply = counter.count(history[point]) if fits and point < len(history) else 0
        money = None
        if self._pricing is not None:
            money = self._pricing.cost(call.total, cached, reply) if fits else 0.0
            money += self._pricing.cost(prompt, 0, answer)
        known: list[bool | None] = []
        if recall is not None:
            if isinstance(made, Outcome) and fits:
                known = await recall.at(point, made.messages, made.sources, history)
            else:
                known = [False if fact.told(point) else None for fact in recall.quiz]
        self._before = sent or self._before
        self.turns.append(Turn(call, fits, cached, reply, calls, prompt, answer, money, tuple(known)))
