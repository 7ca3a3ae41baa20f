"""A message as one line of text and back, for a store.

Contract: JSON in ASCII, made by `dump_messages` and read by `load_messages`, so that what a file holds is
checked like any other transcript: lone surrogates, line separators and null characters survive, and nothing
is ever run. `id` and `kind` are kept too, which are not sent to a model. A message that could not be read
back is refused before it is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from ctxkit.messages import Message, dump_messages, load_messages
from ctxkit.messages.plain import canonical_json


def write_row(message: Message) -> str:
    """A message as a line.

    >>> write_row(Message.user("Hello"))
    '{"content":"Hello","kind":"message","role":"user"}'
    """
    [fields] = dump_messages([message])
    own = {"id": message.id} if message.id else {}
    return canonical_json({**fields, **own, "kind": message.kind})


def read_row(line: object) -> Message:
    """The message that a line holds. Raises TypeError or ValueError for anything else.

    >>> read_row(write_row(Message.user("Hello"))) == Message.user("Hello")
    True
    """
    fields = parsed(line)
    if not isinstance(fields, dict):
        raise TypeError(f"expected a message, got {type(fields).__name__}")
    known = cast("dict[str, Any]", fields)
    messages = load_messages([known])
    if len(messages) != 1:
        raise ValueError(f"expected one message, got {len(messages)}: results stand in it as blocks")
    return replace(messages[0], kind=known.get("kind", "message"))


def parsed(line: object) -> Any:
    """The JSON of a line. Raises TypeError or ValueError."""
    if not isinstance(line, str):
        raise TypeError(f"expected text, got {type(line).__name__}")
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("JSON nested too deeply to read") from None


def storable(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages, when each of them can be read back. Raises TypeError or ValueError otherwise.

    Plain text always can; parts may have a shape that `load_messages` does not read.
    """
    kept = tuple(messages)
    for message in kept:
        if not isinstance(message, Message):
            raise TypeError(f"store: expected a Message, got {type(message).__name__}")
        if isinstance(message.content, list) and read_row(write_row(message)) != message:
            raise ValueError(
                "store: blocks of calls or results are no content; load_messages takes them apart"
            )
    return kept
