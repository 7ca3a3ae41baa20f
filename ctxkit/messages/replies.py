"""A server's reply, kept whole, brought into the shape that the loader reads: the message inside it.

Contract: an object with "choices", as OpenAI's servers reply, or with a "message", as Ollama's does, and with
no role of its own, becomes that message; anything else is passed on as it is. What the reply says besides,
such as its usage, is no part of the conversation.
"""

from __future__ import annotations

from ctxkit.messages.apart import Placed
from ctxkit.messages.plain import as_mapping


def unpacked(placed: Placed) -> Placed:
    """The message inside a reply, with its place.

    >>> unpacked(("messages[0]", {"message": {"role": "assistant", "content": "Hi"}, "done": True}))
    ('messages[0].message', {'role': 'assistant', 'content': 'Hi'})
    """
    where, item = placed
    fields = as_mapping(item)
    if fields is None or "role" in fields:
        return placed
    if "choices" in fields:
        where, fields = f"{where}.choices[0]", as_mapping(_only(fields["choices"], f"{where}.choices"))
        if fields is None or as_mapping(fields.get("message")) is None:
            raise ValueError(f"{where}.message: missing; a choice must hold a whole message, no piece of one")
    if as_mapping(fields.get("message")) is None:
        return placed
    if fields.get("done") is False:
        raise ValueError(
            f"{where}: a piece of a streamed reply; give the whole one, as stream=False brings it"
        )
    return f"{where}.message", fields["message"]


def _only(choices: object, where: str) -> object:
    if not isinstance(choices, (list, tuple)):
        raise TypeError(f"{where}: expected a list, got {type(choices).__name__}")
    if len(choices) != 1:
        raise ValueError(f"{where}: a conversation goes on with one choice, this reply has {len(choices)}")
    return choices[0]
