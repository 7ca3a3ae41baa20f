"""One model in memory, asked off the event loop.

Contract: requests are answered one after the other by a thread of their own, piece by piece; the event loop
goes on. A request that is cancelled is given up after the tokens being read, about a third of a second, and
the next one finds a sound model. The model is loaded by the first request, and only where its trial in a
child process went well.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ctxkit.models.embedded.files import EmbeddedUnavailable
from ctxkit.models.embedded.llama import STEADY, open_llama
from ctxkit.models.embedded.trial import embedded_available
from ctxkit.models.errors import RequestRefused, ServerFailed, WindowExceeded

if TYPE_CHECKING:
    import asyncio

Progress = Callable[[int, int], Awaitable[None]]
Take = Callable[[dict[str, Any]], object]

_DONE = object()
_workers: WeakValueDictionary[tuple[Path, int], Worker] = WeakValueDictionary()
_lock = threading.Lock()


def shared_worker(file: Path, num_ctx: int) -> Worker:
    """The worker of this file and window; all who ask share the one in memory."""
    with _lock:
        worker = _workers.get((file, num_ctx))
        if worker is None:
            _workers[file, num_ctx] = worker = Worker(file, num_ctx)
        return worker


class Worker:
    """Answers requests with one model, which stays in memory for as long as somebody holds the worker.

    file: of the model. num_ctx: tokens of its window.
    """

    def __init__(self, file: Path, num_ctx: int) -> None:
        from concurrent.futures import ThreadPoolExecutor  # late, like asyncio below: both are dear to import

        self.file, self.num_ctx = file, num_ctx
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ctxkit-embedded")
        self._llama: Any = None  # only the thread touches it

    async def ask(
        self, kind: str, body: dict[str, Any], take: Take, progress: Progress | None = None
    ) -> None:
        """Make a request and hand each piece of the reply to `take`.

        kind: "completions" or "chat_completions", as llama.cpp calls them. progress: awaited with tokens read
        and tokens in all. Raises WindowExceeded, EmbeddedUnavailable, RequestRefused, ServerFailed, and what
        `take` and `progress` raise.
        """
        import asyncio

        loop, pieces, stop = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()
        request = {**body, **STEADY, "stream": True, "return_progress": True}
        job = self._thread.submit(self._work, kind, request, stop, _sender(loop, pieces, stop))
        try:
            while (piece := await pieces.get()) is not _DONE:
                if isinstance(piece, BaseException):
                    raise piece
                if "error" in piece:
                    raise self._named(piece["error"])
                read = piece.get("prompt_progress")
                if read is None:
                    take(piece)
                elif read["total"] >= self.num_ctx:  # llama.cpp's own window may be a little larger
                    raise self._too_long(read["total"], self.num_ctx)
                elif progress is not None:
                    await progress(read["processed"], read["total"])
        finally:
            stop.set()
            job.cancel()

    def _work(
        self, kind: str, request: dict[str, Any], stop: threading.Event, send: Callable[[Any], None]
    ) -> None:
        def pass_on(piece: dict[str, Any]) -> bool:
            send(piece)
            return stop.is_set()  # True ends the request

        try:
            if not stop.is_set():
                getattr(self._opened(), f"handle_{kind}")(request, pass_on)
        except BaseException as error:  # raised where it was asked for
            send(error)
        else:
            send(_DONE)

    def _opened(self) -> Any:
        if self._llama is None:
            available = embedded_available(self.file)
            if not available:
                raise EmbeddedUnavailable(available.reason)
            try:
                self._llama = open_llama(self.file, self.num_ctx)
            except RuntimeError as error:
                raise EmbeddedUnavailable(
                    f"{self.file.name} cannot be loaded with a window of {self.num_ctx:,} tokens ({error}). "
                    "It may be too large for this machine's memory: take a smaller num_ctx."
                ) from None
        return self._llama

    def _named(self, error: dict[str, Any]) -> Exception:
        tokens, text = error.get("n_prompt_tokens"), str(error.get("message"))[:300]
        if isinstance(tokens, int):
            return self._too_long(tokens, min(self.num_ctx, error.get("n_ctx") or self.num_ctx))
        if error.get("code") == 400:
            return RequestRefused(f"The embedded model cannot take this request: {text}")
        return ServerFailed(f"The embedded model failed: {text}", status=error.get("code"))

    def _too_long(self, tokens: int, limit: int) -> WindowExceeded:
        return WindowExceeded(
            f"The prompt has {tokens:,} tokens, and the embedded model's context window holds {limit:,}, the "
            "next token included. Send fewer messages, or open it with a larger num_ctx (SmolLM2 has 8,192).",
            tokens=tokens,
            limit=limit,
        )


def _sender(
    loop: asyncio.AbstractEventLoop, pieces: asyncio.Queue[Any], stop: threading.Event
) -> Callable[[Any], None]:
    def send(piece: Any) -> None:
        try:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)
        except RuntimeError:  # the loop was closed: nobody waits any more
            stop.set()

    return send
