"""`EmbeddedModel`: what a real, very small language model makes of a window.

Contract: it computes in this process and asks no network. It is used for the one thing that so small a model
does honestly: how likely the right word is to come next, with a fact in the window and without it. That its
knowledge leaves with the message is visible in the numbers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctxkit._arguments import text as checked_text
from ctxkit._arguments import whole_number
from ctxkit.messages import Message, load_messages
from ctxkit.messages.text import content_text
from ctxkit.models.base import Reply, Usage
from ctxkit.models.embedded.files import model_file
from ctxkit.models.embedded.probe import Probe, ranked, window_text
from ctxkit.models.embedded.spelling import Piece, Step, spell
from ctxkit.models.embedded.worker import Progress, Worker, shared_worker
from ctxkit.models.errors import EmptyReply, RequestRefused, ToolsNotSupported
from ctxkit.models.requests import check_answerable, sendable

LISTED = 1_000
"""Tokens that are listed as what may come next; the last of them is at about 1 in 100,000."""

REPLY_TOKENS = 256
"""Cap of a reply of `chat`: so small a model may repeat itself without end."""


_WRITE_A: dict[str, Any] = {"max_tokens": 1, "logit_bias": [["a", 100]]}
"""One token, and a plain "a" whatever comes next, for what is written is of no use here: the probabilities
are listed as they were before, but not at all for a token that is half a character."""


class EmbeddedModel:
    """A language model of 135 million parameters inside this process: SmolLM2-135M-Instruct.

    path: a model of your own in GGUF format (default: the one that `make embedded` installs). num_ctx: its
    context window in tokens (default 4,096; SmolLM2 has 8,192 at most). Raises EmbeddedUnavailable where
    there is no model, with what to do; TypeError or ValueError for other values.

    The model is loaded by the first request, in a thread, after a trial in a child process; two models of one
    file and window share the memory, 260 MB and at most as much again for windows read before.

        model = EmbeddedModel()
        talk = load_sample("dolphins")
        sentence = "As said above, some dolphins on the seafloor in Shark Bay carry"
        (await model.probe(talk[:4], sentence, right="sponges")).probability("sponges")    # about 0.92
        (await model.probe(talk[36:40], sentence, right="sponges")).probability("sponges") # below 0.01

    >>> EmbeddedModel("no_such.gguf")
    Traceback (most recent call last):
    ctxkit.models.embedded.files.EmbeddedUnavailable: There is no file no_such.gguf. Give the path of a model
    in GGUF format, or none for the one that comes with: make embedded
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, num_ctx: int = 4096) -> None:
        self.num_ctx = whole_number("num_ctx", num_ctx, minimum=16)
        self.path = model_file(path)
        self._worker: Worker = shared_worker(self.path, self.num_ctx)

    @property
    def name(self) -> str:
        """The name of the model's file, without its ending."""
        return self.path.stem

    def __repr__(self) -> str:
        return f"EmbeddedModel({self.name!r}, num_ctx={self.num_ctx})"

    async def probe(
        self,
        messages: Iterable[Any],
        text: str,
        right: str | Sequence[str] | None = None,
        *,
        count: int = 5,
        progress: Progress | None = None,
    ) -> Probe:
        """How does this sentence go on, for someone who has read these messages and no others?

        messages: the window, as a list of messages or dicts; it may be empty. text: the start of a sentence,
        best one that refers to the messages ("As said above, ..."). right: the word or words whose
        probability is asked for. count: likeliest words to give (default 5). progress: an async function of
        the tokens read and all there are to read.

        The first probe of a window reads all of it, about 250 tokens a second on two processors; further ones
        on the same window take about 0.1 s. Cancelling stops it within half a second and leaves the model as
        it was. Raises WindowExceeded with both counts for what is too long, EmbeddedUnavailable where the
        model does not run, TypeError or ValueError for other values.
        """
        words = _words(right)
        if not checked_text("text", text).strip():
            raise ValueError("text: expected the start of a sentence, got nothing but blanks")
        prompt = window_text(load_messages(messages), text)
        most = whole_number("count", count, minimum=1)
        reading = _Reply()
        # Read first, then asked: a last token that is read alone and one that is read with others give
        # probabilities that differ by a hundredth, and this way it is always read alone.
        await self._worker.ask("completions", {"prompt": prompt, "max_tokens": 0}, reading.take, progress)

        async def next_step(tokens: tuple[int, ...]) -> Step:
            reply = _Reply()
            body = {"prompt": [prompt, *tokens], "logprobs": max(LISTED, most), **_WRITE_A}
            await self._worker.ask("completions", body, reply.take)
            return reply.step()

        first = await next_step(())
        spelled = [await spell(word, first, next_step) for word in words]
        return Probe(
            ranked(first, spelled, most),
            tuple((spelling.word, spelling.probability) for spelling in spelled),
            reading.usage.prompt_tokens or 0,
            reading.usage.cached_tokens,
        )

    async def chat(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> Reply:
        """Answer the last message, in at most 256 tokens.

        Here so that the model can stand wherever the kit takes one and fail there for everyone to see: a
        model of this size answers fluently, summarises unfaithfully (of three facts its own summary kept
        none) and cannot call tools. For a larger one, `path`, or `OllamaModel`. Its template puts a system
        prompt of its own in front where there is none.

        Raises ToolsNotSupported for tools, calls and results, RequestRefused where there is nothing to
        answer, WindowExceeded, EmptyReply, and EmbeddedUnavailable.
        """
        history = load_messages(messages)
        if tools or any(message.role == "tool" or message.tool_calls for message in history):
            raise ToolsNotSupported(
                f"{self.name} cannot call tools, and cannot read calls and results. Leave them out, or take "
                "OfflineModel or OllamaModel."
            )
        check_answerable(history)
        reply = _Reply()
        wire = [{"role": message.role, "content": sendable(content_text(message))} for message in history]
        body = {"messages": wire, "max_tokens": REPLY_TOKENS, "stream_options": {"include_usage": True}}
        await self._worker.ask("chat_completions", body, reply.take)
        answer = "".join(reply.texts)
        if not answer.strip():
            raise EmptyReply(f"{self.name} answered nothing. Ask in other words.")
        return Reply(Message.assistant(answer), reply.usage, reply.done_reason)


def _words(right: object) -> list[str]:
    """The right words, each once, without the blanks around them."""
    given = [] if right is None else [right] if isinstance(right, str) else right
    if not isinstance(given, Sequence):
        raise TypeError(f"right: expected a word or a list of words, got {type(right).__name__}")
    words = [checked_text("right", word).strip() for word in given]
    if not all(words):
        raise ValueError("right: expected words, got nothing but blanks")
    return list(dict.fromkeys(words))


class _Reply:
    """The pieces of a reply, put together."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.listed: Sequence[Mapping[str, Any]] = ()
        self.done_reason: str | None = None
        self.usage = Usage()

    def take(self, piece: Mapping[str, Any]) -> None:
        for choice in piece.get("choices") or ():
            self.texts.append(choice.get("text") or (choice.get("delta") or {}).get("content") or "")
            for token in (choice.get("logprobs") or {}).get("content") or ():
                self.listed = token["top_logprobs"]
            self.done_reason = choice.get("finish_reason") or self.done_reason
        counted = piece.get("usage")
        if counted:
            cached = (counted.get("prompt_tokens_details") or {}).get("cached_tokens")
            self.usage = Usage(counted.get("prompt_tokens"), counted.get("completion_tokens"), cached)

    def step(self) -> Step:
        if not self.listed:
            raise RequestRefused("The embedded model gave no probabilities: take another model file.")
        return Step(tuple(Piece(t["id"], t["token"], math.exp(t["logprob"])) for t in self.listed))
