"""Checks of arguments that many public names share: the thing itself, and nothing that only looks like it.

`keep=True` and `keep=2.0` are slips that Python would let through, and a negative count turns a slice inside
out (camel-ai/camel#3726), so each is refused by name.
"""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def whole_number(name: str, value: object, minimum: int = 0) -> int:
    """Return `value` when it is an int of at least `minimum`.

    Raises TypeError for anything but an int (bool counts as no int) and ValueError below `minimum`.

    >>> whole_number("keep", 3)
    3
    >>> whole_number("keep", -1)
    Traceback (most recent call last):
    ValueError: keep: expected a whole number of at least 0, got -1
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: expected a whole number, got {type(value).__name__} ({value!r})")
    if value < minimum:
        raise ValueError(f"{name}: expected a whole number of at least {minimum}, got {value}")
    return value


def counter_or_none(value: Any) -> Any:
    """Return a token counter or None, else raise a TypeError: an encoding's name is not a counter yet.

    >>> counter_or_none("gpt-4")
    Traceback (most recent call last):
    TypeError: counter: expected a TokenCounter, got str ('gpt-4'); write TokenCounter('gpt-4')
    """
    if value is None or (callable(getattr(value, "count_all", None)) and not isinstance(value, type)):
        return value
    hint = f"; write TokenCounter({value!r})" if isinstance(value, str) else ""
    raise TypeError(f"counter: expected a TokenCounter, got {type(value).__name__} ({value!r:.60}){hint}")


def chat_model(value: Any) -> Any:
    """Return a chat model, else raise a TypeError: the name of one is not a model yet.

    >>> chat_model("llama3.2")
    Traceback (most recent call last):
    TypeError: model: expected one with a chat method, got str ('llama3.2'); write OllamaModel('llama3.2')
    """
    if callable(getattr(value, "chat", None)) and not isinstance(value, type):
        return value
    hint = f"; write OllamaModel({value!r})" if isinstance(value, str) else ""
    shown = f"{type(value).__name__} ({value!r:.60})"
    raise TypeError(f"model: expected one with a chat method, got {shown}{hint}")


def text(name: str, value: object) -> str:
    """Return `value` when it is a str, else raise a TypeError that names the argument.

    >>> text("placeholder", "[cleared]")
    '[cleared]'
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected text, got {type(value).__name__}")
    return value


def instance_or_none(name: str, value: object, kind: type[T]) -> T | None:
    """Return `value` when it is of a kind or None, else raise a TypeError that names the argument.

    >>> instance_or_none("started", "yes", bool)
    Traceback (most recent call last):
    TypeError: started: expected a bool, got str
    """
    if value is None or isinstance(value, kind):
        return value
    raise TypeError(f"{name}: expected a {kind.__name__}, got {type(value).__name__}")
