"""A conversation replayed call by call under one setting.

What a transform keeps may depend on what came before, so a picture of a setting is always drawn by replaying
the conversation from its first message with a fresh transform; one setting then always gives one picture.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxkit.messages import load_messages
from ctxkit.replay.calls import Call, Ledger
from ctxkit.replay.points import call_points
from ctxkit.replay.sums import SumsAlong
from ctxkit.transforms import MessageTransform, Outcome, SummaryCache
from ctxkit.transforms.handover import Growing
from ctxkit.window import BudgetImpossible

LOOKS = 16
"""Looks that a lean replay remembers."""

Made = Outcome | BudgetImpossible
Make = Callable[[SummaryCache], MessageTransform]


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a replay: what was sent, or why nothing could be; its bar; the summaries at hand after it."""

    made: Made
    call: Call
    cache: SummaryCache


class Replayed:
    """The calls of a conversation under one setting, as far as they were asked for.

    ledger: the conversation. points: ends of its calls. make: gives the setting's transform, which keeps its
    summaries in the cache it is given. tools: schemas that every call carries. lean: of all calls but the
    newest, keep what was counted and not what was sent (`made` is then without messages), because the prompts
    of a long conversation together are its square; `look` gives one back.
    """

    def __init__(
        self,
        ledger: Ledger,
        points: Sequence[int],
        make: Make,
        tools: Sequence[Any] = (),
        *,
        lean: bool = False,
    ) -> None:
        self._lean = lean
        self._ledger, self._points, self._make, self._tools = ledger, points, make, tools
        self._cache = SummaryCache()
        self._transform = make(self._cache)
        self.sums = SumsAlong(ledger.counter)
        self._steps: list[Step] = []
        self._looks: dict[int, Step] = {}

    async def upto(self, end: int) -> list[Step]:
        """The calls before `end`, and what would be sent at `end`."""
        look = await self.look(end)
        return [*self._steps[: self.calls_before(end)], look]

    async def step(self, place: int) -> Step:
        """The call at one of the points, the first of them being 0."""
        await self._go_to(place + 1)
        return self._steps[place]

    async def look(self, end: int) -> Step:
        """What would be sent if the model were asked at `end`: at a call that call, and no second one."""
        is_call = self.is_call(end)
        known = self.calls_before(end) + is_call
        await self._go_to(known)
        if is_call and not (self._lean and known < len(self._steps)):
            return self._steps[known - 1]
        if end not in self._looks:
            # With the summaries of that moment, copied: the calls that follow must not find what a look made.
            cache = (self._steps[known - 1].cache if known else SummaryCache()).copy()
            self._looks[end] = await self._step(self._make(cache), end, cache)
            if self._lean and len(self._looks) > LOOKS:
                del self._looks[next(iter(self._looks))]
        return self._looks[end]

    def calls_before(self, end: int) -> int:
        """How many calls come before `end`."""
        return bisect_left(self._points, end)

    def is_call(self, end: int) -> bool:
        """Whether a call is made at `end`."""
        place = self.calls_before(end)
        return place < len(self._points) and self._points[place] == end

    async def _go_to(self, calls: int) -> None:
        for point in self._points[len(self._steps) : calls]:
            self._steps.append(await self._step(self._transform, point, self._cache))
            if self._lean and len(self._steps) > 1:
                self._steps[-2] = replace(self._steps[-2], made=without_messages(self._steps[-2].made))

    async def _step(self, transform: MessageTransform, end: int, cache: SummaryCache) -> Step:
        try:
            history = transform.handed(self._ledger.history(end))
            made = await transform.apply(history, tools=self._tools)
        except BudgetImpossible as error:
            return Step(error, self._ledger.impossible(end, error), cache.copy())
        before = self._steps[-1].cache if self._steps else None
        after = before if before is not None and not made.model_calls else cache.copy()
        return Step(made, self._ledger.call(end, made, self.sums), after)


def without_messages(made: Made) -> Made:
    """What was made, with its figures and without what was sent and why."""
    if not isinstance(made, Outcome):
        return made
    return Outcome([], (), lambda: [], made.model_calls, made.cache_hits, made.error)


async def replay(
    transform: MessageTransform,
    messages: Iterable[Any],
    *,
    tools: Sequence[Any] = (),
    points: Sequence[int] | None = None,
) -> list[Outcome]:
    """Apply a fresh transform at each call of a conversation, from the first to the last.

    points: ends of the prefixes (default: `call_points`). Raises what the transform raises, BudgetImpossible
    for instance.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> [len(outcome.messages) for outcome in run(replay(KeepRecentMessages(2), talk))]
    [1, 2]
    """
    if not isinstance(transform, MessageTransform):
        raise TypeError(f"transform: expected a MessageTransform, got {type(transform).__name__}")
    history = load_messages(messages)
    ends = call_points(history) if points is None else points
    conversation = Growing(history)
    return [await transform.apply(transform.handed(conversation.upto(end)), tools=tools) for end in ends]
