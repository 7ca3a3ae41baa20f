"""`Mending`: a history that is not sound, with its repair and the timeline of that, which grow together."""

from __future__ import annotations

import operator

from ctxkit._links import OpenCalls, Repair
from ctxkit.messages import Message
from ctxkit.transforms.timeline import Timeline


class Mending:
    """The repair of a conversation, gone on with at each call.

    timeline: of the repaired history. for_good: whether the history stays unsound whatever comes next, as one
    does not that only waits for results. One more message is one step, except for a result that comes late:
    it changes what was sent already, so that the timeline begins anew.

    >>> question, orphan = Message.user("Time?"), Message.tool("?", "x")
    >>> mending = Mending()
    >>> mending.take([orphan, question])
    >>> timeline = mending.timeline
    >>> mending.take([orphan, question, Message.assistant("Noon.")])
    >>> mending.timeline is timeline, len(timeline.messages), mending.sources
    (True, 2, [1, 2])
    """

    def __init__(self, head_limit: float = float("inf")) -> None:
        self.timeline = Timeline(head_limit)
        self.for_good = False
        self._given: list[Message] = []
        self._repair, self._calls = Repair(), OpenCalls()

    @property
    def sources(self) -> list[int | None]:
        """The index in the history of each repaired message, None for one that the repair made."""
        return [*self._repair.sources]

    def begins(self, history: list[Message], head_limit: float) -> bool:
        """Whether a history goes on with the one taken so far."""
        given = self._given
        alike = len(given) <= len(history) and all(map(operator.is_, given, history))
        return alike and head_limit == self.timeline.head_limit

    def take(self, history: list[Message]) -> None:
        """Take the messages that are new of a history that begins with the one taken so far."""
        sent = len(self.timeline.messages)
        for message in history[len(self._given) :]:
            self.for_good = self.for_good or not self._calls.accept(message)
            self._repair.take(message)
        self._given = history
        repaired = self._repair.messages
        if not all(map(operator.is_, self.timeline.messages, repaired)):  # a result came late
            self.timeline, sent = Timeline(self.timeline.head_limit), 0
        sound = self.timeline.extend(repaired[sent:])
        assert sound, "repair gives a sound history"
