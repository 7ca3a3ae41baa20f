"""What goes to the server: messages and tools as the client takes them.

Contract: nothing that the history says is changed, only its shape. The API has no call ids, so results stand
in call order, each with `tool_name`. Text goes out as valid Unicode: a lone surrogate would break the
request's body (openai/tiktoken#541), so it becomes U+FFFD, and a pair that makes one character becomes that
character. Pictures go as bytes: given text, the client would look for a *file* of that name and send it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Any

from ctxkit.messages import Message, dump_messages
from ctxkit.messages.plain import tool_schemas
from ctxkit.models.errors import RequestRefused
from ctxkit.models.requests import sendable


def wire_messages(history: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as the client takes them; RequestRefused for a picture that cannot be sent.

    >>> wire_messages([Message.user(["What", {"type": "text", "text": "is 15% of 200?"}])])
    [{'role': 'user', 'content': 'What\\nis 15% of 200?'}]
    """
    try:
        dumped = dump_messages(in_call_order(history), style="ollama")
    except ValueError as error:
        raise RequestRefused(str(error)) from None
    for index, message in enumerate(dumped):
        if "images" in message:
            message["images"] = [_bytes(image, f"messages[{index}]") for image in message["images"]]
    return [sendable(message) for message in dumped]


def in_call_order(history: Sequence[Message]) -> list[Message]:
    """The history with the results right after each call in the order of its calls, which is all that says
    which belongs to which.

    >>> from ctxkit import ToolCall
    >>> call = Message.assistant("", [ToolCall("a", "search", {}), ToolCall("b", "search", {})])
    >>> [m.content for m in in_call_order([call, Message.tool("second", "b"), Message.tool("first", "a")])]
    ['', 'first', 'second']
    """
    ordered: list[Message] = []
    places: dict[str | None, int] = {}
    run: list[Message] = []
    for message in history:
        if message.role == "tool":
            run.append(message)
            continue
        ordered += sorted(run, key=lambda result: places.get(result.tool_call_id, len(places)))
        ordered.append(message)
        places, run = {call.id: i for i, call in enumerate(message.tool_calls)}, []
    return ordered + sorted(run, key=lambda result: places.get(result.tool_call_id, len(places)))


def wire_tools(tools: Iterable[Any]) -> list[dict[str, Any]]:
    """Tool schemas in OpenAI's shape, from dicts in that shape, bare function dicts, or objects with
    `.schema`.

    Raises TypeError or ValueError naming the index.

    >>> wire_tools([{"name": "clock", "parameters": {"type": "object", "properties": {}}}])
    [{'type': 'function', 'function': {'name': 'clock', 'parameters': {'type': 'object', 'properties': {}}}}]
    """
    return [_tool(schema, f"tools[{i}]") for i, schema in enumerate(tool_schemas(tools))]


def _tool(given: dict[str, Any], where: str) -> dict[str, Any]:
    function = given.get("function", given)
    if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
        raise ValueError(f"{where}.function.name: missing; a tool needs a name")
    return sendable(given if "function" in given else {"type": "function", "function": function})


def _bytes(image: str, where: str) -> bytes:
    try:
        return base64.b64decode("".join(image.split()), validate=True)
    except (binascii.Error, ValueError):
        raise RequestRefused(f"{where}.images: a picture's data is not base64") from None
