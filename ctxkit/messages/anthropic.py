"""Anthropic's Messages shape, taken apart into the shape that the loader reads.

There, calls and results are blocks of content: `tool_use` in an assistant message, `tool_result` in a user
message, which is then no turn of the user (Ultimate-Multisite/superdav-ai-agent#1037). So one user message
can become several: a tool message for each result, first, as the shape itself demands, and a user message for
what else it says. The system prompt stands beside the messages.

Contract: no text, call or result is left out; what is no such block is passed on as it is. Marks of a block
that the other shapes lack, such as `is_error` and `cache_control`, are not kept. Errors name the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxkit.messages.plain import as_mapping

BLOCKS = ("tool_use", "tool_result")
"""Types of the blocks that are taken out of a message's content."""
Placed = tuple[str, Any]
"""Where an item stands in the source, for errors, and the item."""


def unwrapped(source: Mapping[str, Any]) -> list[Placed]:
    """The messages of an object: its "messages", after its "system" prompt; without any, it is one itself."""
    if "messages" not in source:
        return [("messages[0]", source)]
    messages, system = source["messages"], source.get("system")
    if isinstance(messages, (str, bytes, Mapping)) or not hasattr(messages, "__iter__"):
        raise TypeError(f"messages: expected a list of messages, got {type(messages).__name__}")
    placed = [(f"messages[{i}]", message) for i, message in enumerate(messages)]
    return placed if not system else [("system", {"role": "system", "content": system}), *placed]


def taken_apart(placed: Placed) -> Iterator[Placed]:
    """One item as items without blocks of calls and results.

    >>> block = {"type": "tool_result", "tool_use_id": "a", "content": "Noon."}
    >>> message = {"role": "user", "content": [block, {"type": "text", "text": "Thanks"}]}
    >>> for where, item in taken_apart(("messages[2]", message)):
    ...     print(where, item["role"], item["content"])
    messages[2].content[0] tool Noon.
    messages[2] user [{'type': 'text', 'text': 'Thanks'}]
    """
    where, item = placed
    fields = as_mapping(item)
    content: Any = fields.get("content") if fields is not None else None
    if fields is None or not isinstance(content, (list, tuple)):
        yield placed
        return
    blocks = [(f"{where}.content[{i}]", block) for i, block in enumerate(content)]
    calls = [_call(*block) for block in blocks if _is(block[1], "tool_use")]
    results = [_result(*block) for block in blocks if _is(block[1], "tool_result")]
    if not (calls or results):
        yield placed
        return
    role = fields.get("role")
    for there, kind, wanted in ((calls, "tool_use", "assistant"), (results, "tool_result", "user")):
        if there and role != wanted:
            at = next(at for at, block in blocks if _is(block, kind))
            raise ValueError(f"{at}: a {kind} block belongs to a message of role {wanted!r}, not {role!r}")
    yield from results
    rest = [block for _, block in blocks if not (_is(block, "tool_use") or _is(block, "tool_result"))]
    if rest or calls:
        changed = {**fields, "content": rest or None}
        yield where, (changed | {"tool_calls": [*calls, *_others(fields, calls)]} if calls else changed)


def _is(block: object, kind: str) -> bool:
    fields = as_mapping(block)
    return fields is not None and fields.get("type") == kind


def _call(where: str, block: object) -> dict[str, Any]:
    fields = as_mapping(block) or {}
    for name in ("id", "name"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise ValueError(f"{where}.{name}: a tool_use block needs one, as text")
    return {"id": fields["id"], "name": fields["name"], "arguments": fields.get("input")}


def _others(fields: Mapping[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    """Calls that stand beside the content and not in it: some libraries write each call in both places."""
    beside, known = fields.get("tool_calls") or (), {call["id"] for call in calls}
    if not isinstance(beside, (list, tuple)):
        return [beside]  # the loader says what is wrong with it
    return [call for call in beside if (as_mapping(call) or {}).get("id") not in known]


def _result(where: str, block: object) -> Placed:
    fields = as_mapping(block) or {}
    if not isinstance(fields.get("tool_use_id"), str) or not fields["tool_use_id"]:
        raise ValueError(f"{where}.tool_use_id: a tool_result block needs one, as text")
    content = fields.get("content")
    return where, {"role": "tool", "tool_call_id": fields["tool_use_id"], "content": content}
