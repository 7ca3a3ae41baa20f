"""The shape of a sound history as arrays over its prefixes.

Contract: entry i of each array speaks of the history before message i (or of message i itself, where said),
so that one timeline serves every prefix: what a lab draws call by call, and what the replay of a cut walks
through. A timeline only grows, at the cost of the new messages; it never looks at tokens.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Sequence
from math import inf
from typing import Literal

from ctxkit._links import OpenCalls
from ctxkit.history import in_head
from ctxkit.messages import Message


class Timeline:
    """The structure of a history that is sound, message by message.

    messages: the history. head: how many system and developer messages lead it. starts[i]: where the group of
    message i begins. user_before[i]: the latest user message before i that is no summary, else -1.
    voice_before[i]: the latest user-role message, summaries included. summaries: indexes of summaries.
    unanswered[i]: where the run of user messages that ends just before i begins (i when there is none).
    """

    def __init__(self, head_limit: float = inf) -> None:
        self.head_limit = head_limit
        self._own: list[Message] = []
        self.head = 0
        self.starts: list[int] = []
        self.user_before: list[int] = [-1]
        self.voice_before: list[int] = [-1]
        self.unanswered: list[int] = [0]
        self.summaries: list[int] = []
        self._calls = OpenCalls()

    @property
    def messages(self) -> list[Message]:
        return self._own

    @classmethod
    def of(
        cls, history: list[Message], known: Timeline | None = None, head_limit: float = inf
    ) -> Timeline | None:
        """The timeline of a history, grown from `known` if that begins alike; None for an unsound one.

        head_limit: how many messages the head has at most, where that is known from an earlier stage.
        """
        if known is not None and known.head_limit == head_limit:
            shared = min(len(known.messages), len(history))
            if all(map(operator.is_, known.messages[:shared], history)):
                return known if known.extend(history[shared:]) and known.whole(len(history)) else None
        timeline = cls(head_limit)
        return timeline if timeline.extend(history) else None

    def take(self, message: Message) -> bool:
        """Take one more message; False where no history would be sound that goes on with it.

        Then the group that it breaks is forgotten too.
        """
        inside = bool(self._calls.waiting)
        if not self._calls.accept(message):
            self._forget(self.starts[-1] if inside else len(self.messages))
            return False
        self._take(message)
        return True

    def whole(self, end: int) -> bool:
        """Whether the first `end` messages are a sound history by themselves: they part no group."""
        if end < len(self.starts):
            return self.starts[end] == end
        return end == len(self.starts) and not self._calls.waiting

    def part(self, start: int, stop: int) -> list[Message]:
        """Messages `start` to `stop`."""
        return self._own[start:stop]

    def shared_with(self, other: Timeline | None) -> int:
        """Messages at the beginning that another timeline has too, as far as that is certain (see `Twin`)."""
        return len(self.messages) if other is self else 0

    def extend(self, messages: list[Message]) -> bool:
        """Take more messages, all or none of them; False when the history would not be sound."""
        before = len(self.messages)
        if all(map(self.take, messages)) and not self._calls.waiting:
            return True
        self._forget(before)
        return False

    def _take(self, message: Message) -> None:
        index = len(self.messages)
        if index == self.head < self.head_limit and in_head(message):
            self.head += 1
        summary, user = message.kind == "summary", message.role == "user"
        self.messages.append(message)
        self.starts.append(self.starts[-1] if message.role == "tool" else index)
        self.user_before.append(index if user and not summary else self.user_before[-1])
        self.voice_before.append(index if user else self.voice_before[-1])
        self.unanswered.append(self.unanswered[-1] if user and not summary else index + 1)
        if summary and index >= self.head:
            self.summaries.append(index)

    def _forget(self, length: int) -> None:
        del self.messages[length:], self.starts[length:]
        for array in (self.user_before, self.voice_before, self.unanswered):
            del array[length + 1 :]
        del self.summaries[bisect_left(self.summaries, length) :]
        self.head = min(self.head, length)
        self._calls.waiting = []

    def latest_cut(self, end: int) -> int:
        """The last place at which the window of the first `end` messages may begin: no later than their last
        group, nor than the unanswered user messages."""
        if end <= self.head:
            return end
        return min(self.starts[end - 1], self.unanswered[end])

    def asking(self, cut: int, end: int) -> int | None:
        """The one user message from before the window that must be sent with it, so that the model has
        something to answer.

        None when the window holds a user-role message, when a user-role summary is sent, or when there was no
        user message.
        """
        if any(self.messages[i].role == "user" for i in self.pinned(cut)):
            return None
        return self.latest_user(cut, end)

    def latest_user(self, cut: int, end: int) -> int | None:
        """The latest user message before the window; None when the window itself holds a user role."""
        if self.voice_before[end] >= cut or self.user_before[cut] < self.head:
            return None
        return self.user_before[cut]

    def pinned(self, cut: int) -> list[int]:
        """Summaries that stand before the window: they are always sent."""
        return [i for i in self.summaries if i < cut]

    def kept(self, cut: int, end: int) -> Sequence[int]:
        """Indexes that are sent with the window `cut` to `end`: head, summaries, asking message, window."""
        if cut <= self.head:
            return range(end)
        asking = self.asking(cut, end)
        before = self.pinned(cut) if asking is None else sorted([*self.pinned(cut), asking])
        return [*range(min(self.head, end)), *before, *range(cut, end)]

    def why(
        self, cut: int, end: int, window: str, outside: str, index: int
    ) -> tuple[Literal["kept", "dropped"], str]:
        """Action and reason for one message; `window` and `outside` say why it is in or out."""
        if index < self.head:
            return "kept", "head: always sent"
        if index >= cut:
            return "kept", "not answered yet" if index >= self.unanswered[end] else window
        if self.messages[index].kind == "summary":
            return "kept", "a summary: always sent"
        if index == self.asking(cut, end):
            return "kept", "the latest user message before the window"
        return "dropped", outside
