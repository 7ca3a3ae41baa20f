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
from playwright.sync_api import TimeoutError as PlaywrightTimeout

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
            recent = self.since(self._opened_at)
            asked = {message.id for message in recent if message.type.endswith("_request")}
            replies = [message for message in recent if message.type.endswith("_reply")]
            introduced = any(message.type == "kernel_info_reply" for message in replies)
            return introduced and asked <= {message.parent for message in replies}

        self._wait(ready, "the kernel to be ready")

    def wait_for_replies(self, mark: int, reply: str, count: int) -> list[KernelMessage]:
        """Wait for `count` messages of type `reply` since `mark`, and give them."""

        def replies() -> list[KernelMessage]:
            return [message for message in self.since(mark) if message.type == reply]

        self._wait(lambda: len(replies()) >= count, f"{count} x {reply}")
        return replies()

    def wait_until_handled(self, mark: int) -> None:
        """Wait until a widget has sent something since `mark`, and the kernel is done with all of it.

        To be used while no cell runs: the kernel serves widgets in a thread of their own, and beside a
        running cell the message that says it is done can get lost.
        """

        def handled() -> bool:
            recent = self.since(mark)
            sent = {message.id for message in recent if message.from_page and message.type == "comm_msg"}
            return bool(sent) and sent <= {message.parent for message in recent if message.is_idle}

        self._wait(handled, "the kernel to answer a widget")

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

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        deadline = monotonic() + WAIT_SECONDS
        while not done():
            left = max(1, 1000 * (deadline - monotonic()))
            socket = self._socket
            try:
                if socket is None:
                    self._page.wait_for_event("websocket", timeout=left)
                else:
                    socket.wait_for_event("framereceived", timeout=left)
            except PlaywrightTimeout:
                last = ", ".join(message.type for message in self.messages[-8:])
                raise TimeoutError(f"waited {WAIT_SECONDS} s for {what}; last messages: {last}") from None
            except Error:
                # The socket closed while we listened, as in a restart: its successor is waited for.
                if self._socket is socket:
                    self._socket = None
