"""Calls and results that some clients write as blocks of a message's content.

Known are Anthropic's, Bedrock's, LangChain's and those of Vercel's AI SDK. Everywhere else a call stands in
`tool_calls` and a result is a message of its own, and only there the rules of a history see them: so no
`Message` holds such a block, and `apart` takes a transcript's blocks out.

Contract: `is_block` knows every shape, also those that are not read (Gemini's, and the items of OpenAI's
Responses); `read_call` and `read_result` give what `load` reads, or an error that names block and field.
Marks that the other shapes lack, such as `is_error` and `cache_control`, are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ctxkit.messages.plain import as_mapping, plain


class Shape(NamedTuple):
    """How one client writes a block.

    kind: whether it is a call or a result. mark: its `type`, or the only key of a block without one, whose
    value then holds the fields. role: of the message that it stands in. id, name: the fields with the call's
    id and the tool's name, "" for none. holds: the fields that arguments or result may stand under.
    """

    kind: Literal["call", "result"]
    mark: str
    role: str
    id: str
    name: str
    holds: tuple[str, ...]


SHAPES = (
    Shape("call", "tool_use", "assistant", "id", "name", ("input",)),  # Anthropic
    Shape("result", "tool_result", "user", "tool_use_id", "", ("content",)),
    Shape("call", "toolUse", "assistant", "toolUseId", "name", ("input",)),  # Bedrock
    Shape("result", "toolResult", "user", "toolUseId", "", ("content",)),
    Shape("call", "tool-call", "assistant", "toolCallId", "toolName", ("input", "args")),  # Vercel's AI SDK
    Shape("result", "tool-result", "tool", "toolCallId", "toolName", ("output", "result")),
    Shape("call", "tool_call", "assistant", "id", "name", ("args",)),  # LangChain
)
NOT_READ = ("functionCall", "functionResponse", "function_call", "function_call_output")
_MARKS = frozenset(NOT_READ).union(shape.mark for shape in SHAPES)


class Block(NamedTuple):
    """A block in a transcript: its shape, where its fields stand, and the fields."""

    shape: Shape
    where: str
    fields: Mapping[str, Any]


def is_block(part: Mapping[str, Any]) -> bool:
    """Whether a part of a content is a call or a result.

    >>> is_block({"type": "tool_use"}), is_block({"toolResult": {}}), is_block({"type": "text", "text": ""})
    (True, True, False)
    """
    return _mark(part) is not None


def block_at(where: str, part: Mapping[str, Any] | None) -> Block | None:
    """The block that a part is, None for any other part; ValueError for one of a shape that is not read."""
    mark = None if part is None else _mark(part)
    if part is None or mark is None:
        return None
    if mark in NOT_READ:
        raise ValueError(
            f"{where}: a {mark} block is not read; write calls as tool_calls of the assistant's message, and "
            "each result as a message of role 'tool'"
        )
    shape = next(shape for shape in SHAPES if shape.mark == mark)
    if "type" in part and part["type"] is not None:
        return Block(shape, where, part)
    fields = as_mapping(part[mark])
    if fields is None:
        raise TypeError(f"{where}.{mark}: expected an object, got {type(part[mark]).__name__}")
    return Block(shape, f"{where}.{mark}", fields)


def read_call(block: Block) -> dict[str, Any]:
    """A call as `tool_calls` has it.

    >>> part = {"toolUse": {"toolUseId": "a", "name": "search", "input": {"q": "tide"}}}
    >>> read_call(block_at("messages[1].content[0]", part))
    {'id': 'a', 'name': 'search', 'arguments': {'q': 'tide'}}
    """
    call_id, name = (_needed(block, field) for field in (block.shape.id, block.shape.name))
    return {"id": call_id, "name": name, "arguments": _held(block)[1]}


def read_result(block: Block) -> dict[str, Any]:
    """A result as a message of its own.

    >>> part = {"type": "tool_result", "tool_use_id": "a", "content": "Noon."}
    >>> read_result(block_at("messages[2].content[0]", part))
    {'role': 'tool', 'tool_call_id': 'a', 'content': 'Noon.'}
    """
    fields = {"role": "tool", "tool_call_id": _needed(block, block.shape.id)}
    if block.shape.name:
        fields["name"] = _needed(block, block.shape.name)
    field, content = _held(block)
    where = f"{block.where}.{field}"
    if field == "output":
        content = _output(content, where)
    elif field == "result":
        content = _json_text(content, where)
    return {**fields, "content": content}


def _mark(part: Mapping[str, Any]) -> str | None:
    kind = part.get("type")
    if kind is not None:
        return kind if isinstance(kind, str) and kind in _MARKS else None
    return next((mark for mark in _MARKS.intersection(part) if part[mark] is not None), None)


def _needed(block: Block, field: str) -> str:
    value = block.fields.get(field)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{block.where}.{field}: a {block.shape.mark} block needs one, as text")
    return value


def _held(block: Block) -> tuple[str, Any]:
    """The field that holds arguments or result, and what it holds; the first one where none is set."""
    names = block.shape.holds
    field = next((name for name in names if block.fields.get(name) is not None), names[0])
    return field, block.fields.get(field)


def _output(output: object, where: str) -> Any:
    """What a tool gave, in version 5 of Vercel's AI SDK: it says beside the value of what kind it is."""
    fields = as_mapping(output)
    if fields is None:
        return _json_text(output, where)
    kind, value = fields.get("type"), fields.get("value")
    if kind == "execution-denied":
        return fields.get("reason") or "Execution denied."
    if kind in ("text", "error-text", "content"):
        return value
    if kind in ("json", "error-json"):
        return _json_text(value, f"{where}.value")
    return _json_text(output, where)


def _json_text(value: object, where: str) -> str | None:
    """A value as its text; any other than text is sent as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(plain(value, where), ensure_ascii=False)
