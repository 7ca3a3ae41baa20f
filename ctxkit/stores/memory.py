"""`MemoryStore`: threads in a few lists, for as long as the process lives.

The lists only grow, and nothing of them can be seen until a thread points to it, which is the last step of a
commit; so a commit that breaks off needs no undoing.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ctxkit.messages import Message
from ctxkit.stores.base import ThreadStore
from ctxkit.stores.values import Point


class MemoryStore(ThreadStore):
    """Keeps threads in memory; several can share it, from several Python threads too.

    >>> from ctxkit import OfflineModel, SummaryThread, run
    >>> store = MemoryStore()
    >>> thread = SummaryThread(OfflineModel(), store, "harbour")
    >>> async def say(text):
    ...     return [event.kind async for event in thread.send(text)]
    >>> run(say("Hello, my name is Ada.")), store.threads()
    (['user', 'reply'], ['harbour'])
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[str, int] = {}
        self._points: list[Point] = []
        self._messages: list[tuple[int | None, Message]] = []
        self._summaries: list[str] = []

    def __repr__(self) -> str:
        return f"MemoryStore({len(self._threads)} threads)"

    @contextmanager
    def _hold(self, write: bool) -> Generator[None, None, None]:
        with self._lock:
            yield

    def _names(self) -> Sequence[str]:
        return list(self._threads)

    def _current(self, thread_id: str) -> Point | None:
        checkpoint = self._threads.get(thread_id)
        return None if checkpoint is None else self._points[checkpoint - 1]

    def _past(self, checkpoint: int) -> list[Point]:
        past: list[Point] = []
        following: int | None = checkpoint
        while following is not None:
            past.append(self._points[following - 1])
            following = past[-1].parent
        return past[::-1]

    def _chain(self, tip: int | None, start: int, end: int) -> list[Message]:
        chain: list[Message] = []
        while tip is not None and len(chain) < end - start:
            tip, message = self._messages[tip - 1]
            chain.append(message)
        return chain[::-1]

    def _text(self, notes: int) -> str:
        return self._summaries[notes - 1]

    def _append(self, parent: int | None, position: int, message: Message) -> int:
        self._messages.append((parent, message))
        return len(self._messages)

    def _note(self, summary: str) -> int:
        self._summaries.append(summary)
        return len(self._summaries)

    def _write(self, point: Point) -> int:
        self._points.append(point._replace(id=len(self._points) + 1))
        return len(self._points)

    def _refer(self, thread_id: str, checkpoint: int) -> None:
        self._threads[thread_id] = checkpoint
