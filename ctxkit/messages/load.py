"""Reading conversations in the shapes that clients use: `load_messages`.

Contract: every message of the source becomes one `Message`, in order, or a TypeError / ValueError names its
index and field; nothing is guessed away. Taken: lists of dicts (OpenAI's chat shape, Ollama's, Anthropic's,
where a message with results becomes several), client objects, replies of a server in place of their message,
`Message` values (given back as the same objects), a conversation downloaded from ChatGPT, JSON text, JSON
lines, or a path to either.
Ollama's wire has no ids, so calls get made-up ones that are unique in the conversation and the same at every
reading, and a result without an id goes to the next open call of its tool.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ctxkit.messages.anthropic import Placed, taken_apart, unwrapped
from ctxkit.messages.chatgpt import branch, is_download, only
from ctxkit.messages.marks import kind_of
from ctxkit.messages.plain import as_mapping, parse_arguments
from ctxkit.messages.replies import unpacked
from ctxkit.messages.source import read_source
from ctxkit.messages.values import ROLES, Content, Message, ToolCall, check_content

_OTHER_NAMES = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "function": "tool",
}


def load_messages(source: Any) -> list[Message]:
    """Read a conversation into a list of `Message`.

    source: a list of dicts, client objects or Messages; JSON text (a list, one message, a server's reply, an
    object with "messages" and perhaps a "system" prompt, one conversation of a ChatGPT download, or JSON
    lines); or a path. Raises TypeError or ValueError naming index and field; for a file that cannot be read
    UnreadableFile, which is an OSError too, and FileNotFoundError where there is none.

    >>> load_messages('[{"role": "user", "content": "Hi"}]')
    [Message(role='user', content='Hi', tool_calls=(), tool_call_id=None, name=None, id=None, kind='message')]
    >>> load_messages([{"role": "user", "content": 5}])
    Traceback (most recent call last):
    TypeError: messages[0].content: expected text, None or a list of parts, got int
    """
    if isinstance(source, (str, bytes, os.PathLike)):
        source = read_source(source)
    if hasattr(source, "model_dump"):  # a client's reply, which would iterate as pairs
        source = as_mapping(source) or source
    if isinstance(source, Mapping):
        return _Reader(branch(source) if is_download(source) else unwrapped(source)).read()
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise TypeError(
            f"messages: expected a list of messages, JSON text or a path, got {type(source).__name__}"
        )
    items = list(source)
    if {*map(type, items)} <= {Message}:  # most lists are read already; this is many times a loop's speed
        return items
    if all(map(is_download, items)):
        return _Reader(branch(only(items))).read()
    return _Reader([(f"messages[{i}]", item) for i, item in enumerate(items)]).read()


class _Reader:
    """One pass over the items; holds what later items need: ids in use, and the calls still open."""

    def __init__(self, items: list[Placed]) -> None:
        parts = [part for item in items for part in taken_apart(unpacked(item))]
        self.fields = [
            (where, item if isinstance(item, Message) else _fields(item, where)) for where, item in parts
        ]
        self.used = {call_id for _, fields in self.fields for call_id in _given_ids(fields)}
        self.open: dict[str | None, ToolCall] = {}

    def read(self) -> list[Message]:
        messages = []
        for index, (where, fields) in enumerate(self.fields):
            message = fields if isinstance(fields, Message) else self._message(index, where, fields)
            if message.tool_calls:
                self.open = {call.id: call for call in message.tool_calls}
            elif message.role == "tool":
                self.open.pop(message.tool_call_id, None)
            messages.append(message)
        return messages

    def _message(self, index: int, where: str, fields: Mapping[str, Any]) -> Message:
        role = _role(fields, where)
        content = _content(fields, role, where)
        call_id, name = _text(fields, "tool_call_id", where), _text(fields, "name", where)
        if role == "tool":
            name = name or _text(fields, "tool_name", where)
            call_id = call_id or self._next_open(name)
        elif call_id is not None:
            raise ValueError(
                f"{where}.tool_call_id: only a tool message answers a call, this one is {role!r}"
            )
        calls = self._calls(index, where, fields, role)
        return Message(
            role,
            content,
            tool_calls=calls,
            tool_call_id=call_id,
            name=name,
            id=_text(fields, "id", where),
            kind="message" if calls else kind_of(role, content),
        )

    def _calls(self, index: int, where: str, fields: Mapping[str, Any], role: str) -> tuple[ToolCall, ...]:
        if fields.get("function_call"):
            raise ValueError(f"{where}.function_call: this older shape is not read; write it as tool_calls")
        where += ".tool_calls"
        calls = fields.get("tool_calls")
        calls = () if calls is None else calls
        if not isinstance(calls, (list, tuple)):
            raise TypeError(f"{where}: expected a list, got {type(calls).__name__}")
        if calls and role != "assistant":
            raise ValueError(f"{where}: only an assistant message can call tools, this one is {role!r}")
        return tuple(self._call(call, f"{where}[{i}]", f"call_{index}_{i}") for i, call in enumerate(calls))

    def _call(self, call: object, where: str, made_up: str) -> ToolCall:
        if isinstance(call, ToolCall):
            return call
        fields = _fields(call, where)
        if "function" in fields:
            where_function = f"{where}.function"
            function = _fields(fields["function"], where_function)
        else:
            where_function, function = where, fields
        name = _text(function, "name", where_function)
        if name is None:
            raise ValueError(f"{where_function}.name: missing; a tool call needs the name of its tool")
        call_id = _text(fields, "id", where)
        if call_id is None:
            while made_up in self.used:
                made_up += "_"
            call_id = made_up
            self.used.add(call_id)
        arguments = parse_arguments(
            function.get("arguments"), f"{where_function}.arguments of call {call_id!r}"
        )
        return ToolCall(call_id, name, arguments)

    def _next_open(self, name: str | None) -> str | None:
        return next((call.id for call in self.open.values() if name in (None, call.name)), None)


def _fields(item: object, where: str) -> Mapping[str, Any]:
    fields = as_mapping(item)
    if fields is None:
        raise TypeError(f"{where}: expected a dict, a Message or a client object, got {type(item).__name__}")
    return fields


def _given_ids(fields: Mapping[str, Any] | Message) -> list[str]:
    if isinstance(fields, Message):
        return [call.id for call in fields.tool_calls]
    calls = fields.get("tool_calls")
    found = [as_mapping(call) for call in calls] if isinstance(calls, (list, tuple)) else []
    return [call["id"] for call in found if call and isinstance(call.get("id"), str)]


def _role(fields: Mapping[str, Any], where: str) -> str:
    role = fields.get("role")
    role = getattr(role, "value", role)
    if role is None:
        raise ValueError(f"{where}.role: missing; expected one of {', '.join(ROLES)}")
    if not isinstance(role, str):
        raise TypeError(f"{where}.role: expected text, got {type(role).__name__}")
    if role not in ROLES:
        hint = (
            f"; did you mean {_OTHER_NAMES[role]!r}?"
            if role in _OTHER_NAMES
            else f"; expected one of {', '.join(ROLES)}"
        )
        raise ValueError(f"{where}.role: unknown role {role[:40]!r}{hint}")
    return role


def _content(fields: Mapping[str, Any], role: str, where: str) -> Content:
    if "content" not in fields and role != "assistant":
        raise ValueError(f"{where}.content: missing; use null for a message that has none")
    content = check_content(fields.get("content"), f"{where}.content")
    refusal = _text(fields, "refusal", where)  # OpenAI keeps what a model would not do apart
    if refusal:
        content = (
            [*content, refusal] if isinstance(content, list) else [content, refusal] if content else refusal
        )
    images = fields.get("images")
    if images:
        content = _with_images(content, images, where)
    return content


def _with_images(content: Content, images: object, where: str) -> Content:
    if not isinstance(images, (list, tuple)):
        raise TypeError(f"{where}.images: expected a list, got {type(images).__name__}")
    parts: list[Any] = content if isinstance(content, list) else [content] if content else []
    for i, image in enumerate(images):
        if not isinstance(image, str):
            raise TypeError(f"{where}.images[{i}]: expected base64 text, got {type(image).__name__}")
        parts.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}})
    return parts


def _text(fields: Mapping[str, Any], field: str, where: str) -> str | None:
    value = fields.get(field)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{where}.{field}: expected text, got {type(value).__name__}")
    return value or None
