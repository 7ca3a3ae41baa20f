"""A bounded memory of what was worked out before; it never changes a result."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Memory(Generic[V]):
    """Remembers at most `size` values that are not None (default 4,096); the oldest go first.

    >>> lengths = Memory()
    >>> lengths.get("tide", lambda: len("tide")), lengths.get("tide", lambda: 0)
    (4, 4)
    """

    def __init__(self, size: int = 4_096) -> None:
        self._size = size
        self._values: dict[Hashable, V] = {}

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value under a key, made when it is not there."""
        value = self._values.get(key)
        if value is None:
            value = make()
            while len(self._values) >= self._size:
                self._values.pop(next(iter(self._values)), None)
            self._values[key] = value
        return value
