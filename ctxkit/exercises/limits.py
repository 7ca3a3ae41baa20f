"""Ends code that never comes to an end: a learner's loop must not hang the kernel.

Contract: `limited` runs a task in a thread of its own while the caller waits, so a Stop by the learner
(KeyboardInterrupt) reaches the caller at once. Two limits hold. Lines of Python are counted by a trace
function; processor time is for what a trace function can't see: a loop on one line, a loop in C that calls
Python, and a bare `except:` that swallows the first stop, after which CPython traces no more. Time is that of
the processor, so a busy machine, `input()` and a debugger don't use it up, and waiting code (`time.sleep`)
is ended by a Stop only.

A task that reaches a limit is `Endless`, whatever it returns or raises afterwards. Its thread gets SystemExit
again and again until it ends; the thread alone gets it, so none is left over for the caller. One that catches
even that is left behind after `PATIENCE`, and the caller goes on.

What can't be ended: C code that never gives Python a turn, such as `sum(itertools.repeat(1))`. There the
kernel must be restarted, as for the same code in a cell.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds that the caller waits for an endless task to be gone."""

POLL = 0.05  # seconds between two looks at the clock, and between two stops: a stop must have time to work


class Endless(Exception):
    """The task reached a limit."""


def limited(task: Callable[[], T], *, seconds: float, lines: int | None = None) -> T:
    """Run `task`, give back what it returns or raise what it raises.

    seconds: processor time it may take. lines: lines of Python it may run, None for any number.
    Raises Endless when it goes beyond either.

    >>> limited(lambda: 3 + 4, seconds=1)
    7
    """
    run = _Run(contextvars.copy_context(), task, lines)
    try:
        run.begin()
        end = time.process_time() + seconds
        while not run.ended.wait(POLL) and not run.endless:
            if time.process_time() > end:
                run.give_up()
    finally:
        if not run.ended.is_set():  # endless, or the caller is being stopped itself
            run.stop()
    if run.endless:
        run.ended.wait(PATIENCE)
        raise Endless
    return run.result()


class _Run(Generic[T]):
    """One task in its thread."""

    def __init__(self, context: contextvars.Context, task: Callable[[], T], lines: int | None) -> None:
        self.endless = False
        self.ended = threading.Event()
        self._context, self._task, self._lines_left = context, task, lines
        self._outcome: list[T] = []
        self._error: BaseException | None = None
        self._gate = threading.Lock()  # held to stop the thread, and by the thread to end
        self._closed = False
        self._unwanted = False
        self._thread = threading.Thread(target=self._work, name="ctxkit-check", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def give_up(self) -> None:
        """Call the task endless, unless it has just ended."""
        with self._gate:
            self.endless = not self._closed

    def stop(self) -> None:
        """Go on stopping the thread until it ends, without waiting for that."""
        self._unwanted = True
        threading.Thread(target=self._stop_again_and_again, name="ctxkit-stop", daemon=True).start()

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def _work(self) -> None:
        # A stop may arrive anywhere up to the end of `_close`. Stops are `POLL` apart, so each layer
        # has one to catch.
        with contextlib.suppress(SystemExit):
            with contextlib.suppress(SystemExit):
                self._try()
            self._close()
        self._close()

    def _try(self) -> None:
        if self._lines_left is not None:
            sys.settrace(self._trace)
        try:
            self._outcome.append(self._context.run(self._task))
        except BaseException as error:  # the caller raises it
            self._error = error
        finally:
            sys.settrace(None)

    def _close(self) -> None:
        with self._gate:
            self._closed = True
        _raise_in(threading.get_ident(), None)  # takes back a stop that was not raised yet
        self.ended.set()

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line" and self._lines_left is not None:
            self._lines_left -= 1
            self.endless = self.endless or self._lines_left < 0
        if self.endless or self._unwanted:
            raise SystemExit
        return self._trace

    def _stop_again_and_again(self) -> None:
        while self._thread.is_alive():
            with self._gate:
                if self._closed:
                    return
                _raise_in(self._thread.ident, SystemExit)
            self.ended.wait(POLL)


def _raise_in(thread: int | None, error: type[BaseException] | None) -> None:
    """Have `error` raised in a thread at its next step; None takes back one that is still to come."""
    wanted = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread or 0), wanted)
