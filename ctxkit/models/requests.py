"""Requests to a model, whichever it is: what is refused before it is sent, and text as it can be sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxkit.messages import Message
from ctxkit.models.errors import RequestRefused


def check_answerable(history: Sequence[Message]) -> None:
    """Raise RequestRefused for a history that a model would answer in a way nobody asked for.

    >>> check_answerable([Message.system("Answer briefly.")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ctxkit.models.errors.RequestRefused: There is no user message, so there is nothing to answer. ...
    """
    if not any(message.role == "user" for message in history):
        raise RequestRefused(
            "There is no user message, so there is nothing to answer. Add one before calling the model "
            "(some templates refuse such a prompt, and an empty list only loads the model)."
        )
    if history[-1].role == "assistant":
        what = "calls without results" if history[-1].tool_calls else "an answer"
        raise RequestRefused(
            f"The last message is the assistant's ({what}). That would be a continuation, which some servers "
            "write and others ignore. End with a user message or with tool results."
        )


def sendable(value: Any) -> Any:
    """The same plain data as JSON over HTTP can carry it.

    >>> sendable({"text": "ok \\udbc0 end", "thumb": "\\ud83d\\udc4d"})
    {'text': 'ok � end', 'thumb': '👍'}
    """
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [sendable(item) for item in value]
    if isinstance(value, dict):
        return {sendable(key): sendable(item) for key, item in value.items()}
    return value
