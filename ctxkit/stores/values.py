"""What stores take and give: a change to a thread, a thread as it was seen, and an entry of its history.

A thread is a name that points to its newest checkpoint. A checkpoint says which stretch of the conversation
is still word for word (messages `start` to `end`, and the head), and which summary stands for what came
before it. Messages stand apart and once, however many checkpoints speak of them.

Named tuples, because they are rows, and cheaper to define than dataclasses.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ctxkit.messages import Message

Happened = Literal["loaded", "user", "reply", "tool", "summary"]


class Snapshot(NamedTuple):
    """A thread as it is at one checkpoint.

    checkpoint: its id, None for a thread that has not begun. head: leading system and developer messages.
    live: the other messages that are still word for word. summary: what stands for the rest, "" for none.
    start, end: messages `start` to `end` of the conversation, counted from 0, are live.
    """

    checkpoint: int | None = None
    head: tuple[Message, ...] = ()
    live: tuple[Message, ...] = ()
    summary: str = ""
    start: int = 0
    end: int = 0


class Change(NamedTuple):
    """What one commit does to a thread, all of it or nothing.

    happened: in a word. added: messages that come at the end. removed: how many of the oldest live messages
    go, once the new ones are there. summary: the new summary, None to leave it as it is.
    """

    happened: Happened
    added: tuple[Message, ...] = ()
    removed: int = 0
    summary: str | None = None


class Checkpoint(NamedTuple):
    """One entry of a thread's history.

    id: to come back to it. time: seconds since 1970, UTC. happened: "loaded", "user", "reply", "tool" or
    "summary". messages: how many the state holds. summarised: how many of the conversation are in the summary
    instead.

    >>> from ctxkit import MemoryStore
    >>> store = MemoryStore()
    >>> seen = store.commit("a", store.read("a"), Change("user", (Message.user("Hello, I am Ada."),)))
    >>> [(entry.happened, entry.messages, entry.summarised) for entry in store.history("a")]
    [('user', 1, 0)]
    """

    id: int
    time: float
    happened: Happened
    messages: int
    summarised: int


class Point(NamedTuple):
    """A checkpoint as stores keep it: a row of a table.

    parent: the checkpoint before. head, tip: the last message of the head and of the conversation, by the
    store's own numbers. leading: how many messages the head has. start, end: as in `Snapshot`. notes: the
    summary, by its number.
    """

    id: int
    parent: int | None
    time: float
    happened: Happened
    head: int | None
    leading: int
    tip: int | None
    start: int
    end: int
    notes: int | None

    def entry(self) -> Checkpoint:
        """As an entry of the history."""
        live = self.end - self.start
        return Checkpoint(self.id, self.time, self.happened, self.leading + live, self.start - self.leading)
