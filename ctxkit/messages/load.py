"""Reading conversations in the shapes that clients use: `load_messages`.

Contract: every message of the source becomes one `Message`, in order, or a TypeError / ValueError names its
index and field; nothing is guessed away. Taken: lists of dicts (OpenAI's chat shape, Ollama's, Anthropic's,
Bedrock's and that of Vercel's AI SDK, where a message with results becomes several), client objects, replies
of a server in place of their message, `Message` values (given back as the same objects), a conversation
downloaded from ChatGPT, JSON text, JSON lines, or a path to either.
Ollama's wire has no ids, so calls get made-up ones that are unique in the conversation and the same at every
reading, and a result without an id goes to the next open call of its tool.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ctxkit.messages.apart import Placed, taken_apart, unwrapped
from ctxkit.messages.calls import ANSWERS, IDS, fields_of, read_call, text_in, text_of_any
from ctxkit.messages.chatgpt import branch, is_download, only
from ctxkit.messages.marks import kind_of
from ctxkit.messages.plain import as_mapping
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

_INSTEAD = frozenset(
    (
        *("tool_calls", "function_call", "toolInvocations", "refusal", "audio", "images"),
        *("reasoning_content", "reasoning", "thinking"),
    )
)
"""What an assistant's message may hold in place of content."""
_NAMED_ONLY = frozenset(["role", "id", "name"])


def load_messages(source: Any) -> list[Message]:
    """Read a conversation into a list of `Message`.

    source: a list of dicts, client objects or Messages; JSON text (a list, one message, a server's reply, an
    object with "messages" and perhaps a "system" prompt, one conversation of a ChatGPT download, or JSON
    lines); or a path. Raises TypeError or ValueError naming index and field; for a file that cannot be read
    UnreadableFile, which is an OSError too, and FileNotFoundError where a `Path` leads to none.

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
        return _Reading(branch(source) if is_download(source) else unwrapped(source)).read()
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise TypeError(
            f"messages: expected a list of messages, JSON text or a path, got {type(source).__name__}"
        )
    items = list(source)
    if {*map(type, items)} <= {Message}:  # most lists are read already; this is many times a loop's speed
        return items
    if all(map(is_download, items)):
        return _Reading(branch(only(items))).read()
    return _Reading([(f"messages[{i}]", item) for i, item in enumerate(items)]).read()


class Reader:
    """Reads a conversation piece by piece, each at the cost of that piece.

    Holds what later pieces need to know of the messages so far: how many, the ids in use, the calls still
    open. Nothing that is read changes it until it is accepted.
    """

    def __init__(self) -> None:
        self.length = 0
        self.used: set[str] = set()
        self.open: dict[str | None, ToolCall] = {}

    def read_next(self, item: Any) -> list[Message]:
        """The messages that one more item becomes."""
        return _Reading([(f"messages[{self.length}]", item)], self).read()

    def accept(self, messages: Iterable[Message]) -> None:
        """Go on after these messages."""
        for message in messages:
            self.length += 1
            self.used.update(call.id for call in message.tool_calls)
            self.open = _still_open(self.open, message)


class _Reading:
    """One pass over the items of a piece."""

    def __init__(self, items: list[Placed], before: Reader | None = None) -> None:
        parts = [part for item in items for part in taken_apart(unpacked(item))]
        self.fields = [
            (where, item if isinstance(item, Message) else fields_of(item, where)) for where, item in parts
        ]
        self.before = before or Reader()
        self.used = {call_id for _, fields in self.fields for call_id in _given_ids(fields)}
        self.open = dict(self.before.open)

    def read(self) -> list[Message]:
        messages: list[Message] = []
        for index, (where, fields) in enumerate(self.fields, self.before.length):
            message = fields if isinstance(fields, Message) else self._message(index, where, fields)
            self.open = _still_open(self.open, message)
            messages.append(message)
        return messages

    def _message(self, index: int, where: str, fields: Mapping[str, Any]) -> Message:
        role = _role(fields, where)
        content = _content(fields, role, where)
        call_id, name = text_in(fields, "tool_call_id", where), text_in(fields, "name", where)
        if role == "tool":
            name = name or text_in(fields, "tool_name", where)
            call_id = text_of_any(fields, ANSWERS, where) or self._next_open(name)
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
            id=text_in(fields, "id", where),
            kind="message" if calls else kind_of(role, content),
        )

    def _calls(self, index: int, where: str, fields: Mapping[str, Any], role: str) -> tuple[ToolCall, ...]:
        for older in ("function_call", "toolInvocations"):
            if fields.get(older):
                raise ValueError(f"{where}.{older}: this older shape is not read; write it as tool_calls")
        where += ".tool_calls"
        calls = fields.get("tool_calls")
        calls = () if calls is None else calls
        if not isinstance(calls, (list, tuple)):
            raise TypeError(f"{where}: expected a list, got {type(calls).__name__}")
        if calls and role != "assistant":
            raise ValueError(f"{where}: only an assistant message can call tools, this one is {role!r}")
        return tuple(
            read_call(call, f"{where}[{i}]", partial(self._made_up, f"call_{index}_{i}"))
            for i, call in enumerate(calls)
        )

    def _made_up(self, call_id: str) -> str:
        while call_id in self.used or call_id in self.before.used:
            call_id += "_"
        self.used.add(call_id)
        return call_id

    def _next_open(self, name: str | None) -> str | None:
        return next((call.id for call in self.open.values() if name in (None, call.name)), None)


def _still_open(calls: dict[str | None, ToolCall], message: Message) -> dict[str | None, ToolCall]:
    """The calls that wait for a result once a message came: those of the last one that calls."""
    if message.tool_calls:
        return {call.id: call for call in message.tool_calls}
    if message.role == "tool":
        calls.pop(message.tool_call_id, None)
    return calls


def _given_ids(fields: Mapping[str, Any] | Message) -> list[str]:
    if isinstance(fields, Message):
        return [call.id for call in fields.tool_calls]
    calls = fields.get("tool_calls")
    found = [as_mapping(call) for call in calls] if isinstance(calls, (list, tuple)) else []
    return [call[name] for call in found if call for name in IDS if isinstance(call.get(name), str)]


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
    empty = role == "assistant" and (_INSTEAD.intersection(fields) or fields.keys() <= _NAMED_ONLY)
    if "content" not in fields and not empty:
        raise ValueError(f"{where}.content: missing; use null for a message that has none")
    content = check_content(fields.get("content"), f"{where}.content")
    for said in _said_apart(fields, where):
        content = [*content, said] if isinstance(content, list) else [content, said] if content else said
    images = fields.get("images")
    if images:
        content = _with_images(content, images, where)
    return content


def _said_apart(fields: Mapping[str, Any], where: str) -> list[str]:
    """What an assistant said and OpenAI keeps beside the content: what it would not do, and speech."""
    audio = as_mapping(fields.get("audio"))
    spoken = text_in(audio, "transcript", f"{where}.audio") if audio else None
    return [said for said in (text_in(fields, "refusal", where), spoken) if said]


def _with_images(content: Content, images: object, where: str) -> Content:
    if not isinstance(images, (list, tuple)):
        raise TypeError(f"{where}.images: expected a list, got {type(images).__name__}")
    parts: list[Any] = content if isinstance(content, list) else [content] if content else []
    for i, image in enumerate(images):
        if not isinstance(image, str):
            raise TypeError(f"{where}.images[{i}]: expected base64 text, got {type(image).__name__}")
        parts.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}})
    return parts
