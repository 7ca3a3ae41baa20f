"""`run`: call the kit's async functions from synchronous code, in a script or inside a running notebook loop.

Contract: one background thread with one event loop serves the whole process and starts on first use; asyncio
itself is not patched. Context variables of the caller are seen by the awaitable. Interrupting the caller
(Ctrl-C, the kernel's stop button) cancels the work. A wait that could never end is refused: inside the
background loop itself, use `await`. Nothing that a task raises ends the loop, also not SystemExit.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(awaitable: Awaitable[T]) -> T:
    """Wait for an awaitable and return its result, whatever loop the caller runs in.

    Raises what the awaitable raises, RuntimeError when called from within the kit's own loop (use `await`
    there), and TypeError for something that cannot be awaited.

    >>> from ctxkit import KeepRecentMessages, Message
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> [message.content for message in run(KeepRecentMessages(keep=1)(talk))]
    ['Bye']
    """
    import asyncio  # here and below: it is a fifth of the price of importing ctxkit
    from concurrent.futures import Future

    if not isinstance(awaitable, Awaitable):
        raise TypeError(f"run: expected something to await, got {type(awaitable).__name__}")
    loop = background_loop()
    if running_loop() is loop:
        if asyncio.iscoroutine(awaitable):
            awaitable.close()
        raise RuntimeError(
            "run() was called inside the kit's own event loop and would wait for itself; use 'await' here"
        )
    future: Future[T] = Future()
    tasks: list[asyncio.Task[Any]] = []

    async def work() -> None:
        try:
            future.set_result(await awaitable)
        except BaseException as error:  # handed to the caller, who raises it
            future.set_exception(error)

    context = contextvars.copy_context()
    loop.call_soon_threadsafe(lambda: tasks.append(context.run(loop.create_task, work())))
    try:
        return future.result()
    except BaseException:
        if not future.done():
            loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        raise


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop that the caller runs in; None outside of all."""
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def background_loop() -> asyncio.AbstractEventLoop:
    """The kit's own event loop, for work that goes on behind the caller's back; it starts on first use."""
    import asyncio

    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_serve, args=(_loop,), name="ctxkit-loop", daemon=True).start()
        return _loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop for as long as the process lives.

    A task that raises SystemExit or KeyboardInterrupt makes asyncio leave its loop. Whoever waits for that
    task gets the exception; all others would wait for ever.
    """
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


def _forget_loop() -> None:
    """In a forked child the thread is gone: start anew there."""
    global _loop, _lock
    _loop, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_loop)
