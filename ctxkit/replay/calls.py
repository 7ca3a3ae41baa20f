"""What one model call sends and what it leaves out, in tokens: the numbers behind a bar of a chart.

Contract: the parts of a `Call` add up to what `TokenCounter.count_all` says of the messages sent. A
`Ledger` holds running sums over a conversation, so that a hundred calls of a thousand messages cost little
more than one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ctxkit.messages import Message
from ctxkit.messages.text import DISPLAY_ROLES, display_role
from ctxkit.replay.sums import RoleSums, SumsAlong
from ctxkit.tokens import TokenCounter
from ctxkit.transforms import Outcome
from ctxkit.transforms.handover import Growing, Prefix
from ctxkit.window import BudgetImpossible

Item = TypeVar("Item")

FRAME = "request frame"
PARTS = (FRAME, *DISPLAY_ROLES)
"""Parts of a bar from the bottom up. The frame is what the request costs without messages: tool schemas,
the start of the reply."""


@dataclass(frozen=True, slots=True)
class Call:
    """A model call.

    upto: messages that the conversation had then. sent: tokens by part. not_sent: tokens of the
    conversation that stayed out. required: tokens that had to be sent but were over the budget, so that
    nothing could be; else None. exact: False for an estimate. summarised: whether a summary was made for it.
    """

    upto: int
    sent: Mapping[str, int]
    not_sent: int = 0
    required: int | None = None
    exact: bool = True
    summarised: bool = False

    @property
    def total(self) -> int:
        """Tokens sent."""
        return sum(self.sent.values())


def call_of(outcome: Outcome, counter: TokenCounter, tools: Sequence[Any] = ()) -> Call:
    """The call that sends what a transform made of a history.

    >>> from ctxkit import KeepRecentMessages, Message, TokenCounter, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("What is 15% of 200?")]
    >>> call = call_of(run(KeepRecentMessages(1).apply(talk)), TokenCounter())
    >>> call.upto, call.sent, call.not_sent
    (3, {'request frame': 3, 'user': 13}, 11)
    """
    sent = {FRAME: counter.count_all((), tools)}
    left = sum(decision.tokens for decision in outcome.decisions)
    for message, source in zip(outcome.messages, outcome.sources, strict=True):
        tokens = counter.count(message)
        sent[display_role(message)] = sent.get(display_role(message), 0) + tokens
        left -= tokens if source is not None else 0
    exact = counter.exact_for(outcome.messages)
    return Call(len(outcome.decisions), sent, max(0, left), exact=exact, summarised=made_summary(outcome))


def made_summary(outcome: Outcome) -> bool:
    """Whether a model was asked for a summary, and gave one."""
    stages = outcome.stages or (outcome,)
    return any(stage.model_calls and stage.error is None for stage in stages)


class Ledger:
    """Running sums over a conversation that may grow.

    counter: counts each message once. tools: schemas that every call carries.
    """

    def __init__(self, messages: Iterable[Message], counter: TokenCounter, tools: Sequence[Any] = ()) -> None:
        self._conversation = Growing()
        self.messages = self._conversation.messages
        self.roles: list[str] = []
        self.counter = counter
        self._frame = counter.count_all((), tools)
        self._sums = RoleSums()
        self._exact = [counter.exact]
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        exact = self.counter.exact_for([message])
        tokens = self.counter.count(message)
        self._conversation.append(message)
        self.roles.append(display_role(message))
        self._exact.append(self._exact[-1] and exact)
        self._sums.append(self.roles[-1], tokens)

    def history(self, upto: int) -> list[Message] | Prefix:
        """The first `upto` messages, to be handed to a transform."""
        return self._conversation.upto(upto)

    def total(self, upto: int) -> int:
        """Tokens of a call that sends the first `upto` messages."""
        return self._frame + self._sums.total(upto)

    def exact(self, upto: int) -> bool:
        """Whether the counts of the first `upto` messages are no estimates."""
        return self._exact[upto]

    def everything(self, upto: int) -> Call:
        """The call that sends the first `upto` messages as they are."""
        return Call(upto, {FRAME: self._frame} | self._sums.between(0, upto), exact=self.exact(upto))

    def impossible(self, upto: int, error: BudgetImpossible) -> Call:
        """The call that could not be made, because what had to be sent was over the budget."""
        return Call(upto, {}, self.total(upto), error.tokens, self.exact(upto))

    def call(self, upto: int, outcome: Outcome, sums: SumsAlong | None = None) -> Call:
        """The call that sends what a transform made of the first `upto` messages.

        sums: of what the calls before it sent, to go on with (default: none).
        """
        if isinstance(outcome.sent, Prefix):
            along, timeline, end = sums or SumsAlong(self.counter), outcome.sent.timeline, len(outcome.sent)
            sent = along.of(timeline, end).between(0, end)
            made = 0 if outcome.all_in_place else along.made(timeline, outcome.sources)
            kept = sum(sent.values()) - made
        else:
            sent, kept = self._picked(outcome)
        left = self.total(upto) - self._frame - kept
        parts = {FRAME: self._frame} | sent
        return Call(upto, parts, max(0, left), exact=self.exact(upto), summarised=made_summary(outcome))

    def _picked(self, outcome: Outcome) -> tuple[dict[str, int], int]:
        """Tokens by role of what was picked from the conversation and made for it, and those of the first."""
        run = self._unbroken_end(outcome)
        sent = self._sums.between(run.start, run.stop)
        kept = sum(sent.values())
        others = len(outcome.messages) - len(run)
        for message, source in zip(outcome.messages[:others], outcome.sources[:others], strict=True):
            tokens = self.counter.count(message)
            sent[display_role(message)] = sent.get(display_role(message), 0) + tokens
            kept += tokens if source is not None else 0
        return sent, kept

    def _unbroken_end(self, outcome: Outcome) -> range:
        """The history's own messages, one after the other, with which the outcome ends: most of it, and
        cheap to sum."""
        sources, count = outcome.sources, len(outcome.sources)
        last = sources[-1] if sources else None
        if last is None:
            return range(0)
        # Sources rise, so those of the run are found by halving; where a repair has moved messages the
        # comparison below says no.
        start = bisect_left(range(count), True, key=lambda i: sources[i] == last - (count - 1 - i))
        run = range(last - (count - 1 - start), last + 1)
        own = sources[start:] == [*run] and outcome.messages[start:] == self.messages[run.start : run.stop]
        return run if own else range(0)


def sampled(points: Sequence[Item], limit: int) -> list[Item]:
    """At most `limit` of the points, evenly spread; the last is always there.

    >>> sampled([1, 3, 5, 7, 9], 3)
    [1, 5, 9]
    """
    if len(points) <= limit:
        return [*points]
    return [points[(place + 1) * len(points) // limit - 1] for place in range(limit)]
