"""A pipeline that tells what each of its stages did, also where one of them could not go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ctxkit.tokens import TokenCounter
from ctxkit.transforms import MessageTransform, Outcome, Pipeline
from ctxkit.widgets.palette import ACTIONS, number, plural
from ctxkit.window import BudgetImpossible


class Stuck(BudgetImpossible):
    """A stage found nothing that fits its budget. stages: the outcomes of the stages before it."""

    stages: tuple[Outcome, ...] = ()


class Staged(MessageTransform):
    """A pipeline whose BudgetImpossible says how far it came, as `Stuck`.

    >>> from ctxkit import KeepRecentMessages, KeepWithinTokens, Message, run
    >>> stages = Staged([KeepRecentMessages(1), KeepWithinTokens(5)])
    >>> try:
    ...     run(stages.apply([Message.user("Hello"), Message.assistant("Hi"), Message.user("Bye")]))
    ... except Stuck as stuck:
    ...     print(len(stuck.stages), stuck.stages[0].messages[0].content)
    1 Bye
    """

    def __init__(self, stages: Iterable[MessageTransform]) -> None:
        self._stages = [_Watched(stage) for stage in stages]
        self._pipeline = Pipeline(self._stages)

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        for stage in self._stages:
            stage.seen = ()
        try:
            return await self._pipeline.apply(messages, tools=tools)
        except BudgetImpossible as error:
            stuck = Stuck(error.required, error.tokens, error.budget)
            stuck.stages = tuple(outcome for stage in self._stages for outcome in stage.seen)
            raise stuck from None

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        return self._pipeline.preview(messages, tools=tools)


class _Watched(MessageTransform):
    """A stage that keeps the outcome of its last `apply`, () if it raised."""

    def __init__(self, stage: MessageTransform) -> None:
        self._stage = stage
        self.seen: tuple[Outcome, ...] = ()

    async def apply(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        outcome = await self._stage.apply(messages, tools=tools)
        self.seen = (outcome,)
        return outcome

    def preview(self, messages: Iterable[Any], *, tools: Sequence[Any] = ()) -> Outcome:
        return self._stage.preview(messages, tools=tools)


def stages_of(made: Outcome | BudgetImpossible) -> tuple[Outcome, ...]:
    """The outcomes of the stages that did their work."""
    return made.stages if isinstance(made, (Outcome, Stuck)) else ()


def told(outcome: Outcome, before: int, counter: TokenCounter, tools: Sequence[Any] = ()) -> str:
    """What a stage did, in a line. before: tokens of what it was given.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hello"), Message.assistant("Hi"), Message.user("Bye")]
    >>> told(run(KeepRecentMessages(1).apply(talk)), 20, TokenCounter())
    '2 not sent, 20 → 9 tokens'
    """
    if outcome.error is not None:
        return f"no summary was made: {outcome.error}"
    after = counter.count_all(outcome.messages, tools)
    actions = Counter(decision.action for decision in outcome.decisions if decision.action != "kept")
    done = ", ".join(f"{number(count)} {ACTIONS[action][1]}" for action, count in actions.items())
    if not done:
        return f"nothing to change, {plural(after, 'token')}"
    return f"{done}, {number(before)} → {plural(after, 'token')}"
