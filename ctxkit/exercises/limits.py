"""Ends code that never comes to an end: a learner's loop must not hang the kernel.

Contract: `limited` runs a task in a thread of its own while the caller waits, so a Stop by the learner
(KeyboardInterrupt) reaches the caller at once. The limit is processor time, which sees what a count of lines
can't: a loop on one line, a loop in C that calls Python. A busy machine, `input()` and a debugger don't use
it up; code that only waits (`time.sleep`) is ended by a Stop alone.

A task that reaches the limit is `Endless`, whatever it returns or raises afterwards. Its thread gets
SystemExit again and again, as a bare `except:` may swallow the first, until the thread ends. Only that thread
gets it, so none can be left over for the caller (python/cpython#139622). Code that catches every one of them
is left behind after `PATIENCE`: it keeps a processor busy, and the caller goes on.

What can't be ended: C code that never gives Python a turn, such as `sum(itertools.repeat(1))`. There the
kernel must be restarted, as for the same code in a cell.
"""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds that the caller waits for an endless task to be gone."""

POLL = 0.05  # seconds between two looks at the clock, and between two stops: a stop must have time to work


class Endless(Exception):
    """The task reached the limit."""


def limited(task: Callable[[], T], *, seconds: float) -> T:
    """Run `task`, give back what it returns or raise what it raises.

    seconds: processor time that it may take. Raises Endless when it takes more.

    >>> limited(lambda: 3 + 4, seconds=1)
    7
    """
    run = _Run(task)
    outer = _current.get()
    try:
        if outer:
            outer.inner = run
        run.thread.start()
        end = time.process_time() + seconds
        while not run.wait(POLL) and not run.endless:
            if time.process_time() > end:
                run.give_up()
    finally:
        if not run.closed:  # endless, or the caller is being stopped itself
            run.stop()
    if run.endless:
        run.wait(PATIENCE)
    if outer:
        outer.inner = None
    if run.endless:
        raise Endless
    return run.result()


class _Run(Generic[T]):
    """One task in its thread."""

    def __init__(self, task: Callable[[], T]) -> None:
        self.endless = False
        self.inner: _Run[Any] | None = None  # what the task itself runs within limits and waits for
        # No Event: a Stop that comes while the caller enters one leaves its lock held, and the thread would
        # never come to its end. A SimpleQueue waits in C.
        self._ended: SimpleQueue[None] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="ctxkit-check", daemon=True)
        self._context, self._task = contextvars.copy_context(), task
        self._outcome: list[T] = []
        self._error: BaseException | None = None
        self._gate = threading.Lock()  # held to stop the thread, and by the thread to close
        self.closed = self._stopping = False

    def wait(self, seconds: float) -> bool:
        """Wait up to so long for the thread to close, and say whether it did."""
        if not self.closed:
            with contextlib.suppress(Empty):
                self._ended.get(timeout=seconds)
        return self.closed

    def give_up(self) -> None:
        """Call the task endless, unless it has just ended."""
        with self._gate:
            self.endless = not self.closed

    def stop(self) -> None:
        """Go on stopping the thread until it ends, without waiting for that."""
        threading.Thread(target=self._stop_until_it_ends, name="ctxkit-stop", daemon=True).start()

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._outcome[0]

    def _work(self) -> None:
        # A stop may arrive anywhere until it is closed. Stops are `POLL` apart and none is sent after
        # `closed`, so each layer has one to catch.
        with contextlib.suppress(SystemExit):
            with contextlib.suppress(SystemExit):
                self._try()
            self._close()
        self._close()

    def _try(self) -> None:
        if sys.version_info < (3, 11):
            sys.settrace(_StopAtLoopHead(lambda: self._stopping))
        try:
            self._context.run(_current.set, self)
            self._outcome.append(self._context.run(self._task))
        except BaseException as error:  # the caller raises it
            self._error = error
        finally:
            if sys.version_info < (3, 11):
                sys.settrace(None)

    def _close(self) -> None:
        with self._gate:
            self.closed = True
        self._ended.put(None)

    def _stop_until_it_ends(self) -> None:
        while self.thread.is_alive() and not self.closed:
            self._stop_once()
            time.sleep(POLL)

    def _stop_once(self) -> None:
        inner = self.inner
        if inner and inner.thread.is_alive():  # from the inside out, as this one waits for it
            inner._stop_once()
            return
        if sys.version_info < (3, 11) and not self._stopping:
            self._stopping = True  # the trace function's turn: an error from outside would end the tracing
            return
        with self._gate:
            if not self.closed:
                _raise_in(self.thread.ident or 0, SystemExit)


_current: contextvars.ContextVar[_Run[Any] | None] = contextvars.ContextVar("ctxkit_run", default=None)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have `error` raised in a thread at its next step."""
    # NULL, which takes an error back, is never sent, and from CPython 3.11 on no trace function is set: in
    # 3.11 a traced thread spins while an error is on its way to any thread, and after a NULL for ever.
    import ctypes  # late: it is dear to import, and few loops are endless

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _StopAtLoopHead:
    """A trace function for CPython 3.10, where a loop that begins with `try:` gives no other thread a turn.

    While it traces, it gives them one at each line. CPython traces no more once it has raised, so it raises
    at the head of a loop only: there the loop's own `try` is not yet entered and can't swallow the error.
    """

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping
        self._before: tuple[FrameType, int] | None = None

    def __call__(self, frame: FrameType, event: str, argument: Any) -> _StopAtLoopHead:
        if event == "line" and self._stopping():
            before, self._before = self._before, (frame, frame.f_lineno)
            if before and before[0] is frame and frame.f_lineno <= before[1]:
                raise SystemExit
        return self
