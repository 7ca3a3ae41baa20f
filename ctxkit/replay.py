"""A conversation replayed call by call: what was sent each time the model was asked.

What a transform keeps may depend on what came before, so a picture of a setting is always drawn by replaying
the conversation from its first message with a fresh transform; one setting then always gives one picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ctxkit._links import OpenCalls
from ctxkit.messages import load_messages
from ctxkit.transforms import MessageTransform, Outcome


def call_points(messages: Iterable[Any]) -> list[int]:
    """The ends (exclusive) of the prefixes with which a model is asked: after a user message, or after all
    results of its calls.

    A call comes before each assistant message, and at the end where something waits for an answer; a system
    note between question and answer is part of what is sent.

    >>> from ctxkit import Message
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> call_points(talk)
    [1, 3]
    """
    history = load_messages(messages)
    points: list[int] = []
    calls, asked = OpenCalls(), False
    for index, message in enumerate(history):
        if message.role == "assistant" and asked and not calls.waiting:
            points.append(index)
        if not calls.accept(message):
            calls = OpenCalls()
        asked = message.role in ("user", "tool") or (asked and message.role != "assistant")
    if asked and not calls.waiting:
        points.append(len(history))
    return points


async def replay(
    transform: MessageTransform,
    messages: Iterable[Any],
    *,
    tools: Sequence[Any] = (),
    points: Sequence[int] | None = None,
) -> list[Outcome]:
    """Apply a fresh transform at each call of a conversation, from the first to the last.

    points: ends of the prefixes (default: `call_points`). Raises what the transform raises, BudgetImpossible
    for instance.

    >>> from ctxkit import KeepRecentMessages, Message, run
    >>> talk = [Message.user("Hi"), Message.assistant("Hello!"), Message.user("Bye")]
    >>> [len(outcome.messages) for outcome in run(replay(KeepRecentMessages(2), talk))]
    [1, 2]
    """
    history = load_messages(messages)
    ends = call_points(history) if points is None else points
    return [await transform.apply(history[:end], tools=tools) for end in ends]
