"""`Message` and `ToolCall`: pure values that never change once made.

Contract: everything is copied in; two values are equal when all that is sent is equal, and `id` and `kind`
too; `digest` is the same in every process and covers all that is sent and nothing else, so it can key a cache
on disk. `content` is kept as given (text, None, or a list of parts), because some servers want null and
others "" beside a tool call (BerriAI/litellm#39268): the choice belongs to the client adapter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import cached_property
from typing import Any, get_args

from ctxkit.messages.blocks import is_block
from ctxkit.messages.marks import Kind
from ctxkit.messages.parts import part_kind
from ctxkit.messages.plain import canonical_json, parse_arguments, plain

Content = str | list[Any] | None

ROLES = ("system", "developer", "user", "assistant", "tool")


@dataclass(frozen=True, eq=False)
class ToolCall:
    """A model's request to run a tool.

    id: text that its result names, unique within the message. name: the tool. arguments: dict or JSON text of
    an object; copied in. Raises TypeError or ValueError naming the call when the arguments are no JSON
    object.

    >>> ToolCall("call_1", "calculator", '{"expression": "200 * 0.15"}').arguments
    {'expression': '200 * 0.15'}
    """

    id: str
    name: str
    arguments: dict[str, Any]

    def __post_init__(self) -> None:
        for field in ("id", "name"):
            value = getattr(self, field)
            if not isinstance(value, str):
                raise TypeError(f"tool call {field}: expected text, got {type(value).__name__}")
            if not value:
                raise ValueError(f"tool call {field}: expected text, got an empty one")
        where = f"arguments of tool call {self.id!r}"
        object.__setattr__(self, "arguments", parse_arguments(self.arguments, where))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[str, str, str]:
        return (self.id, self.name, canonical_json(self.arguments))


@dataclass(frozen=True, eq=False)
class Message:
    """One message of a conversation.

    role: "system", "developer", "user", "assistant" or "tool". content: text, None, or a list of parts (dicts
    or text). tool_calls: calls that an assistant message makes. tool_call_id: the call that a tool message
    answers. name: of the tool or the speaker. id: the caller's own mark, never sent. kind: "message", or
    "summary" / "placeholder" for one that the kit made. Raises TypeError or ValueError naming the field.

    >>> question = Message("user", "What is 15% of 200?")
    >>> question == Message.user("What is 15% of 200?"), question.digest[:8]
    (True, '4e1fdc2a')
    """

    role: str
    content: Content = ""
    _: KW_ONLY
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    id: str | None = None
    kind: Kind = "message"

    def __post_init__(self) -> None:
        role = self.role.value if isinstance(self.role, Enum) else self.role
        if role not in ROLES:
            raise ValueError(f"role: expected one of {', '.join(ROLES)}, got {role!r}")
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind: expected one of {', '.join(get_args(Kind))}, got {self.kind!r}")
        for field in ("tool_call_id", "name", "id"):
            value = getattr(self, field)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{field}: expected text or None, got {type(value).__name__}")
            if not value:
                object.__setattr__(self, field, None)
        calls = _calls(self.tool_calls)
        if calls and role != "assistant":
            raise ValueError(f"tool_calls: only an assistant message can call tools, this one is {role!r}")
        if self.tool_call_id is not None and role != "tool":
            raise ValueError(f"tool_call_id: only a tool message answers a call, this one is {role!r}")
        if self.kind == "summary" and (calls or role == "tool"):
            raise ValueError("kind: a summary calls no tools and is no result of one")
        object.__setattr__(self, "role", role)
        object.__setattr__(self, "content", check_content(self.content, "content"))
        object.__setattr__(self, "tool_calls", calls)

    @classmethod
    def system(cls, content: Content) -> Message:
        """A system message: `Message.system("Answer briefly.")`."""
        return cls("system", content)

    @classmethod
    def user(cls, content: Content) -> Message:
        """A user message: `Message.user("Hello")`."""
        return cls("user", content)

    @classmethod
    def assistant(cls, content: Content = "", tool_calls: Iterable[ToolCall] = ()) -> Message:
        """An assistant message and its calls: `Message.assistant("", [ToolCall("a", "clock", {})])`."""
        return cls("assistant", content, tool_calls=tuple(tool_calls))

    @classmethod
    def tool(cls, content: Content, tool_call_id: str | None, name: str | None = None) -> Message:
        """The result of a tool call: `Message.tool("30.0", "call_1", "calculator")`."""
        return cls("tool", content, tool_call_id=tool_call_id, name=name)

    @cached_property
    def digest(self) -> str:
        """SHA-256, as 64 hex digits, of all that is sent: role, content, calls, call id and name; not `id`,
        not `kind`.

        Dict order does not matter, and arguments given as a dict or as equal JSON text have the same digest.
        """
        calls = [[call.id, call.name, call.arguments] for call in self.tool_calls]
        sent = canonical_json([self.role, self.content, calls, self.tool_call_id, self.name])
        return hashlib.sha256(sent.encode("ascii")).hexdigest()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Message):
            return NotImplemented
        return (self.digest, self.id, self.kind) == (other.digest, other.id, other.kind)

    def __hash__(self) -> int:
        return hash(self.digest)


def check_content(content: object, where: str) -> Content:
    """Copy a message's content in; TypeError naming the part that is neither text nor a dict."""
    if content is None or type(content) is str:
        return content
    if isinstance(content, str):
        return plain(content, where)
    if not isinstance(content, (list, tuple)):
        raise TypeError(f"{where}: expected text, None or a list of parts, got {type(content).__name__}")
    parts: list[Any] = plain(content, where)
    for i, part in enumerate(parts):
        if not isinstance(part, (str, dict)):
            raise TypeError(f"{where}[{i}]: expected text or a dict, got {type(part).__name__}")
        if isinstance(part, dict):
            _check_part(part, f"{where}[{i}]")
    return parts


def _check_part(part: dict[str, Any], where: str) -> None:
    text = part.get("text", "")
    if not isinstance(text, str) and not (text is None and part_kind(part) in ("image", "media")):
        raise TypeError(f"{where}.text: expected text, got {type(text).__name__}")
    if is_block(part):
        raise ValueError(
            f"{where}: a block of a tool call or result is no content; read such messages by load_messages, "
            "or write tool_calls=[ToolCall(...)] and Message.tool(content, call_id)"
        )


def _calls(calls: object) -> tuple[ToolCall, ...]:
    if isinstance(calls, (str, bytes, dict)) or not isinstance(calls, Iterable):
        raise TypeError(f"tool_calls: expected a list of ToolCall, got {type(calls).__name__}")
    return tuple(_tool_call(call, f"tool_calls[{i}]") for i, call in enumerate(calls))


def _tool_call(call: object, where: str) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    kind = type(call)
    found = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    if found == f"{ToolCall.__module__}.{ToolCall.__qualname__}":
        raise TypeError(
            f"{where}: this ToolCall was made before ctxkit was reloaded; make it anew, or restart the kernel"
        )
    raise TypeError(f"{where}: expected a ToolCall, got {found}")
