"""What a page and its kernel say to each other: every message, its size, and waits for the kernel's answers.

A message has two sizes: `frame_bytes` is all that crossed the socket, `payload_bytes` its content and buffers
without the envelope (header, parent header, metadata, offsets).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1
from playwright.sync_api import Error, Page, WebSocket

WAIT_SECONDS = 90


@dataclass(frozen=True)
class KernelMessage:
    """One message; `parent` is the id of the message that it answers, "" for none."""

    from_page: bool
    channel: str
    type: str
    id: str
    parent: str
    frame_bytes: int
    payload_bytes: int
    raw_content: bytes

    @classmethod
    def from_frame(cls, frame: bytes, from_page: bool) -> KernelMessage:
        channel, parts = deserialize_msg_from_ws_v1(frame)
        header, parent, _metadata, content, *buffers = parts
        about = json.loads(header)
        return cls(
            from_page=from_page,
            channel=channel,
            type=about["msg_type"],
            id=about["msg_id"],
            parent=json.loads(parent).get("msg_id", ""),
            frame_bytes=len(frame),
            payload_bytes=len(content) + sum(map(len, buffers)),
            raw_content=bytes(content),
        )

    @property
    def content(self) -> dict[str, Any]:
        return json.loads(self.raw_content)

    @property
    def is_request(self) -> bool:
        """Whether the kernel answers it with busy, then idle."""
        return self.from_page and self.channel in {"shell", "control"}

    @property
    def is_idle(self) -> bool:
        return self.type == "status" and self.content["execution_state"] == "idle"


class KernelTraffic:
    """Records the kernel messages of one page from the moment it is made, over reloads and restarts too."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._socket: WebSocket | None = None
        self._opened_at = 0
        self.messages: list[KernelMessage] = []
        page.on("websocket", self._watch)

    def mark(self) -> int:
        """A place in the record; `since(mark)` gives what came after it."""
        return len(self.messages)

    def since(self, mark: int) -> list[KernelMessage]:
        return self.messages[mark:]

    def wait_until_ready(self) -> None:
        """Wait until the newest connection has said what kernel it is and has no question open."""

        def ready() -> bool:
            return self._introduced() and not self._open_requests(self._opened_at)

        self._wait(ready, "the kernel to be ready")

    def wait_until_idle(self, mark: int) -> None:
        """Wait until the kernel is done with every request that the page sent since `mark`."""
        self._wait(lambda: not self._open_requests(mark), "the kernel to be idle")

    def wait_for_replies(self, mark: int, reply: str, count: int) -> list[KernelMessage]:
        """Wait for `count` messages of type `reply` since `mark`, then for the kernel; gives the replies."""

        def replies() -> list[KernelMessage]:
            return [message for message in self.since(mark) if message.type == reply]

        self._wait(lambda: len(replies()) >= count, f"{count} x {reply}")
        self.wait_until_idle(mark)
        return replies()

    def _watch(self, socket: WebSocket) -> None:
        if "/channels" not in socket.url:
            return
        self._socket = socket
        self._opened_at = self.mark()
        socket.on("framesent", lambda frame: self._record(frame, from_page=True))
        socket.on("framereceived", lambda frame: self._record(frame, from_page=False))

    def _record(self, frame: bytes | str, from_page: bool) -> None:
        assert isinstance(frame, bytes), "JupyterLab no longer speaks the v1 kernel protocol"
        self.messages.append(KernelMessage.from_frame(frame, from_page))

    def _introduced(self) -> bool:
        return any(message.type == "kernel_info_reply" for message in self.since(self._opened_at))

    def _open_requests(self, mark: int) -> set[str]:
        recent = self.since(mark)
        asked = {message.id for message in recent if message.is_request}
        return asked - {message.parent for message in recent if message.is_idle}

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        deadline = monotonic() + WAIT_SECONDS
        while not done():
            left = 1000 * (deadline - monotonic())
            if left <= 0:
                raise TimeoutError(f"waited {WAIT_SECONDS} s for {what}; last messages: {self._last()}")
            try:
                if self._socket is None or self._socket.is_closed():
                    self._page.wait_for_event("websocket", timeout=left)
                else:
                    self._socket.wait_for_event("framereceived", timeout=left)
            except Error as error:
                # When the socket closed while we listened, the next round waits for its successor.
                if not (self._socket and self._socket.is_closed()):
                    raise TimeoutError(f"waited for {what}; last messages: {self._last()}") from error

    def _last(self) -> str:
        return ", ".join(message.type for message in self.messages[-8:]) or "none"
