"""`Metered`: a model that counts what it is sent and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.messages import Message
from ctxkit.models.base import ChatModel, Reply
from ctxkit.tokens import TokenCounter


class Metered:
    """Passes everything on to a model and counts its tokens.

    prompt_tokens, completion_tokens: so far, by the counter. calls: answered or not: what was sent is paid.

    >>> from ctxkit import Message, OfflineModel, TokenCounter, run
    >>> model = Metered(OfflineModel(), TokenCounter())
    >>> reply = run(model.chat([Message.user("Hi")]))
    >>> model.calls, model.prompt_tokens
    (1, 8)
    """

    def __init__(self, model: ChatModel, counter: TokenCounter) -> None:
        self._model, self._counter = model, counter
        self.name = getattr(model, "name", "")
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        num_ctx = getattr(model, "num_ctx", None)
        if num_ctx is not None:
            self.num_ctx = num_ctx

    async def chat(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> Reply:
        self.calls += 1
        self.prompt_tokens += self._counter.count_all(messages, tools)
        reply = await self._model.chat(messages, tools)
        self.completion_tokens += self._counter.count(reply.message)
        return reply
