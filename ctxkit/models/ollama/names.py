"""Model names and keep_alive, as people write them and as the server knows them."""

from __future__ import annotations

import re
from typing import Any

_DURATION = re.compile(r"[+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+")
_NUMBER = re.compile(r"[+-]?\d+")


def full_name(name: str) -> str:
    """The name under which the server lists a model: a bare name has the tag `latest`; a digest stays as it
    is (iDiagoValeta/localOllamaRAG#129).

    >>> full_name("qwen3"), full_name("qwen3:8b"), full_name("m@sha256:1f2e")
    ('qwen3:latest', 'qwen3:8b', 'm@sha256:1f2e')
    """
    last = name.rpartition("/")[2]  # a registry before it may have a port
    return name if ":" in last or "@" in last else f"{name}:latest"


def keep_alive_value(value: object) -> float | str | None:
    """How long the model stays loaded, as the server takes it: a number of seconds, or a duration such as
    "5m".

    Text of digits becomes a number: the client sends text as it is, and "-1" without a unit is refused
    (valentinfrlch/ha-llmvision#625). None is the server's default. Raises TypeError or ValueError.

    >>> keep_alive_value("-1"), keep_alive_value("5m"), keep_alive_value(300)
    (-1, '5m', 300)
    """
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        if isinstance(value, float) and value - value != 0:
            raise ValueError(f"keep_alive: expected a number of seconds, got {value}")
        return value
    if not isinstance(value, str):
        raise TypeError(f"keep_alive: expected seconds or a duration, got {type(value).__name__}")
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return int(text)
    if _DURATION.fullmatch(text):
        return text
    raise ValueError(
        f"keep_alive: expected seconds, or a duration such as '5m' or '1h30m', got {value[:40]!r}"
    )


def checked_name(name: Any) -> str:
    """A model name that can be asked for; TypeError or ValueError otherwise.

    >>> checked_name(" llama3.2 ")
    'llama3.2'
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected the name of a model, got {type(name).__name__}")
    if not name.strip():
        raise ValueError("name: expected the name of a model, such as 'llama3.2', got an empty one")
    return name.strip()
