"""The condition of the graph: whether to summarise now, and which messages.

Contract: the cut never parts a call from its results, never takes the head, nor the user messages at the end
that wait for an answer, nor what tools gave for them so far. The trigger looks at the state, which really
shrinks: more than `max_messages` messages, or more than `max_tokens` tokens to send. By messages, the newest
`keep` stay. By tokens, fewer may stay, down to none: those that take at most half of the room beside head,
tool schemas and summary, so that one huge turn is summarised at once and a long one does not trigger again in
each turn.
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
        """How many must go so that what is sent takes about `limit` tokens; 0 when it does."""
        # A head, or schemas, of that size are nothing that a summary can shorten: the messages then get a
        # quarter.
        return self._cut(at, max(self._room(at, limit), limit // 4))

    def cut_for_window(self, at: Snapshot, window: int) -> int:
        """How many must go so that what is sent fits into a window of so many tokens; 0 when it does, or none
        may go."""
        return self._cut(at, self._room(at, window))

    def tokens(self, at: Snapshot, added: Sequence[Message] = ()) -> int:
        """Tokens of all that is sent, `added` after it."""
        return self.counter.count_all([*prompt_of(at), *added], self.schemas)

    def fixed(self, at: Snapshot) -> int:
        """Tokens of what no summary can shorten: the head and the tool schemas."""
        return self.counter.count_all(at.head, self.schemas)

    def can_fit(self, at: Snapshot, window: int, added: Sequence[Message] = ()) -> bool:
        """Whether what is sent fits into a window, if need be once all that may go is in a summary at its
        cap."""
        if self.tokens(at, added) <= window:
            return True
        live = [*at.live, *added]
        start = open_turn(live)
        return start > 0 and self._notes() + sum(self._counts(live[start:])) <= self._room(at, window)

    def _cut(self, at: Snapshot, room: int) -> int:
        """How many must go so that the messages after the head fit into a room; 0 when they do."""
        if sum(self._counts(prompt_of(at)[len(at.head) :])) <= room:
            return 0
        for keep in range(self.keep, -1, -1):
            cut = self._before_the_newest(at, keep)
            if sum(self._counts(at.live[cut:])) <= (room - self._notes()) // 2:
                return cut
        return self._before_the_newest(at, 0)

    def _room(self, at: Snapshot, limit: int) -> int:
        return limit - self.fixed(at)

    def _notes(self) -> int:
        return self.counter.count(framed("")) + self.summary_tokens

    def _counts(self, messages: Sequence[Message]) -> list[int]:
        return [self.counter.count(message) for message in messages]

    @staticmethod
    def _before_the_newest(at: Snapshot, keep: int) -> int:
        timeline = Timeline.of(list(at.live), head_limit=0)
        assert timeline is not None, "a thread only takes in sound messages"
        return min(cut_for(timeline, len(at.live), keep, "expand"), open_turn(at.live))


def asked_at(live: Sequence[Message]) -> int:
    """Up to where messages go before a question's calls and results, where these are the last."""
    end = len(live)
    while end and (live[end - 1].role == "tool" or live[end - 1].tool_calls):
        end -= 1
    return end


def open_turn(live: Sequence[Message]) -> int:
    """Where the turn begins that waits for its answer: its user messages, and what its tools gave so far.

    >>> open_turn([Message.user("Hi"), Message.assistant("Hello!"), Message.user("Time?")])
    2
    """
    start = asked_at(live)
    while start and live[start - 1].role == "user":
        start -= 1
    return start
