"""Where in a conversation a model is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ctxkit._links import OpenCalls
from ctxkit.messages import load_messages


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
