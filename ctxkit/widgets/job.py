"""`Job`: a button that starts long work, a bar that says how far it is, and a button that stops it.

Contract: the work runs in the kit's own event loop, so that cells and sliders answer meanwhile. It is
stopped where it awaits, at the latest at its next word on progress, and it can be started again. One run at
a time. An error is told in the status line. Running the cell again stops what runs and closes its buttons.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from ctxkit import _arguments
from ctxkit._arguments import whole_number
from ctxkit._sync import background_loop
from ctxkit.widgets.escape import short
from ctxkit.widgets.lifetime import parts
from ctxkit.widgets.palette import number
from ctxkit.widgets.shown import Shown
from ctxkit.widgets.status import Kind, StatusLine

if TYPE_CHECKING:
    import asyncio

Progress = Callable[[int, int], Awaitable[None]]
"""`await progress(done, total)`: says how far the work is, and lets it be stopped here."""
Work = Callable[[Progress], Awaitable[str]]
End = Literal["done", "stopped", "failed"]

TELLS_EVERY = 0.1
"""Seconds between two pictures of the bar: a page need not hear of each step."""


class Job(Shown):
    """Long work on a button, with progress and a stop.

    label: what the button says. work: an async function that takes `progress`, awaits
    `progress(done, total)` now and then, and gives back one sentence that says what came of it. Raises
    TypeError for other values.

    >>> async def count(progress):
    ...     for done in range(3):
    ...         await progress(done + 1, 3)
    ...     return "Counted to 3."
    >>> job = Job("Count", count)
    >>> job
    Ready. “Count” starts it; it can be stopped at any moment.
    >>> job.start()
    >>> job.wait(10), job
    ('done', Done. Counted to 3.)
    """

    def __init__(self, label: str, work: Work) -> None:
        self._label = short(_arguments.text("label", label), 60)
        if not callable(work):
            raise TypeError(f"work: expected an async function, got {type(work).__name__}")
        self._work = work
        self._lock = threading.Lock()
        self._running = False
        self._ended = threading.Event()
        self._end: End | None = None
        self._task: asyncio.Future[str] | None = None
        self._far, self._told, self._will_tell = (0, 0), 0.0, False
        super().__init__()
        from ipywidgets import Button, HBox, IntProgress, Label, Layout, VBox

        with parts():
            self._status = StatusLine()
        room = Layout(width="auto")
        self.button = Button(description=self._label, icon="play", layout=room)
        self.stop_button = Button(description="Stop", icon="stop", disabled=True, layout=Layout(width="auto"))
        self.bar = IntProgress(value=0, min=0, max=1, layout=Layout(width="160px"))
        self.far = Label("")
        self.button.on_click(lambda _: self.start())
        self.stop_button.on_click(lambda _: self.stop())
        row = HBox([self.button, self.stop_button, self.bar, self.far], layout=Layout(flex_flow="wrap"))
        row.add_class("ctxkit-panel")
        self.widget = VBox([row, self._status.widget], layout=Layout(overflow="hidden"))
        for name in ("ctxkit", "ctxkit-lab"):
            self.widget.add_class(name)
        self._status.say("ok", "Ready.", f"“{self._label}” starts it; it can be stopped at any moment.")

    @property
    def running(self) -> bool:
        return self._running

    @property
    def status(self) -> str:
        """The status sentence."""
        return self._status.as_text()

    def say(self, kind: Kind, verdict: str, facts: str) -> None:
        """Put another sentence into the status line; for what is true once nothing runs.

        kind, verdict, facts: as of `StatusLine.say`.
        """
        self._status.say(kind, verdict, facts)

    def start(self) -> None:
        """Start the work; while it runs, nothing happens."""
        with self._lock:
            if self._running:
                return
            self._running, self._end, self._task = True, None, None
            self._ended.clear()
        self._far = (0, 0)
        self._show_far()
        self._status.say("ok", "Running.", "“Stop” ends it.")
        self.button.disabled, self.stop_button.disabled = True, False
        context = contextvars.copy_context()
        background_loop().call_soon_threadsafe(lambda: self._begin(), context=context)

    def stop(self) -> None:
        """Stop the work where it awaits; while nothing runs, nothing happens."""
        background_loop().call_soon_threadsafe(self._cancel)

    def wait(self, timeout: float | None = None) -> End | None:
        """Wait until the work has ended, for scripts; gives how, or None when it still runs.

        timeout: seconds (default None: without end).
        """
        self._ended.wait(timeout)
        return self._end

    def close(self) -> None:
        self.stop()
        super().close()

    def as_text(self) -> str:
        return self.status

    def _begin(self) -> None:
        import asyncio

        async def work() -> str:
            try:
                return await self._work(self._progress)
            except (SystemExit, KeyboardInterrupt) as error:  # they would end the loop that serves all others
                raise RuntimeError(f"it ended by {type(error).__name__}") from error

        self._task = asyncio.ensure_future(work())
        self._task.add_done_callback(self._finish)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _progress(self, done: int, total: int) -> None:
        import asyncio

        self._far = whole_number("done", done), whole_number("total", total)
        if not self._will_tell:
            self._will_tell = True
            wait = max(0.0, self._told + TELLS_EVERY - monotonic())
            asyncio.get_running_loop().call_later(wait, self._show_far)
        await asyncio.sleep(0)

    def _show_far(self) -> None:
        self._will_tell, self._told = False, monotonic()
        done, total = self._far
        self.bar.max, self.bar.value = max(total, 1), min(done, max(total, 1))
        self.far.value = f"{number(done)} of {number(total)}" if total else ""

    def _finish(self, task: asyncio.Future[Any]) -> None:
        """Say how it ended; runs in the loop, also for a task that was stopped before its first step."""
        self._show_far()
        done, total = self._far
        after = f"After {number(done)} of {number(total)} steps. " if total else ""
        if task.cancelled():
            end: End = "stopped"
            self._status.say("over", "Stopped.", f"{after}“{self._label}” starts it again.")
        elif (error := task.exception()) is not None:
            end = "failed"
            what = short(f"{type(error).__name__}: {_text(error)}", 300).rstrip(".: ")
            self._status.say("error", "Failed.", f"{after}{what}.")
        else:
            end = "done"
            result = task.result()
            self._status.say("ok", "Done.", "" if result is None else short(_text(result), 600))
        self.button.disabled, self.stop_button.disabled = False, True
        with self._lock:
            self._running, self._end = False, end
        self._ended.set()


def _text(value: object) -> str:
    """What a value says of itself; whatever happens there, the buttons must come back."""
    try:
        return str(value)
    except Exception as error:
        return f"(its text fails with {type(error).__name__})"
