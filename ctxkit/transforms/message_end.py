"""The end of a message that is too long: what a server keeps of it that drops tokens from the front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ctxkit.messages import Message
from ctxkit.tokens import TokenCounter


def end_of(message: Message, room: int, counter: TokenCounter) -> Message | None:
    """A message with as much of the end of its content as fits into `room` tokens; None when none does."""
    if not isinstance(message.content, list):
        base = counter.count(replace(message, content=""))
        tail = _tail(
            message.content or "",
            room - base,
            counter,
            lambda t: counter.count(replace(message, content=t)) - base,
        )
        return replace(message, content=tail) if tail else None
    empty = counter.count(Message(message.role))

    def cost(part: Any) -> int:
        return counter.count(Message(message.role, [part])) - empty

    room -= counter.count(replace(message, content=[]))
    parts: list[Any] = []
    for part in reversed(message.content):
        if cost(part) > room:
            tail = _tail(part if isinstance(part, str) else part.get("text", ""), room, counter, cost)
            parts = [tail, *parts] if tail else parts
            break
        parts.insert(0, part)
        room -= cost(part)
    return replace(message, content=parts) if parts else None


def _tail(text: str, room: int, counter: TokenCounter, cost: Callable[[str], int]) -> str:
    """The end of a text that costs at most `room` tokens, cut between tokens and never inside a character."""
    if room <= 0:
        return ""
    size = 16 * room + 64
    while size < len(text) and counter.count_text(text[-size:]) <= room:
        size *= 2  # blanks: many characters a token
    pieces = [piece.text for piece in counter.encode(text[-size:])]
    start, tokens = len(pieces), 0
    while start and tokens <= room:
        start -= 1
        tokens += counter.count_text(pieces[start])
    while start < len(pieces) and cost("".join(pieces[start:])) > room:
        start += 1
    return "".join(pieces[start:])
