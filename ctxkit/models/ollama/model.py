"""`OllamaModel`: a real model, on this machine or another one.

Contract: a request goes out once, with `num_ctx` always in it, and comes back as a whole answer or as one
named error; nothing is retried, nothing is kept between requests, so a failure, a time-out or a stop leaves
all as it was. Each request has its own client, because a client belongs to one event loop and notebooks have
two (`ctxkit.run`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ctxkit._arguments import counter_or_none, whole_number
from ctxkit.messages import Message, load_messages
from ctxkit.messages.plain import plain
from ctxkit.models.base import Reply
from ctxkit.models.errors import ModelError, RequestRefused
from ctxkit.models.ollama.hosts import parse_host
from ctxkit.models.ollama.names import checked_name, keep_alive_value
from ctxkit.models.requests import check_answerable, sendable
from ctxkit.tokens import TokenCounter, shared_counter

if TYPE_CHECKING:
    from ctxkit.models.ollama.failures import Attempt
    from ctxkit.models.ollama.server import Server

SIDE_QUESTION = 2.0
"""Seconds for a question that only makes a note better."""


@dataclass(frozen=True)
class ContextLengths:
    """Context lengths of a model, in tokens; None where the server does not say.

    advertised: what the model was made for. loaded: what the server holds in memory for it now, which is what
    counts; None while it is not loaded (ollama/ollama#17889).
    """

    advertised: int | None
    loaded: int | None


class OllamaModel:
    """A chat model on an Ollama server.

    name: as in `ollama list`; a bare name means its tag `latest`. host: address (default: OLLAMA_HOST, else
    this machine). num_ctx: context window in tokens, sent with each request (default 8,192); it is fixed,
    because every new value makes the server load the model anew, which takes seconds (ollama/ollama#9977): a
    slider moves the budget of a transform instead. timeout: seconds that the server may be silent, loading
    included (default 60). keep_alive: how long the model stays loaded, in seconds or as "5m"; -1 for ever.
    total_timeout: seconds for a whole reply (default: 10 times `timeout`). options: further ones of Ollama,
    such as `{"temperature": 0}`. think: whether to think, for models that can. counter: the kit's count of a
    prompt, to notice cuts. Raises TypeError or ValueError for other values; no connection is made yet.

    >>> model = OllamaModel("qwen3:8b", host="0.0.0.0")
    >>> model
    OllamaModel('qwen3:8b', host='http://127.0.0.1:11434', num_ctx=8192)
    """

    def __init__(
        self,
        name: str = "llama3.2",
        host: str | None = None,
        num_ctx: int = 8192,
        timeout: float = 60,
        keep_alive: float | str | None = None,
        *,
        total_timeout: float | None = None,
        options: Mapping[str, Any] | None = None,
        think: bool | str | None = None,
        counter: TokenCounter | None = None,
    ) -> None:
        self.name = checked_name(name)
        if host is None:
            address = parse_host(os.environ.get("OLLAMA_HOST"), "OLLAMA_HOST")
        else:
            address = parse_host(host)
        self._num_ctx = whole_number("num_ctx", num_ctx, minimum=1)
        silent = _seconds("timeout", timeout)
        total = 10 * silent if total_timeout is None else _seconds("total_timeout", total_timeout)
        self._address, self._silent, self._total = address, silent, total
        self.keep_alive = keep_alive_value(keep_alive)
        self._options: dict[str, Any] = plain(dict(options or {}), "options")
        if "num_ctx" in self._options:
            raise ValueError("options: give num_ctx as its own argument, not among the options")
        self.think = think
        self._counter: TokenCounter | None = counter_or_none(counter)

    def __repr__(self) -> str:
        return f"OllamaModel({self.name!r}, host={self.host!r}, num_ctx={self.num_ctx})"

    @property
    def host(self) -> str:
        """The server's URL."""
        return self._address.url

    @cached_property
    def _server(self) -> Server:
        from ctxkit.models.ollama.server import Server  # late, as all that is for requests only

        return Server(self._address, self._silent, self._total)

    @property
    def num_ctx(self) -> int:
        """The context window in tokens; to change it, make a new model."""
        return self._num_ctx

    async def chat(self, messages: Sequence[Any], tools: Sequence[Any] = ()) -> Reply:
        """Answer the last message of a history.

        messages: any that `load_messages` reads. tools: schemas in OpenAI's shape, or objects with `.schema`.
        The reply's `notes` say when the server cut the prompt (then `prompt_cut` is set) or the answer.
        Raises `RequestRefused` before sending, and another `ModelError` for each way in which a server can
        fail.
        """
        from ctxkit.models.ollama.reading import read_reply
        from ctxkit.models.ollama.wire import wire_messages, wire_tools

        history = load_messages(messages)
        check_answerable(history)
        request = {"messages": wire_messages(history), "tools": wire_tools(tools)}
        attempt = await self._server.attempt(
            lambda client, attempt: self._stream(client, attempt, request), self.name, self.num_ctx
        )
        reply = read_reply(attempt.draft, history, self.num_ctx)
        cut = await self._cut_note(history, tools, reply.usage.prompt_tokens)
        return replace(reply, notes=(cut, *reply.notes), prompt_cut=True) if cut else reply

    async def context_lengths(self) -> ContextLengths:
        """Ask for the model's advertised and its loaded context length; ModelError as for `chat`."""
        described = await self._server.describe(self.name)
        return ContextLengths(described.context_length, await self._server.loaded(self.name))

    async def _stream(self, client: Any, attempt: Attempt, request: dict[str, Any]) -> None:
        client.schemas = request["tools"]
        try:
            chunks = await client.chat(
                model=self.name,
                messages=request["messages"],
                tools=request["tools"] or None,
                stream=True,
                think=self.think,
                options={**sendable(self._options), "num_ctx": self.num_ctx},
                keep_alive=self.keep_alive,
            )
        except attempt.sdk.ValidationError as error:  # raised before anything is sent
            raise RequestRefused(f"The Ollama client refuses the request: {error}") from None
        async with aclosing(chunks) as stream:
            async for chunk in stream:
                attempt.draft.take(chunk)
                if attempt.draft.done:
                    return
        raise attempt.broken_off()

    async def _cut_note(self, history: list[Message], tools: Sequence[Any], read: int | None) -> str | None:
        from ctxkit.models.ollama.cuts import PromptSizes

        counter = self._counter or shared_counter()
        exact = counter.exact_for(history)
        sizes = PromptSizes(counter.count_all(history, tools), read, exact)
        if not sizes.suspicious:
            return None
        try:
            loaded = await self._server.loaded(self.name, SIDE_QUESTION)
        except ModelError:  # the reply is here; a question about it must neither lose nor delay it
            loaded = None
        return sizes.cut_note(min(loaded or self.num_ctx, self.num_ctx))


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name}: expected seconds, got {type(value).__name__}")
    if not 0 < value < float("inf"):
        raise ValueError(f"{name}: expected seconds above 0, got {value}")
    return float(value)
