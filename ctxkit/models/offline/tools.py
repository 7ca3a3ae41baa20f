"""Which of the offered tools a question asks for, and with what arguments, as far as both can be read off
plainly.

Contract: pure; evaluates nothing. A tool is asked for when the question uses words of its name, or several
of its description, or does a sum and the tool calculates. Arguments are copied from the question: a sum, a
number, a name, a date, one of the values that the schema lists. A required argument that can't be filled
means no call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ctxkit.messages.plain import tool_schemas
from ctxkit.models.offline.shapes import CALENDAR
from ctxkit.models.offline.words import WORD, is_function, is_weak, keys

_FORBIDDEN = re.compile(
    r"\b(?:don['\u2019]t|do not|never|without|no need to|must not|shouldn['\u2019]t|should not)\s+"
    r"(?:\w+\s+){0,2}?"
    r"(?:call|use|run|ask|calling|using|running|asking)\b",
    re.IGNORECASE,
)
_CALCULATES = re.compile(r"calc|arithm|\bmaths?\b|expr|\bsums?\b", re.IGNORECASE)
_TIMELY = re.compile(r"\b(?:date|day|when)\b", re.IGNORECASE)
_WORDED = re.compile(r"\b(?:query|question|text|search|prompt|request|input)\b", re.IGNORECASE)

_NUM = r"\d+(?:,\d{3})*(?:\.\d+)?"
_PERCENT = re.compile(rf"({_NUM})\s*(?:%|percent|per cent)\s+of\s+({_NUM})", re.IGNORECASE)
_SIGN = r"(?:\s*[+*/\u00d7÷^]\s*|\s+[-\u2212]\s+|\s+(?:plus|minus|times|divided by|multiplied by)\s+)"
_SUM = re.compile(rf"\(*{_NUM}\)*(?:{_SIGN}\(*{_NUM}\)*)+", re.IGNORECASE)
_SIGNS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divided by": "/",
    "multiplied by": "*",
    "\u00d7": "*",
    "÷": "/",
    "\u2212": "-",
    "^": "**",
}
_DAY = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|today|tomorrow|{'|'.join(sorted(CALENDAR))})\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]")
_PROPER = re.compile(r"(?<![.?!]\s)(?<!^)\b[^\W\d_a-z][\w'\u2019-]*(?:\s+[^\W\d_a-z][\w'\u2019-]*)*")


@dataclass(frozen=True)
class Offered:
    """A tool as its schema describes it. arguments: schema of each, by name; required: names that a call
    must give."""

    name: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]


def offered(tools: Sequence[Any]) -> list[Offered]:
    """Read tools, in the shapes that `tool_schemas` knows. Raises TypeError as it does.

    >>> offered([{"type": "function", "function": {"name": "now"}}])
    [Offered(name='now', description='', arguments={}, required=())]
    """
    found: list[Offered] = []
    for schema in tool_schemas(tools):
        function = schema.get("function", schema)
        if isinstance(function, dict) and function.get("name"):
            parameters = function.get("parameters") or {}
            arguments = parameters.get("properties") or {}
            required = tuple(parameters.get("required") or ())
            description = str(function.get("description") or "")
            found.append(Offered(str(function["name"]), description, arguments, required))
    return found


def forbids(text: str) -> bool:
    """Whether a question says not to call.

    >>> forbids("Which line repeats? Don't call the tool again."), forbids("Call it again.")
    (True, False)
    """
    return bool(_FORBIDDEN.search(text))


def calls(text: str, tools: Sequence[Offered]) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of each call that a question asks for.

    >>> calculator = Offered("calculator", "Does sums.", {"expression": {"type": "string"}}, ("expression",))
    >>> calls("What is 15% of 200?", [calculator])
    [('calculator', {'expression': '0.15 * 200'})]
    """
    if forbids(text):
        return []
    found = [(_asked(text, tool), tool) for tool in tools]
    named = [tool for score, tool in found if score >= _NAMED]
    wanted = (
        named or [tool for score, tool in found if score and score == max(score for score, _ in found)][:1]
    )
    return [(tool.name, arguments) for tool in wanted for arguments in _arguments(text, tool)]


def computes(text: str, tools: Sequence[Offered]) -> bool:
    """Whether a text holds a sum that one of the tools could do."""
    return bool(sums(text)) and any(_calculates(tool) for tool in tools)


def sums(text: str) -> list[str]:
    """The sums of a text as expressions, in order.

    >>> sums("What is 15% of 200, and 12 times 1,000?")
    ['0.15 * 200', '12 * 1000']
    """
    found = [
        (m.start(), f"{(Decimal(m[1].replace(',', '')) / 100).normalize():f} * {m[2].replace(',', '')}")
        for m in _PERCENT.finditer(text)
    ]
    rest = _PERCENT.sub(lambda m: " " * len(m[0]), text)
    for m in _SUM.finditer(rest):
        spaced = re.sub(
            _SIGN, lambda s: f" {_SIGNS.get(s[0].strip().lower(), s[0].strip())} ", m[0], flags=re.IGNORECASE
        )
        found.append((m.start(), spaced.replace(",", "")))
    return [expression for _, expression in sorted(found)]


_NAMED = 2


def _asked(text: str, tool: Offered) -> int:
    """How plainly a question asks for a tool: 0 for not at all, `_NAMED` and more for by its name."""
    asked = _told(text)
    by_name = len(asked & _told(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", tool.name)))
    described = len(asked & _told(tool.description))
    if by_name or (sums(text) and _calculates(tool)):
        return _NAMED + by_name
    return int(described >= 2)


def _told(text: str) -> set[str]:
    return {
        keys(word)[0] for word in WORD.findall(text) if not is_function(word) and not is_weak(keys(word)[0])
    }


def _calculates(tool: Offered) -> bool:
    return bool(_CALCULATES.search(f"{tool.name} {tool.description}"))


def _arguments(text: str, tool: Offered) -> list[dict[str, Any]]:
    """The arguments of each call of one tool; several where the question names several things for its only
    argument."""
    if not tool.arguments:
        return [{}]
    asked = tool.required or tuple(tool.arguments)
    numbers = iter(re.findall(_NUM, text))
    values = {name: _values(text, tool, name, tool.arguments.get(name) or {}, numbers) for name in asked}
    if (tool.required and not all(values.values())) or not any(values.values()):
        return []
    if len(asked) == 1:
        return [{asked[0]: value} for value in values[asked[0]]]
    return [{name: found[0] for name, found in values.items() if found}]


def _values(text: str, tool: Offered, name: str, schema: Mapping[str, Any], numbers: Any) -> list[Any]:
    if listed := schema.get("enum"):
        return [value for value in listed if re.search(rf"\b{re.escape(str(value))}\b", text, re.IGNORECASE)]
    kind = schema.get("type", "string")
    if kind in ("number", "integer"):
        number = next(numbers, None)
        return (
            []
            if number is None
            else [int(n) if (n := Decimal(number.replace(",", ""))) == n.to_integral_value() else float(n)]
        )
    if kind != "string":
        return []
    about = f"{name.replace('_', ' ')} {schema.get('description') or ''}"
    if _calculates(tool) or _CALCULATES.search(about):
        return sums(text)
    if _TIMELY.search(about):
        return [m[0] for m in _DAY.finditer(text)][:1]
    quoted = _QUOTED.findall(text)
    proper = [m[0] for m in _PROPER.finditer(text) if m[0].lower() not in CALENDAR and m[0] != "I"]
    return quoted or proper or ([text.strip()] if _WORDED.search(about) else [])
