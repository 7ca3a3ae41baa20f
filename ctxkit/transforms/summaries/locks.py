"""One at a time for each key: of several tasks that want the same summary, one pays for it and the others find it made.

Locks belong to the event loop they were first used in, so each loop has its own; two loops may pay twice, never wait for each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary


class KeyedLocks:
    """`async with locks.hold(key)`: waits until no other task of this loop holds the key."""

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, tuple[asyncio.Lock, int]]] = WeakKeyDictionary()

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncGenerator[None, None]:
        """Hold a key; it is let go however the work ends."""
        locks = self._loops.setdefault(asyncio.get_running_loop(), {})
        lock, users = locks.get(key, (asyncio.Lock(), 0))
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
