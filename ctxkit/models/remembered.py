"""`Remembered`: a model that is asked each question once.

Contract: only for a model that answers the same request always in the same way, as the offline one does.
What is remembered changes no reply, only how soon it comes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

from ctxkit.messages import Message
from ctxkit.models.base import ChatModel, Reply

KEPT_REPLIES = 4_000
KEPT_MESSAGES = 1_000_000
"""Replies that are remembered, and messages in all their requests; the oldest goes first."""


class Remembered:
    """Passes requests on to a model, and answers one that it has seen from memory.

    asked: requests that the model itself was sent.

    >>> from ctxkit import Message, OfflineModel, run
    >>> model = Remembered(OfflineModel())
    >>> replies = [run(model.chat([Message.user("Hi")])) for _ in range(3)]
    >>> len({reply.message.content for reply in replies}), model.asked
    (1, 1)
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = getattr(model, "name", "")
        self.asked = 0
        self._replies: OrderedDict[Hashable, Reply] = OrderedDict()
        self._messages = 0

    async def chat(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> Reply:
        """Answer as the model would, or did. A request with tools is always passed on."""
        if tools:
            return await self._model.chat(messages, tools)
        request = tuple((message.digest, message.kind) for message in messages)
        reply = self._replies.get(request)
        if reply is None:
            self.asked += 1
            reply = await self._model.chat(messages)
            if request not in self._replies:  # else a task that asked the same meanwhile has counted it
                self._messages += len(request)
            self._replies[request] = reply
            self._forget()
        else:
            self._replies.move_to_end(request)
        return reply

    def _forget(self) -> None:
        while len(self._replies) > 1 and (
            len(self._replies) > KEPT_REPLIES or self._messages > KEPT_MESSAGES
        ):
            request: Any = self._replies.popitem(last=False)[0]
            self._messages -= len(request)
