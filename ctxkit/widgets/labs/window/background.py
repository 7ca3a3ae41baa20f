"""`Background`: long work done while the page answers, of which only the newest counts.

Contract: the work runs in the kit's own event loop and gives control back between its steps. Newer work ends
older work there, between two steps and never in the middle of one, so that what a step has paid for is kept
or was never begun. What comes of work is handed over only while it is still the newest, under `lock`: whoever
draws holds that lock, and never waits for the loop while holding it.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, TypeVar

from ctxkit._sync import background_loop, running_loop

T = TypeVar("T")
Progress = Callable[[int, int], Awaitable[None]]
"""`await progress(done, total)`: says how far the work is, and ends it here when newer work has come."""

TELLS_EVERY = 0.15
"""Seconds between two words on how far the work is."""


class Superseded(Exception):
    """Newer work has come; what this one would give is not wanted any more."""


class Background:
    """Runs work of which only the newest counts.

    tell: called with the steps done and the steps in all, now and then.

    >>> background = Background(lambda done, total: None)
    >>> async def slow(progress):
    ...     await progress(1, 1)
    ...     return "done"
    >>> results = []
    >>> background.start(background.begin(), slow, results.append, results.append)
    >>> background.wait(10), results
    (True, ['done'])
    """

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self.lock = threading.RLock()
        self._tell = tell
        self._newest = 0
        self._idle = threading.Event()
        self._idle.set()
        self._tasks: set[Any] = set()  # the loop itself keeps no task alive

    @property
    def busy(self) -> bool:
        return not self._idle.is_set()

    def begin(self) -> int:
        """A number for new work; older work ends. `finish` or `start` must follow."""
        with self.lock:
            self._newest += 1
            self._idle.clear()
            return self._newest

    def is_newest(self, number: int) -> bool:
        return number == self._newest

    def finish(self, number: int) -> None:
        """Say that this work is done."""
        with self.lock:
            if self.is_newest(number):
                self._idle.set()

    def start(
        self,
        number: int,
        work: Callable[[Progress], Awaitable[T]],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Do work in the loop. done, failed: get what came of it, unless newer work has come."""
        context = contextvars.copy_context()  # what is drawn later belongs to the cell that asked for it
        loop = background_loop()

        def begin() -> None:
            task = loop.create_task(self._run(number, work, done, failed))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        loop.call_soon_threadsafe(begin, context=context)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is worked at, for scripts; False when it still is after so many seconds."""
        if running_loop() is background_loop():
            raise RuntimeError("wait() was called inside the kit's own event loop and would wait for itself")
        return self._idle.wait(timeout)

    async def _run(
        self,
        number: int,
        work: Callable[[Progress], Awaitable[T]],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        told = monotonic()

        async def progress(steps: int, total: int) -> None:
            import asyncio

            nonlocal told
            if not self.is_newest(number):
                raise Superseded
            if monotonic() - told >= TELLS_EVERY:
                told = monotonic()
                with self.lock:
                    if self.is_newest(number):
                        self._tell(steps, total)
            await asyncio.sleep(0)

        try:
            result = await work(progress)
        except Superseded:
            return
        except Exception as error:
            reason = error
            self._hand_over(number, lambda: failed(reason))
        else:
            self._hand_over(number, lambda: done(result))

    def _hand_over(self, number: int, draw: Callable[[], None]) -> None:
        with self.lock:
            if self.is_newest(number):
                try:
                    draw()
                finally:
                    self.finish(number)
