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
from ctxkit.messages.plain import plain
from ctxkit.messages.text import content_text
from ctxkit.messages.values import Message

Style = Literal["openai", "ollama"]

_DATA_URL = re.compile(r"data:[^,;]*(?:;[^,;]*)*;base64,", re.IGNORECASE)


def dump_messages(messages: Iterable[Any], style: Style = "openai") -> list[dict[str, Any]]:
    """Write messages as dicts for an "openai" (default) or "ollama" client.

    Raises ValueError for another style, and for a picture that Ollama cannot be sent (an address instead of
    data).

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
    parts = message.content if isinstance(message.content, list) else []
    pictures = [
        (i, part)
        for i, part in enumerate(parts)
        if isinstance(part, dict) and "image" in str(part.get("type"))
    ]
    out: dict[str, Any] = {"role": role, "content": content_text(message)}
    if pictures:
        kept = [part for part in parts if all(part is not picture for _, picture in pictures)]
        out["content"] = content_text(Message(message.role, kept, tool_call_id=message.tool_call_id))
        out["images"] = [_image_data(picture, f"{where}.content[{i}]") for i, picture in pictures]
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


def _image_data(part: dict[str, Any], where: str) -> str:
    address = part.get("image_url")
    address = address.get("url") if isinstance(address, dict) else address
    match = _DATA_URL.match(address) if isinstance(address, str) else None
    if not isinstance(address, str) or match is None:
        raise ValueError(
            f"{where}: Ollama takes pictures as data, not as an address; load the file into a data URL first"
        )
    return address[match.end() :]
