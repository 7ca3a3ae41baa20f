"""The rules of every store: what a commit does, who wins when two write, and what a history holds.

Contract: a commit happens whole or not at all. It names the thread as its writer saw it; messages are added
only if the conversation still ends where they were written for, and messages are removed only if nobody else
removed any: otherwise `ThreadConflict`, and nothing changes. A summary and the removal it stands for are one
commit. Nothing that was committed is ever changed, so any checkpoint can be read, and be the beginning of a
branch. Messages are stored once: a commit costs what it adds, whatever the thread's length.

A store supplies a few operations on lists or tables; what they mean is decided here, once.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from ctxkit.history import head_length
from ctxkit.messages import Message
from ctxkit.stores.errors import ThreadConflict, ThreadExists, UnknownCheckpoint
from ctxkit.stores.rows import storable
from ctxkit.stores.values import Change, Checkpoint, Point, Snapshot


class ThreadStore(ABC):
    """A place where threads are kept: `MemoryStore` or `SqliteStore`."""

    def threads(self) -> list[str]:
        """The ids of all threads, sorted."""
        with self._hold(write=False):
            return sorted(self._names())

    def read(self, thread_id: str, known: Snapshot | None = None) -> Snapshot:
        """The thread as it is now; `known` itself, where it is that already."""
        with self._hold(write=False):
            point = self._current(thread_id)
            if known is not None and known.checkpoint == (point and point.id):
                return known
            return self._snapshot(point)

    def read_at(self, thread_id: str, checkpoint: int) -> Snapshot:
        """The thread as it was at a checkpoint of its history. Raises UnknownCheckpoint."""
        with self._hold(write=False):
            return self._snapshot(self._found(thread_id, checkpoint))

    def history(self, thread_id: str) -> list[Checkpoint]:
        """The checkpoints of a thread, oldest first; of a branch also those from before it began."""
        with self._hold(write=False):
            point = self._current(thread_id)
            return [] if point is None else [past.entry() for past in self._past(point.id)]

    def transcript(self, thread_id: str) -> list[Message]:
        """Every message of the conversation word for word, also those that a summary stands for."""
        with self._hold(write=False):
            point = self._current(thread_id)
            return [] if point is None else self._chain(point.tip, 0, point.end)

    def branch(self, thread_id: str, checkpoint: int, name: str) -> None:
        """Let a new thread begin at a checkpoint of another, which stays as it is.

        Raises UnknownCheckpoint, and ThreadExists for a name that is in use.
        """
        with self._hold(write=True):
            point = self._found(thread_id, checkpoint)
            if self._current(name) is not None:
                raise ThreadExists(f"thread {name!r} exists already; choose another name for the branch")
            self._refer(name, point.id)

    def commit(self, thread_id: str, seen: Snapshot, change: Change) -> Snapshot:
        """Make a change; gives the thread as it is then.

        Raises ThreadConflict when somebody else changed what this change builds on.
        """
        added = storable(change.added)
        with self._hold(write=True):
            now = self._current(thread_id)
            start, end = (now.start, now.end) if now else (0, 0)
            if (added and end != seen.end) or (change.removed and start != seen.start):
                raise ThreadConflict(thread_id)
            leading = now.leading if now else head_length(list(added))
            start = max(start, leading) + change.removed
            if not leading <= start <= end + len(added):
                raise ValueError(f"removed: {change.removed} messages, and there are fewer")
            head, tip = (now.head, now.tip) if now else (None, None)
            for position, message in enumerate(added, end):
                tip = self._append(tip, position, message)
                if position == leading - 1:
                    head = tip
            notes = now.notes if now else None
            if change.summary is not None:
                notes = self._note(change.summary) if change.summary else None
            point = Point(
                id=0,
                parent=now.id if now else None,
                time=time.time(),
                happened=change.happened,
                head=head,
                leading=leading,
                tip=tip,
                start=start,
                end=end + len(added),
                notes=notes,
            )
            checkpoint = self._write(point)
            self._refer(thread_id, checkpoint)
            if seen.checkpoint != (now.id if now else None):  # merged with what somebody else did
                return self._snapshot(self._current(thread_id))
            front = seen.head if now else added[:leading]
            live = seen.live + added if now else added[leading:]
            summary = seen.summary if change.summary is None else change.summary
            return Snapshot(checkpoint, front, live[change.removed :], summary, start, point.end)

    @abstractmethod
    def _hold(self, write: bool) -> AbstractContextManager[None]:
        """One transaction: what happens inside is seen by others whole or not at all."""

    @abstractmethod
    def _names(self) -> Sequence[str]:
        """The ids of all threads."""

    @abstractmethod
    def _current(self, thread_id: str) -> Point | None:
        """The newest checkpoint of a thread."""

    @abstractmethod
    def _past(self, checkpoint: int) -> list[Point]:
        """A checkpoint and all before it, oldest first."""

    @abstractmethod
    def _chain(self, tip: int | None, start: int, end: int) -> list[Message]:
        """The messages from position `start` up to `tip`, which stands at `end` - 1."""

    @abstractmethod
    def _text(self, notes: int) -> str:
        """A summary."""

    @abstractmethod
    def _append(self, parent: int | None, position: int, message: Message) -> int:
        """Store a message that comes after `parent`; gives its number."""

    @abstractmethod
    def _note(self, summary: str) -> int:
        """Store a summary; gives its number."""

    @abstractmethod
    def _write(self, point: Point) -> int:
        """Store a checkpoint, whose id is not known yet; gives its id."""

    @abstractmethod
    def _refer(self, thread_id: str, checkpoint: int) -> None:
        """Let a thread point to a checkpoint."""

    def _found(self, thread_id: str, checkpoint: int) -> Point:
        current = self._current(thread_id)
        for point in self._past(current.id) if current else ():
            if point.id == checkpoint:
                return point
        raise UnknownCheckpoint(
            f"thread {thread_id!r} has no checkpoint {checkpoint!r}; its history lists those it has"
        )

    def _snapshot(self, point: Point | None) -> Snapshot:
        if point is None:
            return Snapshot()
        head = self._chain(point.head, 0, point.leading)
        live = self._chain(point.tip, point.start, point.end)
        summary = "" if point.notes is None else self._text(point.notes)
        return Snapshot(point.id, tuple(head), tuple(live), summary, point.start, point.end)
