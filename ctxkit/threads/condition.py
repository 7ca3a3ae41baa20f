"""The condition of the graph: whether to summarise now, and which messages.

Contract: the cut never parts a call from its results, never takes the head, nor the user messages at the end
that wait for an answer. The trigger looks at the state, which really shrinks: more than `max_messages`
messages, or more than `max_tokens` tokens to send. By messages, the newest `keep` stay. By tokens, fewer may
stay, down to none: those that take at most half of the room beside head, tool schemas and summary, so that
one huge turn is summarised at once and a long one does not trigger again in each turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.messages import Message
from ctxkit.stores.values import Snapshot
from ctxkit.threads.state import prompt_of
from ctxkit.tokens import TokenCounter
from ctxkit.transforms.recent import cut_for
from ctxkit.transforms.summaries.frame import framed
from ctxkit.transforms.timeline import Timeline


class Condition:
    """When to summarise.

    max_messages: more than that many, the head not counted, are too many. keep: how many stay. max_tokens: of
    what is sent (None: not looked at). summary_tokens: cap of a summary. schemas: of the tools.
    """

    def __init__(
        self,
        max_messages: int,
        keep: int,
        max_tokens: int | None,
        summary_tokens: int,
        counter: TokenCounter,
        schemas: Sequence[Any] = (),
    ) -> None:
        self.max_messages, self.keep, self.max_tokens = max_messages, keep, max_tokens
        self.summary_tokens, self.counter, self.schemas = summary_tokens, counter, schemas

    def cut(self, at: Snapshot) -> int:
        """How many of the live messages should go into the summary now; 0 for none.

        >>> live = tuple(Message(("user", "assistant")[i % 2], f"message {i}") for i in range(8))
        >>> Condition(6, 2, None, 400, TokenCounter()).cut(Snapshot(live=live))
        6
        """
        by_tokens = 0 if self.max_tokens is None else self.cut_to_fit(at, self.max_tokens)
        if by_tokens or len(at.live) <= self.max_messages:
            return by_tokens
        return self._before_the_newest(at, self.keep)

    def cut_to_fit(self, at: Snapshot, limit: int) -> int:
        """How many must go so that what is sent takes at most `limit` tokens; 0 when it does."""
        # A head, or schemas, of that size are nothing that a summary can shorten: the messages then get a
        # quarter.
        room = max(limit - self.counter.count_all(at.head, self.schemas), limit // 4)
        notes = self.counter.count(framed("")) + self.summary_tokens
        if sum(self._counts(prompt_of(at)[len(at.head) :])) <= room:
            return 0
        for keep in range(self.keep, -1, -1):
            cut = self._before_the_newest(at, keep)
            if sum(self._counts(at.live[cut:])) <= (room - notes) // 2:
                return cut
        return self._before_the_newest(at, 0)

    def _counts(self, messages: Sequence[Message]) -> list[int]:
        return [self.counter.count(message) for message in messages]

    @staticmethod
    def _before_the_newest(at: Snapshot, keep: int) -> int:
        timeline = Timeline.of(list(at.live), head_limit=0)
        assert timeline is not None, "a thread only takes in sound messages"
        return cut_for(timeline, len(at.live), keep, "expand")
