"""What the kit asks of a chat model: one async method, and a reply that says what it took.

Contract: `chat` gets the messages exactly as they are to be sent and changes nothing in them. A number that
the server did not report is None, which means unknown; it is never 0. What a reasoning model thought stands
apart from its answer and does not enter the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from ctxkit._arguments import whole_number
from ctxkit.messages import Message


@dataclass(frozen=True)
class Usage:
    """Tokens that a server reported for one request; None where it did not say.

    prompt_tokens: of the prompt that it read, after any cut of its own. completion_tokens: of the reply.
    cached_tokens: how many of the prompt tokens came from its prefix cache (they are included in
    prompt_tokens).

    >>> Usage(prompt_tokens=1304).completion_tokens is None
    True
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    message: the assistant message, with its tool calls. usage: reported tokens. done_reason: why it stopped
    ("stop", "length", ...), None if it did not say. thinking: what a reasoning model thought before. notes:
    sentences for the reader, for instance that the server cut the prompt.
    prompt_cut: whether it did, or probably did: then the answer was made without having read all of it.
    """

    message: Message
    usage: Usage = field(default_factory=Usage)
    done_reason: str | None = None
    thinking: str = ""
    notes: tuple[str, ...] = ()
    prompt_cut: bool = False


@runtime_checkable
class ChatModel(Protocol):
    """A chat model: anything with this method.

    Optional: `name`, which keys caches, and `num_ctx`, its window in tokens.
    """

    async def chat(self, messages: Sequence[Message], tools: Sequence[Any] = ()) -> Reply:
        """Answer the last message of a history."""
        ...


def window_of(model: object) -> int | None:
    """A model's window in tokens: its `num_ctx`, None where it does not say.

    Raises TypeError or ValueError for a `num_ctx` that is no number of tokens.

    >>> window_of(object()) is None
    True
    """
    window = getattr(model, "num_ctx", None)
    return None if window is None else whole_number("num_ctx", window, minimum=1)


def model_key(model: object) -> str:
    """The name under which a model's summaries are cached: its `name`, else that of its class.

    >>> model_key(object())
    'object'
    """
    name = getattr(model, "name", None)
    kind = type(model).__name__
    return f"{kind} {name}" if isinstance(name, str) and name else kind
