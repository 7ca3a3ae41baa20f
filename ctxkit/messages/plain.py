"""Plain data: what may stand inside a message, copied in, with errors that name the place.

Contract: `plain` gives back a deep copy made of dict, list, str, int, float, bool and None only, or raises
TypeError or ValueError whose text starts with the place, such as `messages[2].tool_calls[0].arguments.path`.
Client objects (pydantic models, dataclasses) become dicts on the way in, because one that stays in a history
breaks `json.dumps`, hashing and copying much later (microsoft/autogen#5910).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any

MAX_DEPTH = 100
"""Levels of nesting that a message may have: far above real arguments, far below Python's recursion limit."""

MAX_BITS = 13_287
"""Bits of the largest whole number: 4,000 digits; Python itself refuses to print more than 4,300."""


def plain(value: object, where: str, depth: int = 0) -> Any:
    """Copy `value` into plain data, naming `where` in any error.

    Raises TypeError for a value that JSON cannot hold, ValueError for more than `MAX_DEPTH` levels.

    >>> plain({"unit": ("m", 2)}, "arguments")
    {'unit': ['m', 2]}
    >>> plain({"when": {1, 2}}, "arguments")
    Traceback (most recent call last):
    TypeError: arguments.when: expected plain data (text, number, list, dict), got set
    """
    if value is None or type(value) in (str, bool):
        return value
    if type(value) in (int, float):
        return _number(value, where)
    if depth > MAX_DEPTH:
        raise ValueError(f"{where}: nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Enum):
        return plain(value.value, where, depth + 1)
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    mapping = as_mapping(value)
    if mapping is not None:
        return {_key(key, where): plain(item, f"{where}.{key}", depth + 1) for key, item in mapping.items()}
    for kind in (str, int, float):  # subclasses: an agent framework's SafeString, numpy's float64
        if isinstance(value, kind):
            return plain(kind(value), where, depth + 1)
    raise TypeError(f"{where}: expected plain data (text, number, list, dict), got {type(value).__name__}")


def as_mapping(value: object) -> Mapping[Any, Any] | None:
    """Give the fields of a mapping, a pydantic model or a dataclass; None for anything else.

    Reading fields by name, not by class, also takes objects of an older version of a reloaded module
    (ipython/ipython#12399).
    """
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type):
        return None
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump()  # type: ignore[union-attr, no-any-return]
    if is_dataclass(value):
        return {
            field.name: getattr(value, field.name) for field in fields(value) if hasattr(value, field.name)
        }
    return None


def canonical_json(value: object) -> str:
    """Write plain data as ASCII JSON with sorted keys: the same text in every process, whatever the order of
    keys.

    Lone surrogates come out escaped, so that the text can always be encoded and hashed.

    >>> canonical_json({"b": 1, "a": "é"})
    '{"a":"\\\\u00e9","b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def readable_json(value: object) -> str:
    """Write plain data as one line of JSON with sorted keys and letters as letters: what a model reads, and
    what is counted.

    >>> readable_json({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_arguments(value: object, where: str) -> dict[str, Any]:
    """Read a tool call's arguments, which arrive as a dict, as JSON text, or not at all.

    Raises TypeError or ValueError naming `where` when they are no JSON object.

    >>> parse_arguments('{"city": "Bern"}', "arguments")
    {'city': 'Bern'}
    >>> parse_arguments("", "arguments"), parse_arguments(None, "arguments")
    ({}, {})
    """
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}: not valid JSON ({str(error)[:200]})") from None
    if value is None:
        return {}
    result = plain(value, where)
    if not isinstance(result, dict):
        raise TypeError(f"{where}: expected an object with names and values, got {type(result).__name__}")
    return result


def tool_schemas(tools: Iterable[Any]) -> list[dict[str, Any]]:
    """Copies of the schemas of some tools, as plain data, with the arguments as `parameters`.

    tools: dicts, objects with a dict as `.schema`, or pydantic objects. Anthropic's, MCP's and Bedrock's
    shapes are read too. Raises TypeError naming the index of any other.

    >>> tool_schemas([{"name": "clock"}, {"name": "search", "input_schema": {"type": "object"}}])
    [{'name': 'clock'}, {'name': 'search', 'parameters': {'type': 'object'}}]
    """
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise TypeError(f"tools: expected a list of tool schemas, got {type(tools).__name__}")
    return [_schema(tool, f"tools[{i}]") for i, tool in enumerate(tools)]


def _schema(tool: object, where: str) -> Any:
    schema = getattr(tool, "schema", None)
    fields = schema if isinstance(schema, Mapping) else as_mapping(tool)
    if fields is None:
        raise TypeError(
            f"{where}: expected a tool's schema as a dict, or an object with a dict as .schema, "
            f"got {type(tool).__name__}"
        )
    return _with_parameters(plain(fields, where))


def _with_parameters(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its arguments under OpenAI's name for them; Anthropic, MCP and Bedrock have others."""
    schema = schema["toolSpec"] if isinstance(schema.get("toolSpec"), dict) else schema
    given = next((name for name in ("input_schema", "inputSchema") if schema.get(name) is not None), None)
    if given is None or not schema.keys().isdisjoint(("parameters", "function")):
        return schema
    parameters = schema.pop(given)
    is_bedrock = isinstance(parameters, dict) and list(parameters) == ["json"]
    return {**schema, "parameters": parameters["json"] if is_bedrock else parameters}


def _number(value: Any, where: str) -> Any:
    """A number that JSON can hold and Python can print: neither infinite nor over 4,000 digits."""
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{where}: {value} is no number that JSON can hold")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError(f"{where}: a number of more than 4,000 digits")
    return value


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{where}: expected text as key, got {type(key).__name__} ({key!r})")
    return str(key)
