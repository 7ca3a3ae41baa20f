"""How much of a prompt a server reads again from its prefix cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxkit.messages import load_messages
from ctxkit.tokens.counter import TokenCounter, shared_counter


def prefix_reuse(before: Iterable[Any], after: Iterable[Any], counter: TokenCounter | None = None) -> int:
    """Tokens at the beginning of a prompt that are the same as in the prompt before it.

    before, after: the messages of two requests, one after the other. counter: default a shared cl100k_base
    counter. Servers reuse the longest common beginning; this counts it in whole messages, so it never
    promises too much.

    >>> from ctxkit import Message
    >>> first = [Message.system("Be brief."), Message.user("Hi")]
    >>> prefix_reuse(first, [*first, Message.assistant("Hello!")])
    12
    """
    counter = counter or shared_counter()
    reused = 0
    for old, new in zip(load_messages(before), load_messages(after), strict=False):
        if old.digest != new.digest:
            break
        reused += counter.count(new)
    return reused
