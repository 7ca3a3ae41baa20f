"""A tool call as clients write it: the fields of OpenAI's shape or Ollama's, or the same without "function".

Contract: id, name and arguments are read, or an error names the field. Id and arguments may stand under the
names that other clients give them ("args" is LangChain's, "input" Anthropic's); arguments under a name that
is not known are never taken for none (odysseus-dev/odysseus#2748 counted a file of 40,000 characters as
nothing).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ctxkit.messages.plain import as_mapping, parse_arguments
from ctxkit.messages.values import ToolCall

IDS = ("call_id", "toolCallId", "id")
"""Of a call; OpenAI's Responses give the item an id too, and results name the other. Where the call stands
under "function", as in OpenAI's chats, its id is "id"."""
ANSWERS = ("tool_call_id", "tool_use_id", "toolCallId", "call_id")
"""The id of the call that a result answers."""
ARGUMENTS = ("arguments", "args", "input", "parameters")


def read_call(call: object, where: str, make_id: Callable[[], str]) -> ToolCall:
    """A call of an assistant's message. make_id: gives the id of one that has none.

    >>> read_call({"name": "search", "args": {"q": "tide"}}, "messages[1].tool_calls[0]", lambda: "call_1_0")
    ToolCall(id='call_1_0', name='search', arguments={'q': 'tide'})
    """
    if isinstance(call, ToolCall):
        return call
    fields = function = fields_of(call, where)
    inner = where
    if "function" in fields:
        inner = f"{where}.function"
        function = fields_of(fields["function"], inner)
    name = text_in(function, "name", inner)
    if name is None:
        raise ValueError(f"{inner}.name: missing; a tool call needs the name of its tool")
    chat = function is not fields
    call_id = text_of_any(fields, IDS[::-1] if chat else IDS, where) or make_id()
    if chat and not any(map(function.get, ARGUMENTS)) and any(map(fields.get, ARGUMENTS)):
        function, inner = fields, where
    return ToolCall(call_id, name, _arguments(function, inner, call_id))


def fields_of(item: object, where: str) -> Mapping[str, Any]:
    """The fields of a dict or a client object; TypeError for anything else."""
    fields = as_mapping(item)
    if fields is None:
        raise TypeError(f"{where}: expected a dict, a Message or a client object, got {type(item).__name__}")
    return fields


def text_in(fields: Mapping[str, Any], field: str, where: str) -> str | None:
    """The text of a field, None for an empty or missing one; TypeError for anything else."""
    value = fields.get(field)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{where}.{field}: expected text, got {type(value).__name__}")
    return value or None


def text_of_any(fields: Mapping[str, Any], names: Sequence[str], where: str) -> str | None:
    """The text of the first of these fields that has any."""
    return next((text for name in names if (text := text_in(fields, name, where))), None)


def _arguments(fields: Mapping[str, Any], where: str, call_id: str) -> dict[str, Any]:
    if fields.get("arguments"):  # a schema or a raw text may stand beside them
        return parse_arguments(fields["arguments"], f"{where}.arguments of call {call_id!r}")
    found = {
        name: parse_arguments(fields[name], f"{where}.{name} of call {call_id!r}")
        for name in ARGUMENTS
        if name in fields
    }
    if not found:
        unknown = next((name for name, value in fields.items() if as_mapping(value)), None)
        if unknown is not None:
            raise ValueError(f"{where}.{unknown}: if it holds the arguments, name it arguments")
    given = [name for name, arguments in found.items() if arguments]
    for other in given[1:]:
        if found[other] != found[given[0]]:
            raise ValueError(f"{where}.{other}: other arguments than under {given[0]!r}; give one of the two")
    return found[given[0]] if given else {}
