"""Writing messages in a client's shape: `dump_messages`.

Contract: new dicts that share nothing with the messages; `load_messages(dump_messages(x))` gives messages
with the same digests in OpenAI's shape, but for a result that names no call: it is read as the answer to an
open one. Ollama's shape is what its API takes: text only, pictures apart,
arguments as an object, `tool_name` instead of ids (ollama/ollama#6451, checked with the client 0.6), so ids
are made up again on the way back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from ctxkit.messages.load import load_messages
from ctxkit.messages.parts import image_source, part_kind
from ctxkit.messages.plain import plain
from ctxkit.messages.values import Message

Style = Literal["openai", "ollama"]

_DATA_URL = re.compile(r"data:[^,;]*(?:;[^,;]*)*;base64,", re.IGNORECASE)


def dump_messages(messages: Iterable[Any], style: Style = "openai") -> list[dict[str, Any]]:
    """Write messages as dicts for an "openai" (default) or "ollama" client.

    Raises ValueError for another style, and for a picture that Ollama cannot be sent (an address, or what is
    no base64 data).

    >>> from ctxkit import Message, ToolCall
    >>> call = Message.assistant(None, [ToolCall("a", "clock", {})])
    >>> dump_messages([call], style="ollama")
    [{'role': 'assistant', 'content': '', 'tool_calls': [{'function': {'name': 'clock', 'arguments': {}}}]}]
    """
    loaded = load_messages(messages)
    if style == "openai":
        return [_openai(message) for message in loaded]
    if style != "ollama":
        raise ValueError(f"style: expected 'openai' or 'ollama', got {style!r}")
    names: dict[str | None, str] = {}
    result = []
    for index, message in enumerate(loaded):
        names |= {call.id: call.name for call in message.tool_calls}
        result.append(_ollama(message, names, f"messages[{index}]"))
    return result


def _openai(message: Message) -> dict[str, Any]:
    out: dict[str, Any] = {"role": message.role, "content": plain(message.content, "content")}
    if message.tool_calls:
        out["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        out["tool_call_id"] = message.tool_call_id
    if message.name is not None:
        out["name"] = message.name
    return out


def _ollama(message: Message, names: dict[str | None, str], where: str) -> dict[str, Any]:
    role = "system" if message.role == "developer" else message.role
    out: dict[str, Any] = {"role": role, "content": message.content or ""}
    if isinstance(message.content, list):
        out |= _ollama_content(message.content, f"{where}.content")
    if message.tool_calls:
        calls = [
            {"name": call.name, "arguments": plain(call.arguments, "arguments")}
            for call in message.tool_calls
        ]
        out["tool_calls"] = [{"function": call} for call in calls]
    name = message.name or names.get(message.tool_call_id)
    if message.role == "tool" and name:
        out["tool_name"] = name
    return out


def _ollama_content(parts: list[Any], where: str) -> dict[str, Any]:
    """Text joined, pictures apart; anything else has no place in Ollama's shape."""
    texts: list[str] = []
    images: list[str] = []
    for i, part in enumerate(parts):
        kind = part_kind(part)
        if kind == "image":
            images.append(_image_data(part, f"{where}[{i}]"))
        elif kind == "text":
            texts.append(part if isinstance(part, str) else part["text"])
        else:
            raise ValueError(
                f"{where}[{i}]: Ollama takes text and pictures only; leave this part out or describe it"
            )
    return {"content": "\n".join(texts)} | ({"images": images} if images else {})


def _image_data(part: dict[str, Any], where: str) -> str:
    """A picture's base64 data. Anything else is refused: the client would look for a file of that name."""
    from base64 import b64decode  # late, for the price of `import ctxkit`

    source = image_source(part) or ""
    data = source[match.end() :] if (match := _DATA_URL.match(source)) else source
    try:
        found = b64decode("".join(data.split()), validate=True)
    except ValueError:
        found = b""
    if not found:
        raise ValueError(
            f"{where}: Ollama takes pictures as base64 data, not as an address; load the file into a data "
            "URL first"
        )
    return data
