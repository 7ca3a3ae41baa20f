"""Messages whose content holds calls and results, taken apart into the shape that the loader reads.

In Anthropic's and Bedrock's shapes a result stands in a user message, which is then no turn of the user
(Ultimate-Multisite/superdav-ai-agent#1037). So one user message can become several: a tool message for each
result, first, as those shapes themselves demand, and a user message for what else it says. The system prompt
stands beside the messages.

Contract: no text, call or result is left out; what is no such block is passed on as it is. Errors name the
block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxkit.messages.blocks import Block, block_at, read_call, read_result
from ctxkit.messages.plain import as_mapping

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
    role, rest = fields.get("role"), []
    calls: list[dict[str, Any]] = []
    results: list[Placed] = []
    for i, part in enumerate(content):
        at = f"{where}.content[{i}]"
        block = block_at(at, as_mapping(part))
        if block is None:
            rest.append(part)
            continue
        _check_role(at, block, role)
        if block.shape.kind == "call":
            calls.append(read_call(block))
        else:
            results.append((at, read_result(block)))
    if not (calls or results):
        yield placed
        return
    if rest and role == "tool":
        raise ValueError(f"{where}.content: beside blocks with results a tool message can hold nothing else")
    yield from results
    if rest or calls:
        changed = {**fields, "content": rest or None}
        yield where, (changed | {"tool_calls": [*calls, *_others(fields, calls)]} if calls else changed)


def _check_role(at: str, block: Block, role: object) -> None:
    mark, wanted = block.shape.mark, block.shape.role
    if role != wanted:
        raise ValueError(f"{at}: a {mark} block belongs to a message of role {wanted!r}, not {role!r}")


def _others(fields: Mapping[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    """Calls that stand beside the content and not in it: some libraries write each call in both places."""
    beside, known = fields.get("tool_calls") or (), {call["id"] for call in calls}
    if not isinstance(beside, (list, tuple)):
        return [beside]  # the loader says what is wrong with it
    return [call for call in beside if (as_mapping(call) or {}).get("id") not in known]
