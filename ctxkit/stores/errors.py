"""What can go wrong with a store, each under its own name, with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxkit.messages import Message


class StoreError(Exception):
    """Anything that a store of threads has to report; what was stored before is untouched.

    unsaved: messages that were to be stored and were not.
    """

    unsaved: Sequence[Message] = ()


class NotAStore(StoreError, ValueError):
    """The file is something else; it was not changed."""


class StoreTooNew(StoreError, ValueError):
    """The file was made by a newer ctxkit; it was not changed."""


class StoreDamaged(StoreError, ValueError):
    """The file holds something that no store writes."""


class StoreUnavailable(StoreError, OSError):
    """The file cannot be read or written now: no such folder, no permission, no room, or in use too long."""


class UnknownCheckpoint(StoreError, LookupError):
    """The thread has no such checkpoint."""


class ThreadExists(StoreError, ValueError):
    """The thread has a past already, and would lose it."""


class ThreadConflict(StoreError, RuntimeError):
    """Somebody else wrote to the thread since it was last looked at, and won.

    thread_id: the thread. Everything that was stored before is there.

    >>> print(ThreadConflict("harbour"))
    Thread 'harbour' went on elsewhere since it was last looked at, so nothing of this was stored.
    Look at its state and send again.
    """

    def __init__(self, thread_id: str) -> None:
        self.thread_id = thread_id
        super().__init__(
            f"Thread {thread_id!r} went on elsewhere since it was last looked at, "
            "so nothing of this was stored.\nLook at its state and send again."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.thread_id,))
