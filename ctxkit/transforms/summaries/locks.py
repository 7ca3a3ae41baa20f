"""So many at a time for each key. One: of several tasks that want the same summary, one pays for it and the
others find it made.

Locks belong to the event loop they were first used in, so each loop has its own; two loops may pay twice,
never wait for each other.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    import asyncio

    Held: TypeAlias = dict[str, tuple[asyncio.Semaphore, int]]


class KeyedLocks:
    """`async with locks.hold(key)`: waits until fewer than `at_once` tasks of this loop hold the key.

    at_once: default 1, so that no other task holds it.
    """

    def __init__(self, at_once: int = 1) -> None:
        self._at_once = at_once
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Held] = WeakKeyDictionary()

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncGenerator[None, None]:
        """Hold a key; it is let go however the work ends."""
        import asyncio  # late, for the price of `import ctxkit`

        locks = self._loops.setdefault(asyncio.get_running_loop(), {})
        lock, users = locks.get(key) or (asyncio.Semaphore(self._at_once), 0)
        locks[key] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = locks[key]
            if users == 1:
                del locks[key]
            else:
                locks[key] = lock, users - 1
